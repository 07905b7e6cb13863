import {
  collectPages,
  readable,
  type CollectedPages,
  type HttpClient,
  type JsonObject,
  type QueryValue,
} from 'tocsin/plugin'
import { readPage } from './page.ts'

/** The platform gives no more at once. */
const pageSize = 100

export interface ReadAllOptions<Item> {
  readonly path: string
  readonly query: Readonly<Record<string, QueryValue>>
  readonly limit: number
  readonly decode: (item: JsonObject) => Item
  readonly idOf: (item: Item) => string
  /** Which items count: the platform filters by few things. Default: all. */
  readonly keep?: ((item: Item) => boolean) | undefined
}

/** Reads page after page, at most 100 of them; pages are numbered from 0, or follow a cursor. */
export function readAll<Item>(
  http: HttpClient,
  { path, query, decode, ...options }: ReadAllOptions<Item>,
): Promise<CollectedPages<Item>> {
  let cursor: string | null = null
  return collectPages<Item>({
    ...options,
    pageSize,
    fetch: async ({ number, size }) => {
      const which = cursor === null ? { page: number - 1, size } : { cursor, page_size: size }
      const page = readPage((await http.get(path, { query: { ...query, ...which } })).json(), number - 1)
      cursor = page.cursor
      return { ...page, items: page.items.map(readable(decode)) }
    },
  })
}
