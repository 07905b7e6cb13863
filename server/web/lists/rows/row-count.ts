/**
 * `aria-rowcount` of a table of which `loaded` rows are loaded: all there are, the head among them; -1 where that is not known
 * (WAI-ARIA 1.2).
 */
export function rowCount(loaded: number, hasMore: boolean, total: number | undefined): number {
  if (!hasMore) return loaded + 1
  // Of a large list the total may be a little older than its rows.
  return total === undefined || total <= loaded ? -1 : total + 1
}
