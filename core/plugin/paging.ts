/** Which page to fetch; systems count in one of these ways. */
export interface PageRequest {
  /** How many items came before this page: `$skip`, `from`, `offset`. */
  readonly offset: number
  /** 1, 2, 3, … */
  readonly number: number
  /** How many items to ask for, the same for every page. */
  readonly size: number
}

/** A page's items; with `more` where the other system says whether there is another page. */
export type Page<Item> = readonly Item[] | { readonly items: readonly Item[]; readonly more: boolean }

export interface CollectPagesOptions<Item> {
  /** How many items to return at most. */
  readonly limit: number
  /** How many items to ask for at once; fewer are asked for where `limit` is smaller. */
  readonly pageSize: number
  /** Default 100. */
  readonly maxPages?: number
  /** What makes an item the same as one of an earlier page; lists move while they are read. Absent: none is. */
  readonly idOf?: (item: Item) => string
  /** Which items count, where the other system cannot filter. Default: all. */
  readonly keep?: (item: Item) => boolean
  readonly fetch: (page: PageRequest) => Promise<Page<Item>>
}

export interface CollectedPages<Item> {
  readonly items: readonly Item[]
  /** Whether these are all. False also where nobody can tell: `limit` or `maxPages` came before the end of the list. */
  readonly complete: boolean
}

/**
 * Fetches page after page, and ends whatever the other system answers: at `limit` items, at a page that brings nothing new,
 * after `maxPages`, and where the list ends. A list ends where the system says so, or else with a page shorter than asked for.
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
  for (let number = 1; number <= maxPages; number++) {
    const answer = await fetch({ offset, number, size })
    const page = 'items' in answer ? answer.items : answer
    const more = 'items' in answer ? answer.more : page.length >= size
    offset += page.length
    const fresh = page.filter((item) => idOf === undefined || isNew(seen, idOf(item)))
    items.push(...fresh.filter(keep))
    if (items.length > limit) return { items: items.slice(0, limit), complete: false }
    if (!more) return { items, complete: true }
    if (items.length === limit || fresh.length === 0) break
  }
  return { items, complete: false }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}
