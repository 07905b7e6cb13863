/**
 * A comparison takes microseconds and a schema may have thousands of fields, so only the first ones are
 * compared.
 */
const maxCompared = 1000

/**
 * The candidate that differs from the name only in letter case and separators, or in one letter (two in long
 * names). Stricter than {@link nearest}, for names that may be correct.
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
  // `ip1` is not a misspelt `ip2`, nor `url` a misspelt `urn`: in short names, only a missing, extra or
  // misplaced letter counts.
  if (name.replaceAll(/\d/g, '') === candidate.replaceAll(/\d/g, '')) return false
  const isReplaced = longer === 4 && name.length === candidate.length && !isSwapped(name, candidate)
  return !isReplaced && editDistance(name, candidate) <= limit
}

const isSwapped = (a: string, b: string): boolean =>
  Array.from(a).toSorted().join('') === Array.from(b).toSorted().join('')

/**
 * The closest candidate to a misspelt name, if at most a third of the letters differ; else undefined. Long
 * names are not compared.
 *
 * @example nearest('confimed', ['confirmed', 'cancelled']) // 'confirmed'
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates.slice(0, maxCompared)) {
    // Any other letter would be close to a single letter.
    const longer = Math.max(name.length, candidate.length)
    const limit = Math.min(name.length - 1, Math.max(1, Math.floor(longer / 3)))
    if (Math.abs(name.length - candidate.length) > limit) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/**
 * The number of letters to insert, remove, replace or swap with their neighbour to turn one word into the
 * other.
 */
function editDistance(left: string, right: string): number {
  let before: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      let cost = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      )
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1)
      current.push(cost)
    }
    ;[before, previous] = [previous, current]
  }
  return previous[right.length]!
}
