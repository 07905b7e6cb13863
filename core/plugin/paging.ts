/** Which page to fetch; systems count in one of these ways. */
export interface PageRequest {
  /** How many items came before this page: `$skip`, `from`, `offset`. */
  readonly offset: number
  /** 1, 2, 3, … */
  readonly number: number
  /** How many items to ask for, the same for every page. */
  readonly size: number
}

/** A page's items, with what the other system says about the rest of the list. */
export type Page<Item> = readonly Item[] | AnnouncedPage<Item>

export interface AnnouncedPage<Item> {
  readonly items: readonly Item[]
  /** How many items the whole list has. Null or absent: it does not say. */
  readonly total?: number | null | undefined
  /** Whether there is another page. Absent: the total decides. */
  readonly more?: boolean | undefined
}

export interface CollectPagesOptions<Item> {
  /** How many items to return at most. */
  readonly limit: number
  /** How many items to ask for at once; fewer are asked for where `limit` is smaller. */
  readonly pageSize: number
  /** Default 100. */
  readonly maxPages?: number | undefined
  /** What makes an item the same as one of an earlier page; lists move while they are read. Absent: none is. */
  readonly idOf?: ((item: Item) => string) | undefined
  /** Which items count, where the other system cannot filter. Default: all. */
  readonly keep?: ((item: Item) => boolean) | undefined
  readonly fetch: (page: PageRequest) => Promise<Page<Item>>
}

export interface CollectedPages<Item> {
  readonly items: readonly Item[]
  /** Whether these are all. False also where nobody can tell: `limit` or `maxPages` came before the end of the list. */
  readonly complete: boolean
  /** How many items were read, those among them that do not count. */
  readonly read: number
  /** How many items the other system says the list has, null where it does not say. */
  readonly total: number | null
}

/**
 * Fetches page after page, and ends whatever the other system answers: at `limit` items, at a page that brings nothing new,
 * after `maxPages`, and where the list ends. A list ends where the system says so, by `more` or `total`, or else with a page
 * shorter than asked for.
 * Throws what `fetch` throws.
 *
 * @example
 * const { items, complete } = await collectPages<Machine>({
 *   limit: 500,
 *   pageSize: 100,
 *   idOf: (machine) => machine.id,
 *   fetch: async ({ offset, size }) => read(await http.get('/machines', { query: { $top: size, $skip: offset } })),
 * })
 */
export async function collectPages<Item>(options: CollectPagesOptions<Item>): Promise<CollectedPages<Item>> {
  const { limit, pageSize, maxPages = 100, idOf, keep = () => true, fetch } = options
  // Page numbers mean nothing unless every page has the same size.
  const size = options.keep ? pageSize : Math.min(pageSize, limit)
  const items: Item[] = []
  const seen = new Set<string>()
  let offset = 0
  let total: number | null = null
  for (let number = 1; number <= maxPages; number++) {
    const answer = await fetch({ offset, number, size })
    const { items: page, more, ...said } = 'items' in answer ? answer : { items: answer }
    offset += page.length
    total = said.total ?? total
    const isLast = !(more ?? (total === null ? page.length >= size : offset < total))
    const fresh = page.filter((item) => idOf === undefined || isNew(seen, idOf(item)))
    items.push(...fresh.filter(keep))
    if (items.length > limit) return { items: items.slice(0, limit), complete: false, read: offset, total }
    if (isLast) return { items, complete: true, read: offset, total }
    if (items.length === limit || fresh.length === 0) break
  }
  return { items, complete: false, read: offset, total }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}
