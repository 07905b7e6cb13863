import { countAt, SkillError, textAt, valueAt } from 'tocsin/plugin'

/** A page of bookings or users. */
export interface PlatformPage {
  readonly items: readonly unknown[]
  /** Whether the platform says that there are more; undefined where it does not say. */
  readonly more: boolean | undefined
  /** How many there are in all, null where the platform does not say. */
  readonly total: number | null
  /** What to ask the next page with, null where pages have numbers. */
  readonly cursor: string | null
}

/**
 * Reads `{ data, page: { totalPages, currentPage, totalElements } }`, and `{ data, next_cursor }`, which some descriptions of the API
 * have. Throws SkillError `bad_response` for anything else.
 *
 * @param asked The number of the page that was asked for, from 0: what is said of another one says nothing about the rest of the list.
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
