/** The cases of the list that was shown last, in its order, and its address. Kept for this tab, also when it is reloaded. */
interface RememberedList {
  readonly search: string
  readonly ids: readonly string[]
}

const place = 'tocsin.cases.list'
const maxIds = 2_000

export function rememberList(ids: readonly string[]): void {
  const list: RememberedList = { search: location.search, ids: ids.slice(0, maxIds) }
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
}

/** The cases before and after this one in the list; undefined if the list does not have it. */
export function neighboursOf(id: string, text: string | null): Neighbours | undefined {
  const { search, ids } = readList(text)
  const at = ids.findIndex((each) => each.toLowerCase() === id.toLowerCase())
  if (at === -1) return undefined
  return {
    previous: ids[at - 1],
    next: ids[at + 1],
    position: at + 1,
    count: ids.length,
    list: `/cases${search}`,
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
  const { search, ids } = value ?? {}
  const areIds = Array.isArray(ids) && ids.every((each) => typeof each === 'string')
  return {
    search: typeof search === 'string' && (search === '' || search.startsWith('?')) ? search : '',
    ids: areIds ? ids : [],
  }
}
