import type { ObservableKind } from '../../../core/plugin/index.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { StoredError } from '../../../core/domain/run.ts'
import type { SeenFinding, SeenObservable } from '../../../core/ports/derived/observable-store.ts'
import type { ObservableKey } from '../../../core/observable/normalize-observable.ts'
import { fromJson } from '../database/columns.ts'
import type { Condition } from '../database/paging.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { scopeConditions } from '../context/scope.ts'

export interface ObservableRow extends SeenObservable {
  readonly id: number
}

export const selectObservable = `
  SELECT t.id, t.kind, t.value, o.uuid AS "organizationUuid", o.code AS "organizationCode", t.first_at AS "firstAt", t.last_at AS "lastAt",
    t.alerts, t.cases, t.runs
  FROM observables t CROSS JOIN organizations o ON o.id = t.organization_id`

export const toObservable = ({ id: _, ...row }: ObservableRow): SeenObservable => row

export interface FindingRow {
  readonly id: number
  readonly kind: ObservableKind
  readonly value: string
  readonly path: string
  readonly source: string
  readonly at: number
  readonly score: number | null
  readonly level: string | null
  readonly summary: string | null
  readonly error: string | null
  readonly runUuid: string
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly caseNumber: number | null
}

export const selectFinding = `
  SELECT t.id, v.kind, v.value, t.path, t.source, t.at, t.score, t.level, t.summary, t.error, r.uuid AS "runUuid",
    o.uuid AS "organizationUuid", o.code AS "organizationCode", c.number AS "caseNumber"
  FROM observable_findings t CROSS JOIN observables v ON v.id = t.observable_id CROSS JOIN runs r ON r.id = t.run_id
    CROSS JOIN organizations o ON o.id = v.organization_id LEFT JOIN cases c ON c.id = r.case_id`

export function toFinding(row: FindingRow): SeenFinding {
  const { id: _, kind, value, caseNumber, organizationCode, error, ...finding } = row
  return {
    ...finding,
    observable: { kind, value },
    error: fromJson<Pick<StoredError, 'code' | 'message'>>(error),
    caseId: caseNumber === null ? null : composeCaseId(organizationCode, caseNumber),
  }
}

/** A range, so that the index of values finds them. */
export const beginsWith = (prefix: string): Condition => ({
  sql: 't.value >= ? AND t.value < ?',
  values: [prefix, `${prefix}\u{10FFFF}`],
})

/** Rows of a list that have the observable, by the table of their links. */
export const havingObservable = (
  table: 'alerts' | 'runs' | 'cases',
  observable: ObservableKey | undefined,
): readonly Condition[] =>
  observable === undefined
    ? []
    : [
        {
          sql: `t.id IN (SELECT l.${table.slice(0, -1)}_id FROM observables v JOIN observable_${table} l ON l.observable_id = v.id
            WHERE v.value = ? AND v.kind = ?)`,
          values: [observable.value, observable.kind],
        },
      ]

/** Rows of `observables` with alias `t`: one in each organization of the scope, or all. */
export function isObservable(scope: OrganizationScope, observable: ObservableKey | undefined): Condition {
  const conditions = [
    ...(observable === undefined
      ? []
      : [{ sql: 't.value = ? AND t.kind = ?', values: [observable.value, observable.kind] }]),
    ...scopeConditions(scope, 't.organization_id'),
  ]
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  }
}
