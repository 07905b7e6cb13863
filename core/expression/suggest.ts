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

/** How many letters to insert, remove, replace or swap with their neighbour. */
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
