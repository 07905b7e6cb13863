import { editDistance } from '../edit-distance.ts'

/** The candidate that was probably meant, or undefined: at most a third of the letters differ. Long names are not compared. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    // Of a single letter any other one would be near.
    const limit = Math.min(
      name.length - 1,
      Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3)),
    )
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}
