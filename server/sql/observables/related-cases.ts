import { eachTogether, type Work } from '../database/work.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { CountedInCases } from '../../../core/observable/related-cases.ts'
import type { RelatedCase } from '../../../core/ports/derived/observable-store.ts'
import type { ObservableKey } from '../../../core/observable/normalize-observable.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** Observables of a case that are looked at: the rarest. */
const maxRead = 1_000
/** Shared observables that are named for each case. */
const maxShared = 5

const selectObservables = `
  SELECT t.id, t.kind, t.value, t.cases FROM observable_cases l JOIN observables t ON t.id = l.observable_id
  WHERE l.case_id = ? AND t.cases > 1 ORDER BY t.cases, t.id LIMIT ${maxRead}`

const selectRelated = `
  SELECT c.id AS row, o.code AS "organizationCode", c.number, c.title, c.status, c.severity, c.verdict, c.created_at AS "createdAt",
    count(*) AS shared
  FROM observable_cases l JOIN cases c ON c.id = l.case_id JOIN organizations o ON o.id = c.organization_id
  WHERE l.observable_id IN (SELECT CAST(value AS bigint) FROM json_each(?)) AND l.case_id <> ?
  GROUP BY c.id, o.id ORDER BY shared DESC, c.id DESC LIMIT ?`

interface RelatedRow extends Omit<RelatedCase, 'caseId' | 'shared' | 'sharedTotal'> {
  readonly row: number
  readonly organizationCode: string
  readonly number: number
  readonly shared: number
}

/** Inside of a read. */
export function* relatedCases(
  database: Database,
  caseRow: number,
  relating: <T extends CountedInCases>(observables: readonly T[]) => readonly T[],
  limit: number,
): Work<readonly RelatedCase[]> {
  const chosen = relating(
    yield* database.all<CountedInCases & { readonly id: number }>(selectObservables, caseRow),
  )
  const ids = toJson(chosen.map(({ id }) => id))
  const rows = yield* database.all<RelatedRow>(selectRelated, ids, caseRow, limit)
  return yield* eachTogether(rows, function* ({ row, organizationCode, number, shared, ...found }) {
    return {
      ...found,
      caseId: composeCaseId(organizationCode, number),
      shared: yield* database.all<ObservableKey>(
        `SELECT t.kind, t.value FROM observable_cases l JOIN observables t ON t.id = l.observable_id
         WHERE l.case_id = ? AND l.observable_id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY t.cases, t.id LIMIT ${maxShared}`,
        row,
        ids,
      ),
      sharedTotal: shared,
    }
  })
}
