import type { SkillError } from './errors.ts'
import type { HttpResponse } from './http.ts'
import { leftOutOf, sortOut, type LeftOut } from './readable.ts'

/** The page to fetch, in the ways that systems count. */
export interface PageRequest {
  /** Number of items before this page: `$skip`, `from`, `offset`. */
  readonly offset: number
  /** 1, 2, 3, … */
  readonly number: number
  /** Page size; the same for every page. */
  readonly size: number
  /** `next` of the page before; absent for the first. */
  readonly cursor?: string
}

/** One page, with errors in place of unreadable records, and the other system's data about the rest. */
export type Page<Item> = readonly (Item | SkillError)[] | AnnouncedPage<Item>

export interface AnnouncedPage<Item> {
  readonly items: readonly (Item | SkillError)[]
  /** Total number of items. Null or absent: unknown. Reading fewer items is never complete. */
  readonly total?: number | null | undefined
  /** Whether there is another page. Absent: `next` decides, or else `total`. */
  readonly more?: boolean | undefined
  /**
   * The cursor or address of the next page, passed to `fetch` as `cursor`. Null, undefined or empty: this
   * page is the last. Leave the field out if the other system has no cursors.
   */
  readonly next?: string | null | undefined
}

export interface CollectPagesOptions<Item> {
  /** Most items to return. */
  readonly limit: number
  /** Page size; smaller if `limit` is. */
  readonly pageSize: number
  /** Default 100. */
  readonly maxPages?: number | undefined
  /** Identifies an item, because lists change while they are read. Absent: every item counts. */
  readonly idOf?: ((item: Item) => string) | undefined
  /** Selects items if the other system cannot filter. Default: all. */
  readonly keep?: ((item: Item) => boolean) | undefined
  readonly fetch: (page: PageRequest) => Promise<Page<Item>>
}

export interface CollectedPages<Item> {
  readonly items: readonly Item[]
  /**
   * Whether these are all items. False if unknown: `limit`, `maxPages` or the size limit ended the list, or
   * fewer distinct items were read than any page announced.
   */
  readonly complete: boolean
  /** Number of items read, including filtered and unreadable ones. */
  readonly read: number
  /** Total according to the other system; null if unknown. */
  readonly total: number | null
  /** Unreadable records: see {@link readable}. */
  readonly leftOut: LeftOut
}

/**
 * Fetches page after page until the list ends by `more`, `next` or `total`, or else by a page shorter than
 * requested. Also ends, whatever the other system answers, at `limit` items, at 10 million characters of
 * items (a step holds at most 16 million), at a page without new items, at a repeated cursor, and after
 * `maxPages`. Throws what `fetch` throws, and the first error if all records are unreadable, because it is
 * probably a different list.
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
  // Page numbers require the same size for every page.
  const size = options.keep ? pageSize : Math.min(pageSize, limit)
  const items: Item[] = []
  const failures: SkillError[] = []
  const seen = new Set<string>()
  let read = 0
  let readable = 0
  let total: number | null = null
  // The total may change while the list is read; the largest counts.
  let most = 0
  let different = 0
  let isAll = false
  let characters = 0
  let isFull = false
  const cursors = new Set<string>()
  let cursor: { readonly cursor?: string } = {}
  for (let number = 1; number <= maxPages && !isAll; number++) {
    const answer = await fetch({ offset: read, number, size, ...cursor })
    const { items: page, ...said } = 'items' in answer ? answer : { items: answer }
    const sorted = sortOut(page)
    read += page.length
    readable += sorted.items.length
    total = countOf(said.total) ?? total
    most = Math.max(most, total ?? 0)
    const hasCursors = 'next' in answer
    const next = said.next ?? ''
    isAll = !(said.more ?? (hasCursors ? next !== '' : total === null ? page.length >= size : read < most))
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
    if (isRepeat || isFull || items.length > limit) break
    // A system that filters while it reads may answer an empty page in the middle, but only with a cursor.
    if (hasCursors ? next === '' || cursors.has(next) : page.length === 0) break
    if (hasCursors) cursor = { cursor: next }
    cursors.add(next)
    if (items.length === limit && !isAll) break
  }
  if (readable === 0 && failures[0] !== undefined) throw failures[0]
  const complete = isAll && !isFull && items.length <= limit && different >= most
  return { items: items.slice(0, limit), complete, read, total, leftOut: leftOutOf(failures) }
}

/** Size of the items as JSON, with room for repeated parts of outputs. */
const mostCharacters = 10_000_000

function sizeOf(item: unknown): number {
  const text = JSON.stringify(item, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return (text as string | undefined)?.length ?? 0
}

/** Not a valid total. */
const countOf = (total: number | null | undefined): number | undefined =>
  typeof total === 'number' && total >= 0 ? total : undefined

/**
 * The address of the next page by the `Link` header (RFC 8288, `rel="next"`), absolute; undefined if there is
 * none.
 *
 * @example
 * fetch: async ({ cursor, size }) => {
 *   const answer = await http.get(cursor ?? '/users', cursor === undefined ? { query: { limit: size } } : {})
 *   return { items: read(answer.json()), next: nextLink(answer) }
 * }
 */
export function nextLink({ url, headers }: Pick<HttpResponse, 'url' | 'headers'>): string | undefined {
  for (const [, target = '', parameters = ''] of (headers['link'] ?? '').matchAll(links)) {
    const named = [...parameters.matchAll(linkParameter)].map(
      ([, name = '', quoted, plain = '']) => [name.toLowerCase(), (quoted ?? plain).toLowerCase()] as const,
    )
    const relation = named.find(([name]) => name === 'rel')?.[1] ?? ''
    // A link with an anchor is about another resource.
    const isNext = relation.split(/\s+/).includes('next') && !named.some(([name]) => name === 'anchor')
    if (isNext) return URL.parse(target, url)?.href
  }
  return undefined
}

/** A link of a `Link` header and its parameters. */
const links = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)*)/g
const linkParameter = /;\s*([\w!#$&+.^`|~*-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?/g
