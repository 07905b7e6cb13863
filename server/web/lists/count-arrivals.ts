/** How many rows stand before those that were there already, which go on in the same order; 0 where they do not. */
export function countArrivals(before: readonly string[], after: readonly string[]): number {
  const [first] = before
  if (first === undefined) return 0
  const arrived = after.indexOf(first)
  if (arrived <= 0) return 0
  return before.every((id, index) => after[arrived + index] === id) ? arrived : 0
}
