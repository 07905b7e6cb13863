import type { Page } from './alert-record.ts'

/** The provider refuses pages that reach beyond this offset. */
export const furthestOffset = 1000

export interface Collected<T> {
  readonly items: readonly T[]
  /** How many the provider has for the question, null where it does not say. */
  readonly total: number | null
  /** Whether there are more than were looked at or returned. */
  readonly truncated: boolean
}

export interface PagingOptions<T> {
  /** How many to return, at most. */
  readonly limit: number
  readonly pageSize: number
  readonly keyOf: (item: T) => string
  /** Which items count. Absent: all. */
  readonly wanted?: ((item: T) => boolean) | undefined
  readonly readPage: (from: number, limit: number) => Promise<Page<T>>
}

/**
 * Reads page after page until `limit` items are found, the list ends, or the provider goes no further. New items push older
 * ones onto the next page meanwhile, so each is taken once by its key.
 */
export async function collect<T>(options: PagingOptions<T>): Promise<Collected<T>> {
  const { limit, pageSize, keyOf, wanted = () => true, readPage } = options
  const found = new Map<string, T>()
  for (let examined = 0; ;) {
    const missing = options.wanted ? pageSize : limit - found.size
    const asked = Math.min(pageSize, missing, furthestOffset - examined)
    const page = await readPage(examined, asked)
    examined += page.items.length
    for (const item of page.items) if (wanted(item)) found.set(keyOf(item), item)
    const ended =
      page.items.length === 0 || (page.total === null ? page.items.length < asked : examined >= page.total)
    if (ended || found.size >= limit || examined >= furthestOffset) {
      const items = [...found.values()].slice(0, limit)
      return {
        items,
        total: page.total,
        truncated: found.size > limit || isMore(ended, examined, page.total),
      }
    }
  }
}

/** An empty page before the announced end is an end too, but then something is missing. */
function isMore(ended: boolean, examined: number, total: number | null): boolean {
  return total === null ? !ended : examined < total
}
