import { get, type Query } from '../../api/call.ts'
import type { Page } from '../../api/types.ts'

/** What is further away than so many pages is not looked for: about 2,000 rows. */
const pagesAtMost = 11
const largestPage = 200

/**
 * The beginning of a list as it is now, down to the first row that is shown already: in a storm more rows come between two
 * looks than a page holds.
 */
export async function fetchFresh<Row>(
  path: string,
  query: Query,
  shown: ReadonlySet<string>,
  idOf: (row: Row) => string,
  signal: AbortSignal,
): Promise<Page<Row>> {
  const first = await get<Page<Row>>(path, query, signal)
  const rows = [...first.data]
  let { next_cursor: cursor } = first
  for (let pages = 1; pages < pagesAtMost && cursor !== null && shown.size > 0; pages++) {
    if (rows.some((row) => shown.has(idOf(row)))) break
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ends
    const next = await get<Page<Row>>(path, { ...query, limit: largestPage, cursor }, signal)
    rows.push(...next.data)
    cursor = next.next_cursor
  }
  return { ...first, data: rows, next_cursor: cursor }
}
