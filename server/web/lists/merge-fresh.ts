import type { Page } from '../api/types.ts'

/**
 * The pages that are shown, with what a newer first page tells: rows that changed are replaced, and rows that are new stand
 * at the top (where the newest do). Undefined where more are new than the fresh page holds, so that some would be missing.
 */
export function mergeFresh<Row>(
  pages: readonly Page<Row>[],
  fresh: Page<Row>,
  idOf: (row: Row) => string,
  isNewestFirst: boolean,
): Page<Row>[] | undefined {
  const [first, ...others] = pages
  if (first === undefined) return []
  const byId = new Map(fresh.data.map((row) => [idOf(row), row]))
  const shown = new Set(pages.flatMap((page) => page.data.map(idOf)))
  const added = isNewestFirst ? fresh.data.filter((row) => !shown.has(idOf(row))) : []
  if (added.length > 0 && added.length === fresh.data.length && shown.size > 0) return undefined
  const renew = (page: Page<Row>): Page<Row> => ({
    ...page,
    data: page.data.map((row) => byId.get(idOf(row)) ?? row),
  })
  const renewed = renew(first)
  return [{ ...renewed, data: [...added, ...renewed.data] }, ...others.map(renew)]
}
