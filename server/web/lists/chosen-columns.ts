/** Titles of shown columns. Null: the default. Anything unexpected in the storage counts as the default. */
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
  readonly title: string
  readonly isExtra?: boolean
  readonly isOptional?: boolean
}

/** The columns to show: those that the user chose, in the order of the table. The first one always stays. */
export function shownColumns<Column extends Titled>(
  columns: readonly Column[],
  chosen: readonly string[] | null,
): readonly Column[] {
  if (chosen === null) return columns.filter(({ isOptional }) => isOptional !== true)
  const wanted = columns.filter(({ title }, index) => index === 0 || chosen.includes(title))
  // What the user chose is not hidden on narrow pages.
  return wanted.map((column) => ({ ...column, isExtra: false }))
}
