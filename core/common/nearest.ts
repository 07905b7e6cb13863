import { editDistance } from './edit-distance.ts'

/** Comparing takes a few microseconds, and a schema may have thousands of fields: people's own words are among the first. */
const maxCompared = 1000

/**
 * The candidate that a name is almost: the same but for letter case and separators, or with one letter wrong; in long names two.
 * Stricter than {@link nearest}, for names that may be right.
 *
 * @example almost('healthStaus', ['healthStatus']) // 'healthStatus'
 */
export function almost(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 64 || candidates.includes(name)) return undefined
  return candidates.slice(0, maxCompared).find((candidate) => isAlmost(plain(name), plain(candidate)))
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

function isAlmost(name: string, candidate: string): boolean {
  if (name === candidate) return true
  const longer = Math.max(name.length, candidate.length)
  const limit = longer < 4 ? 0 : longer < 9 ? 1 : 2
  if (Math.abs(name.length - candidate.length) > limit) return false
  // `ip1` is no misspelt `ip2`, and `url` no `urn`: of short names a letter is missing, too many or in the wrong place.
  if (name.replaceAll(/\d/g, '') === candidate.replaceAll(/\d/g, '')) return false
  const isReplaced = longer === 4 && name.length === candidate.length && !isSwapped(name, candidate)
  return !isReplaced && editDistance(name, candidate) <= limit
}

const isSwapped = (a: string, b: string): boolean =>
  Array.from(a).toSorted().join('') === Array.from(b).toSorted().join('')

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
