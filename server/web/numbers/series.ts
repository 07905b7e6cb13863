/** The values of one name, one for each period; null: none. */
export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
}

export interface Periods {
  readonly from: number
  readonly to: number
  readonly period_ms: number
}

/** The starts of all periods, also of those without rows. */
export function startsOf({ from, to, period_ms: period }: Periods): readonly number[] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / period)) }, (_, at) => from + at * period)
}

interface Point {
  readonly at: number | null
  readonly name: string
  readonly value: number | null
}

/** Series of the most frequent names; the others are joined. */
export function seriesOf(
  starts: readonly number[],
  points: readonly Point[],
  { most = 8, blank = null }: { readonly most?: number; readonly blank?: number | null } = {},
): readonly Series[] {
  const totals = new Map<string, number>()
  for (const { name, value } of points) totals.set(name, (totals.get(name) ?? 0) + (value ?? 0))
  const names = [...totals].toSorted((a, b) => b[1] - a[1]).map(([name]) => name)
  const kept = new Set(names.length > most ? names.slice(0, most - 1) : names)
  const byName = new Map<string, Map<number, number | null>>()
  for (const { at, name: given, value } of points) {
    if (at === null) continue
    const name = kept.has(given) ? given : '(other)'
    const values = byName.get(name) ?? new Map<number, number | null>()
    byName.set(name, values)
    values.set(at, value === null ? null : (values.get(at) ?? 0) + value)
  }
  return Array.from(byName, ([name, values]) => ({
    name,
    values: starts.map((at) => values.get(at) ?? blank),
  })).toSorted((a, b) => order(names, a.name) - order(names, b.name))
}

const order = (names: readonly string[], name: string): number => {
  const at = names.indexOf(name)
  return at === -1 ? names.length : at
}
