import type { CaseChange } from '../../api/types.ts'

/** Cases to change: as they were seen, or all that match the filters of the list. */
export type BulkChoice =
  | { readonly cases: readonly RevisedCase[] }
  | { readonly filter: Readonly<Record<string, unknown>>; readonly since: number; readonly total: number }

export interface RevisedCase {
  readonly case_id: string
  readonly revision: number
}

/** Result for one case, as in the API. */
export interface BulkResult {
  readonly case_id: string
  readonly outcome: 'changed' | 'unchanged' | 'refused'
  readonly revision: number | null
  readonly before: CaseChange | null
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | null
}

/** Limit of the API. */
export const maxCases = 200

export const countOf = (choice: BulkChoice): number =>
  'cases' in choice ? choice.cases.length : choice.total

/** The only organization of the cases; undefined if there are several, or it is unknown. */
export function organizationOf(choice: BulkChoice): string | undefined {
  if (!('cases' in choice)) {
    const { organization } = choice.filter
    return typeof organization === 'string' ? organization : undefined
  }
  const codes = new Set(choice.cases.map(({ case_id: id }) => id.replace(/-\d+$/, '')))
  const [code] = codes
  return codes.size === 1 ? code : undefined
}

/** Parts of a list for one request each. */
export function piecesOf<Item>(items: readonly Item[], size = maxCases): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, piece) => items.slice(piece * size, (piece + 1) * size))
}

/** The requests that undo these changes: cases with the same earlier values together. */
export function undoRequests(
  results: readonly BulkResult[],
): readonly { readonly cases: readonly RevisedCase[]; readonly changes: CaseChange }[] {
  const groups = new Map<string, { readonly cases: RevisedCase[]; readonly changes: CaseChange }>()
  for (const { case_id, outcome, revision, before } of results) {
    if (outcome !== 'changed' || revision === null || before === null) continue
    const changes = reversed(before)
    const key = JSON.stringify(changes)
    const group = groups.get(key) ?? { cases: [], changes }
    groups.set(key, group)
    group.cases.push({ case_id, revision })
  }
  return [...groups.values()]
}

/** A case that becomes open has no closing reason; sending an empty one is allowed, and unnecessary. */
function reversed(before: CaseChange): CaseChange {
  if (before.status === undefined || before.status === 'closed') return before
  const { closing_reason: _, resolution: __, ...changes } = before
  return changes
}

/** Filters of the list as in the body of a request: times are numbers there. */
export function filterBody(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = Object.entries(query).filter(([name, value]) => name !== 'sort' && value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, name.startsWith('created_') ? Number(value) : value]),
  )
}

export interface Tally {
  readonly changed: number
  readonly unchanged: number
  readonly refused: readonly BulkResult[]
}

export const tally = (results: readonly BulkResult[]): Tally => ({
  changed: results.filter(({ outcome }) => outcome === 'changed').length,
  unchanged: results.filter(({ outcome }) => outcome === 'unchanged').length,
  refused: results.filter(({ outcome }) => outcome === 'refused'),
})

/** The result of a finished change, e.g. `Closed 7 cases, 2 unchanged`. */
export function bulkOutcomeText(
  done: string,
  results: readonly BulkResult[],
  /** Number of cases of a request that was not answered. */
  unknown: number,
): string {
  const { changed, unchanged } = tally(results)
  const rest = unchanged > 0 ? `, ${unchanged.toLocaleString()} unchanged` : ''
  const known = `${done} ${casesText(changed)}${rest}`
  if (unknown === 0) return known
  const unsure =
    unknown === 1
      ? 'It is unknown whether 1 case was changed.'
      : `It is unknown how many of ${casesText(unknown)} were changed.`
  return results.length === 0 ? unsure : `${known}. ${unsure}`
}

export const casesText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'case' : 'cases'}`
