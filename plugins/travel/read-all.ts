import {
  collectPages,
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
  readonly keep?: (item: Item) => boolean
}

export interface ReadAll<Item> extends CollectedPages<Item> {
  /** How many the platform gave. */
  readonly read: number
  /** How many it says it has, null where it does not say. */
  readonly total: number | null
}

/** Reads page after page, at most 100 of them; pages are numbered from 0, or follow a cursor. */
export async function readAll<Item>(http: HttpClient, options: ReadAllOptions<Item>): Promise<ReadAll<Item>> {
  const { path, query, limit, decode, idOf, keep } = options
  let read = 0
  let total: number | null = null
  let cursor: string | null = null
  const collected = await collectPages<Item>({
    limit,
    pageSize,
    idOf,
    ...(keep === undefined ? {} : { keep }),
    fetch: async ({ number, size }) => {
      const which = cursor === null ? { page: number - 1, size } : { cursor, page_size: size }
      const page = readPage((await http.get(path, { query: { ...query, ...which } })).json())
      read += page.items.length
      total = page.total ?? total
      cursor = page.cursor
      return { items: page.items.map(decode), more: page.more ?? page.items.length >= size }
    },
  })
  return { ...collected, read, total }
}
