import type { ApiCase, ApiPage } from '../../api/types.ts'

/** The cases of the list that was shown last, in its order, and its address. Kept for this tab, also when it is reloaded. */
interface RememberedList {
  readonly search: string
  readonly ids: readonly string[]
  /** Cases that match the filters, of which some may not be loaded. */
  readonly total: number
  /** Of the page after the loaded ones; null at the end of the list. */
  readonly cursor: string | null
}

const place = 'tocsin.cases.list'
const maxIds = 2_000

export function rememberList(ids: readonly string[], total = 0, cursor?: string): void {
  store({ search: location.search, ids, total, cursor: cursor ?? null })
}

/** Adds the next page, so that its cases become neighbours. */
export function rememberMore(page: ApiPage<Pick<ApiCase, 'case_id'>>): void {
  store(extendedList(readList(storedList()), page))
}

/** The list with its next page. */
export function extendedList(
  list: RememberedList,
  { data, total, next_cursor: cursor }: ApiPage<Pick<ApiCase, 'case_id'>>,
): RememberedList {
  const ids = [...new Set([...list.ids, ...data.map(({ case_id: id }) => id)])]
  return { ...list, ids, total, cursor }
}

function store({ ids, cursor, ...rest }: RememberedList): void {
  // The cursor belongs to the end of all ids.
  const list = { ...rest, ids: ids.slice(0, maxIds), cursor: ids.length > maxIds ? null : cursor }
  try {
    sessionStorage.setItem(place, JSON.stringify(list))
  } catch {
    // Without storage, a case has no neighbours.
  }
}

export interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
  /** From 1. */
  readonly position: number
  readonly count: number
  /** Address of the list. */
  readonly list: string
  /** The request for the cases after this one, which are not loaded; absent if they are, or if there are none. */
  readonly more: Readonly<Record<string, string>> | undefined
}

/** The cases before and after this one in the list; undefined if the list does not have it. */
export function neighboursOf(id: string, text: string | null): Neighbours | undefined {
  const { search, ids, total, cursor } = readList(text)
  const at = ids.findIndex((each) => each.toLowerCase() === id.toLowerCase())
  if (at === -1) return undefined
  return {
    previous: ids[at - 1],
    next: ids[at + 1],
    position: at + 1,
    count: Math.max(ids.length, total),
    list: `/cases${search}`,
    more:
      at === ids.length - 1 && cursor !== null
        ? { ...Object.fromEntries(new URLSearchParams(search)), cursor }
        : undefined,
  }
}

export function storedList(): string | null {
  try {
    return sessionStorage.getItem(place)
  } catch {
    return null
  }
}

/** Anything unexpected counts as empty. */
function readList(text: string | null): RememberedList {
  let value: Partial<Record<keyof RememberedList, unknown>> | null
  try {
    value = JSON.parse(text ?? 'null') as typeof value
  } catch {
    value = null
  }
  const { search, ids, total, cursor } = value ?? {}
  const areIds = Array.isArray(ids) && ids.every((each) => typeof each === 'string')
  return {
    search: typeof search === 'string' && (search === '' || search.startsWith('?')) ? search : '',
    ids: areIds ? ids : [],
    total: Number.isSafeInteger(total) ? Number(total) : 0,
    cursor: typeof cursor === 'string' ? cursor : null,
  }
}
