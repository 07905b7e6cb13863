import { editDistance } from '../edit-distance.ts'

/**
 * The candidate that a misspelt word most likely means, if any is near.
 *
 * @example suggest('confimed', ['confirmed', 'cancelled']) // 'confirmed'
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = most + 1
  let looked = 0
  for (const candidate of candidates) {
    // Only people's own words are worth it: a schema may have thousands of fields.
    if (++looked > 1000 || Math.abs(candidate.length - word.length) > most) continue
    const distance = candidate.toLowerCase() === word.toLowerCase() ? 0 : editDistance(word, candidate)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}
