import { countAt, SkillError, textAt, valueAt } from 'tocsin/plugin'

/** A page of bookings or users. */
export interface PlatformPage {
  readonly items: readonly unknown[]
  /** Whether the platform reports more pages; undefined if it does not say. */
  readonly more: boolean | undefined
  /** The platform's total; null if it gives none. */
  readonly total: number | null
  /** Cursor of the next page; null if pages are numbered. */
  readonly cursor: string | null
}

/**
 * Reads `{ data, page: { totalPages, currentPage, totalElements } }`, and `{ data, next_cursor }`, which some
 * descriptions of the API have. Throws SkillError `bad_response` for anything else.
 *
 * @param asked Number of the requested page, from 0; page data with another number is ignored.
 */
export function readPage(body: unknown, asked = 0): PlatformPage {
  const items: unknown = Array.isArray(body) ? body : valueAt(body, 'data')
  if (!Array.isArray(items)) {
    throw new SkillError('bad_response', "the platform's answer has no list 'data'", {
      hint: 'check base_url: it must be the API address of the platform, not its web site or a proxy',
    })
  }
  const page = valueAt(body, 'page')
  const pages = countAt(page, 'totalPages')
  const current = countAt(page, 'currentPage')
  const cursor = textAt(body, 'next_cursor') ?? textAt(page, 'next_cursor')
  const counted = pages === null || current !== asked ? undefined : current + 1 < pages
  return {
    items,
    more: cursor === null ? counted : true,
    total: countAt(page, 'totalElements'),
    cursor,
  }
}
