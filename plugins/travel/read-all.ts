import {
  collectPages,
  isObject,
  SkillError,
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

/**
 * Reads page after page, at most 100 of them; pages are numbered from 0, or follow a cursor. An item that cannot be read is left out, and
 * the list is not complete then; a page of nothing else fails as its first item does.
 */
export async function readAll<Item>(
  http: HttpClient,
  options: ReadAllOptions<Item>,
): Promise<CollectedPages<Item>> {
  const { path, query, decode, idOf, keep, ...others } = options
  let unreadable = 0
  let cursor: string | null = null
  const { items, complete, ...counts } = await collectPages<Item | Unreadable>({
    ...others,
    idOf: (item) => (item instanceof Unreadable ? `unreadable ${unreadable++}` : idOf(item)),
    keep: keep && ((item) => !(item instanceof Unreadable) && keep(item)),
    pageSize,
    fetch: async ({ number, size }) => {
      const which = cursor === null ? { page: number - 1, size } : { cursor, page_size: size }
      const page = readPage((await http.get(path, { query: { ...query, ...which } })).json())
      cursor = page.cursor
      return { ...page, items: decodeItems(page.items, decode) }
    },
  })
  const readable = items.flatMap((item) => (item instanceof Unreadable ? [] : [item]))
  return { ...counts, items: readable, complete: complete && unreadable === 0 }
}

class Unreadable {
  readonly reason: SkillError

  constructor(reason: SkillError) {
    this.reason = reason
  }
}

function decodeItems<Item>(
  items: readonly unknown[],
  decode: (item: JsonObject) => Item,
): readonly (Item | Unreadable)[] {
  const decoded = items.map((item) => decodeItem(item, decode))
  const [first] = decoded
  if (first instanceof Unreadable && decoded.every((item) => item instanceof Unreadable)) throw first.reason
  return decoded
}

function decodeItem<Item>(item: unknown, decode: (item: JsonObject) => Item): Item | Unreadable {
  try {
    if (isObject(item)) return decode(item)
    return new Unreadable(
      new SkillError('bad_response', "the platform's list holds something that is no record"),
    )
  } catch (error) {
    if (error instanceof SkillError && error.code === 'bad_response') return new Unreadable(error)
    throw error
  }
}
