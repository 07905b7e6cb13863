import type { JsonSchema } from '../../../core/plugin/index.ts'
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

/** Schema of what `pageView` and `wholeView` answer. */
export function pageSchema(items: JsonSchema): JsonSchema {
  return objectSchema({
    data: { type: 'array', items },
    next_cursor: { type: ['string', 'null'], description: 'For the next page; null on the last one.' },
    total: { type: 'integer', minimum: 0, description: 'Of all pages.' },
  })
}

/** An object with exactly these fields. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

export const text: JsonSchema = { type: 'string' }
export const textOrNull: JsonSchema = { type: ['string', 'null'] }
/** Epoch milliseconds. */
export const time: JsonSchema = { type: 'integer', description: 'Epoch milliseconds.' }
export const timeOrNull: JsonSchema = { type: ['integer', 'null'], description: 'Epoch milliseconds.' }
