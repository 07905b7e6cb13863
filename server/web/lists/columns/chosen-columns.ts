/** Titles of the shown columns in their order. Null: the default. Anything unexpected in the storage counts as the default. */
export function readColumns(text: string | undefined): readonly string[] | null {
  let value: unknown
  try {
    value = JSON.parse(text ?? 'null')
  } catch {
    return null
  }
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null
}

interface Titled {
  /** Empty: buttons, which are always shown, at the end. */
  readonly title: string
  readonly isExtra?: boolean
  readonly isOptional?: boolean
}

/** The columns to show: those that the user chose, in that order, between the first column and the buttons, which always stay. */
export function shownColumns<Column extends Titled>(
  columns: readonly Column[],
  chosen: readonly string[] | null,
): readonly Column[] {
  if (chosen === null) return columns.filter(({ isOptional }) => isOptional !== true)
  const [first, ...others] = columns
  const wanted = [...new Set(chosen)].flatMap((title) =>
    others.filter((column) => column.title === title && title !== ''),
  )
  const shown = [...(first ? [first] : []), ...wanted, ...others.filter(({ title }) => title === '')]
  // What the user chose is not hidden on narrow pages.
  return shown.map((column) => ({ ...column, isExtra: false }))
}

/** A title moved by one place, towards the start or the end; the same list at its edge. */
export function movedTitle(titles: readonly string[], title: string, by: 1 | -1): readonly string[] {
  const from = titles.indexOf(title)
  const to = from + by
  if (from === -1 || to < 0 || to >= titles.length) return titles
  return titles.with(from, titles[to]!).with(to, title)
}
