import {
  collectPages,
  readable,
  type CollectedPages,
  type HttpClient,
  type JsonObject,
  type QueryValue,
} from 'tocsin/plugin'
import { readPage } from './page.ts'

/** The platform's maximum page size. */
const pageSize = 100

export interface ReadAllOptions<Item> {
  readonly path: string
  readonly query: Readonly<Record<string, QueryValue>>
  readonly limit: number
  readonly decode: (item: JsonObject) => Item
  readonly idOf: (item: Item) => string
  /** Filter for items, since the platform has few filters. Default: all. */
  readonly keep?: ((item: Item) => boolean) | undefined
}

/** Reads page by page, at most 100 pages; pages are numbered from 0 or follow a cursor. */
export function readAllPages<Item>(
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
