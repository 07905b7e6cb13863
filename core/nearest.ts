import { editDistance } from './edit-distance.ts'

/** Comparing takes a few microseconds, and a schema may have thousands of fields: people's own words are among the first. */
const maxCompared = 1000

/**
 * The candidate that was probably meant by a misspelt name, or undefined: at most a third of the letters differ. Long names are not
 * compared.
 *
 * @example nearest('confimed', ['confirmed', 'cancelled']) // 'confirmed'
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates.slice(0, maxCompared)) {
    // Of a single letter any other one would be near.
    const longer = Math.max(name.length, candidate.length)
    const limit = Math.min(name.length - 1, Math.max(1, Math.floor(longer / 3)))
    if (Math.abs(name.length - candidate.length) > limit) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}
