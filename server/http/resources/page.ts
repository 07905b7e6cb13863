import type { Page, PageRequest } from '../../../core/ports.ts'

/** Query parameters of every list that comes in pages. */
export const pageParameters = {
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'Rows in the answer.' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 512,
    description: '`next_cursor` of the page before; absent for the first page.',
  },
} as const

export function pageOf(query: {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}): PageRequest {
  return { limit: query.limit ?? 50, cursor: query.cursor }
}

/** A page as it is answered, each row through `view`. */
export async function pageView<T>(page: Page<T>, view: (row: T) => unknown): Promise<unknown> {
  return { data: await Promise.all(page.data.map(view)), next_cursor: page.nextCursor, total: page.total }
}

/** A list that is short enough for one answer, in the shape of a page. */
export function wholeView<T>(rows: readonly T[], view: (row: T) => unknown): Promise<unknown> {
  return pageView({ data: rows, nextCursor: null, total: rows.length }, view)
}
