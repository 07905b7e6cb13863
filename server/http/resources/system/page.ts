import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { Page, PageRequest } from '../../../../core/ports/common.ts'

/** Query parameters of every list that comes in pages. */
export const pageParameters = {
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'Rows in the answer.' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 2_048,
    description: '`next_cursor` of the page before; absent for the first page.',
  },
} as const

/** Of a list that can be sorted by these names; the first one is the default. */
export function sortParameter<const Names extends readonly string[]>(names: Names) {
  return {
    type: 'string',
    enum: names.flatMap((name: Names[number]) => [name, `-${name}`] as const),
    default: names[0],
    description: 'With `-`: downwards.',
  } as const
}

/** Of a list in the order in which its rows were made, newest first unless it is asked for otherwise. */
export const sortByAge = {
  type: 'string',
  enum: ['-created_at', 'created_at'],
  default: '-created_at',
  description: 'With `-`: downwards, newest first.',
} as const

/** `true` or `false`, as a query has them. */
export const flag = { type: 'string', enum: ['true', 'false'] } as const

export function pageOf(query: {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly sort?: string | undefined
}): PageRequest {
  const oldestFirst = query.sort !== undefined && !query.sort.startsWith('-')
  return { limit: query.limit ?? 50, cursor: query.cursor, oldestFirst }
}

/** A page as it is answered, each row through `view`. */
export async function pageView<T>(page: Page<T>, view: (row: T) => unknown): Promise<unknown> {
  return { data: await Promise.all(page.data.map(view)), next_cursor: page.nextCursor, total: page.total }
}

/** Schema of what `pageView` answers. */
export function pageSchema(items: JsonSchema): JsonSchema {
  return objectSchema({
    data: { type: 'array', items },
    next_cursor: { type: ['string', 'null'], description: 'For the next page; null on the last one.' },
    total: { type: 'integer', minimum: 0, description: 'Of all pages.' },
  })
}

/** The last time there is, in epoch milliseconds (ECMA-262, section 21.4.1.1). What is beyond 2^53 would be no number that can be reckoned with. */
export const lastTime = 8_640_000_000_000_000

/** In a request. */
export const epochMs = { type: 'integer', minimum: 0, maximum: lastTime } as const

/** An object with exactly these fields. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

export const text: JsonSchema = { type: 'string' }
export const textOrNull: JsonSchema = { type: ['string', 'null'] }
/** Epoch milliseconds. */
export const time: JsonSchema = { type: 'integer', description: 'Epoch milliseconds.' }
export const timeOrNull: JsonSchema = { type: ['integer', 'null'], description: 'Epoch milliseconds.' }
