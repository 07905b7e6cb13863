import type { SkillError } from './errors.ts'
import { leftOutOf, sortOut, type LeftOut } from './readable.ts'

/** Which page to fetch; systems count in one of these ways. */
export interface PageRequest {
  /** How many items came before this page: `$skip`, `from`, `offset`. */
  readonly offset: number
  /** 1, 2, 3, … */
  readonly number: number
  /** How many items to ask for, the same for every page. */
  readonly size: number
}

/** A page's items, errors among them where records could not be read, with what the other system says about the rest of the list. */
export type Page<Item> = readonly (Item | SkillError)[] | AnnouncedPage<Item>

export interface AnnouncedPage<Item> {
  readonly items: readonly (Item | SkillError)[]
  /** How many items the whole list has. Null or absent: it does not say. Fewer that were read are never all. */
  readonly total?: number | null | undefined
  /** Whether there is another page to ask for. Absent: the total decides. */
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
  /**
   * Whether these are all. False also where nobody can tell: `limit`, `maxPages` or the size came before the end of the list, or fewer different
   * items were read than the other system said, on any page, that there are.
   */
  readonly complete: boolean
  /** How many items were read, those among them that do not count or could not be read. */
  readonly read: number
  /** How many items the other system says the list has, null where it does not say. */
  readonly total: number | null
  /** What could not be read: see {@link readable}. */
  readonly leftOut: LeftOut
}

/**
 * Fetches page after page, and ends whatever the other system answers: at `limit` items, at 10 million characters of them (a step holds
 * no more than 16), at a page that brings nothing new,
 * after `maxPages`, and where the list ends. A list ends where the system says so, by `more` or `total`, or else with a page
 * shorter than asked for.
 * Throws what `fetch` throws, and the first error where not one record can be read: it is not the list that was meant.
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
  const failures: SkillError[] = []
  const seen = new Set<string>()
  let read = 0
  let readable = 0
  let total: number | null = null
  // A list that moves while it is read may say several; the largest counts.
  let most = 0
  let different = 0
  let isAll = false
  let characters = 0
  let isFull = false
  for (let number = 1; number <= maxPages && !isAll; number++) {
    const answer = await fetch({ offset: read, number, size })
    const { items: page, more, ...said } = 'items' in answer ? answer : { items: answer }
    const sorted = sortOut(page)
    read += page.length
    readable += sorted.items.length
    total = countOf(said.total) ?? total
    most = Math.max(most, total ?? 0)
    isAll = !(more ?? (total === null ? page.length >= size : read < most))
    const fresh = sorted.items.filter((item) => idOf === undefined || !seen.has(idOf(item)))
    if (idOf !== undefined) for (const item of fresh) seen.add(idOf(item))
    const isRepeat = fresh.length === 0 && sorted.items.length > 0
    for (const item of fresh.filter(keep)) {
      characters += sizeOf(item)
      isFull ||= characters > mostCharacters && items.length > 0
      if (!isFull) items.push(item)
    }
    if (!isRepeat) failures.push(...sorted.failures)
    different += fresh.length + (isRepeat ? 0 : sorted.failures.length)
    if (readable === 0 && page.length > 1) break
    if (page.length === 0 || isRepeat || isFull || items.length > limit) break
    if (items.length === limit && !isAll) break
  }
  if (readable === 0 && failures[0] !== undefined) throw failures[0]
  const complete = isAll && !isFull && items.length <= limit && different >= most
  return { items: items.slice(0, limit), complete, read, total, leftOut: leftOutOf(failures) }
}

/** Of the items of one list, as JSON. Outputs repeat some of what they hold. */
const mostCharacters = 10_000_000

function sizeOf(item: unknown): number {
  const text = JSON.stringify(item, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return (text as string | undefined)?.length ?? 0
}

/** What is no number of items says nothing. */
const countOf = (total: number | null | undefined): number | undefined =>
  typeof total === 'number' && total >= 0 ? total : undefined
