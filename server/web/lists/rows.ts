import type { ApiPage } from '../api/types.ts'

type Pages<Row> = readonly ApiPage<Row>[]

/**
 * Merges a newer start of the list: rows are updated, inserted, moved and removed; later rows stay.
 * Undefined if it contains no known row, because there would be a gap.
 */
export function mergeFresh<Row>(
  pages: Pages<Row>,
  fresh: ApiPage<Row>,
  idOf: (row: Row) => string,
): ApiPage<Row>[] | undefined {
  const [first] = pages
  if (first === undefined || fresh.next_cursor === null) return [fresh]
  const isFresh = idsIn([fresh], idOf)
  const places = pages.map(({ data }) => data.findLastIndex((row) => isFresh.has(idOf(row))))
  const reached = places.findLastIndex((place) => place !== -1)
  if (reached === -1) return pages.every(({ data }) => data.length === 0) ? [fresh] : undefined
  const rest = pages.map(({ data, ...page }, index) => {
    const after = index < reached ? [] : index === reached ? data.slice((places[index] ?? -1) + 1) : data
    return { ...page, data: after.filter((row) => !isFresh.has(idOf(row))) }
  })
  return rest.map((page, index) => (index === 0 ? { ...page, data: [...fresh.data, ...page.data] } : page))
}

/** Replaces one page that was loaded again. */
export function renewPage<Row>(
  pages: Pages<Row>,
  index: number,
  renewed: ApiPage<Row>,
  idOf: (row: Row) => string,
): ApiPage<Row>[] {
  const elsewhere = idsIn(
    pages.filter((_, each) => each !== index),
    idOf,
  )
  return pages.map((page, each) =>
    each === index ? { ...page, data: renewed.data.filter((row) => !elsewhere.has(idOf(row))) } : page,
  )
}

function idsIn<Row>(pages: Pages<Row>, idOf: (row: Row) => string): ReadonlySet<string> {
  return new Set(pages.flatMap(({ data }) => data.map(idOf)))
}

interface Shift {
  /** How far the first visible row moved down. */
  readonly rows: number
  /** New rows above it. */
  readonly arrived: number
}

/**
 * How far the visible rows moved.
 *
 * @param top index of the first visible row; if it is gone, the next remaining row counts
 */
export function findShift(before: readonly string[], after: readonly string[], top: number): Shift {
  const places = new Map(after.map((id, index) => [id, index]))
  for (let index = top; index < before.length; index++) {
    const place = places.get(before[index] ?? '')
    if (place === undefined) continue
    const known = new Set(before)
    const arrived = after.slice(0, place).filter((id) => !known.has(id)).length
    return { rows: place - index, arrived }
  }
  return { rows: 0, arrived: 0 }
}

/** `aria-rowcount` of a partly loaded table, including the head row; -1 if unknown (WAI-ARIA 1.2). */
export function rowCount(loaded: number, hasMore: boolean, total: number | undefined): number {
  if (!hasMore) return loaded + 1
  // The total of a large list may be older than its rows.
  return total === undefined || total <= loaded ? -1 : total + 1
}

interface Scrolled {
  /** Negative for right-to-left text. */
  readonly scrollLeft: number
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** Whether there is more beyond the visible edge. Ignores fractions of a pixel. */
export const hasMoreColumns = ({ scrollLeft, scrollWidth, clientWidth }: Scrolled): boolean =>
  scrollWidth - clientWidth - Math.abs(scrollLeft) > 1

/** From one row to the other, in either direction; undefined if a row is gone. */
export function rowsBetween(
  ids: readonly string[],
  from: string | undefined,
  to: string,
): readonly string[] | undefined {
  const places = [from === undefined ? -1 : ids.indexOf(from), ids.indexOf(to)]
  if (places.includes(-1)) return undefined
  return ids.slice(Math.min(...places), Math.max(...places) + 1)
}
