/** Filters saved under a name. */
export interface SavedFilter {
  readonly name: string
  /** As in the URL, e.g. `status=20&sort=created_at`. */
  readonly search: string
}

const maxSaved = 30

/** Parses the stored text. Anything unexpected counts as empty. */
export function readSaved(text: string | null): readonly SavedFilter[] {
  let value: unknown
  try {
    value = JSON.parse(text ?? '[]')
  } catch {
    return []
  }
  return Array.isArray(value) ? value.filter(isSavedFilter).slice(0, maxSaved) : []
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null) return false
  const { name, search } = value as Partial<Record<string, unknown>>
  return typeof name === 'string' && typeof search === 'string'
}

/** The limit is reached, and the name is new. */
export const isWithoutRoom = (saved: readonly SavedFilter[], name: string): boolean =>
  saved.length >= maxSaved && saved.every((each) => each.name !== name)

/** Sorted by name. The same name is replaced. */
export function withSaved(saved: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  return [...saved.filter(({ name }) => name !== added.name), added]
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, maxSaved)
}
