import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { ListPage, ListRequest } from '../../../../core/ports/common.ts'

/** Query parameters of paged lists. */
export const pageParameters = {
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'Rows per page.' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 2_048,
    description: '`next_cursor` of the previous page; absent for the first page.',
  },
} as const

/** For a list that can be sorted by these names; the first one is the default. */
export function sortParameter<const Names extends readonly string[]>(names: Names) {
  return {
    type: 'string',
    enum: names.flatMap((name: Names[number]) => [name, `-${name}`] as const),
    default: names[0],
    description: 'Descending with `-`.',
  } as const
}

/** For a list in order of creation, newest first by default. */
export const sortByAge = {
  type: 'string',
  enum: ['-created_at', 'created_at'],
  default: '-created_at',
  description: 'Newest first with `-`.',
} as const

/** A boolean query parameter. */
export const flag = { type: 'string', enum: ['true', 'false'] } as const

export function pageOf(query: {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly sort?: string | undefined
}): ListRequest {
  const oldestFirst = query.sort !== undefined && !query.sort.startsWith('-')
  return { limit: query.limit ?? 50, cursor: query.cursor, oldestFirst }
}

/** A page for the response, each row through `view`. */
export async function pageView<T>(page: ListPage<T>, view: (row: T) => unknown): Promise<unknown> {
  return { data: await Promise.all(page.data.map(view)), next_cursor: page.nextCursor, total: page.total }
}

/** Schema of the result of `pageView`. */
export function pageSchema(items: JsonSchema) {
  return objectSchema({
    data: { type: 'array', items },
    next_cursor: { type: ['string', 'null'], description: 'Cursor of the next page; null on the last page.' },
    total: { type: 'integer', minimum: 0, description: 'Over all pages.' },
  })
}

/** The largest time value, in epoch milliseconds (ECMA-262, section 21.4.1.1). */
export const lastTime = 8_640_000_000_000_000

/** For requests. */
export const epochMs = { type: 'integer', minimum: 0, maximum: lastTime } as const

/** A schema of an object with exactly these fields. */
export interface ObjectSchema<Fields> {
  readonly type: 'object'
  readonly additionalProperties: false
  readonly required: readonly (keyof Fields & string)[]
  readonly properties: Fields
}

/** An object with exactly these fields. Its type follows by `Infer`. */
export const objectSchema = <const Fields extends Readonly<Record<string, JsonSchema>>>(
  properties: Fields,
): ObjectSchema<Fields> => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
})

export const text = { type: 'string' } as const
export const textOrNull = { type: ['string', 'null'] } as const
/** Epoch milliseconds. */
export const time = { type: 'integer', description: 'Epoch milliseconds.' } as const
export const timeOrNull = { type: ['integer', 'null'], description: 'Epoch milliseconds.' } as const
