import type { Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { CaseEdit } from '../../../core/domain/case.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import type { CaseChanges } from '../../../core/plugin/index.ts'
import {
  closesCase,
  assessedAgain,
  assessedChanges,
  assessedFields,
  type AssessedField,
  type Assessment,
} from '../../../core/transitions/correlate/assessment.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { CaseRow } from './case-rows.ts'

/** Assessments of a case, in the order in which their sources came. */
export const assessmentsOf = (database: Database, caseRow: number): Work<readonly Assessment[]> =>
  database.all<Assessment>(
    'SELECT source, name, severity, verdict, summary FROM case_assessments WHERE case_id = ? ORDER BY at, source',
    caseRow,
  )

export const sourceOfAlert = (alertRow: number): string => `alert/${alertRow}`

export function* decidedIn(database: Database, caseRow: number): Work<readonly AssessedField[]> {
  return (
    fromJson<readonly AssessedField[]>(
      (yield* database.one<{ decided: string | null }>('SELECT decided FROM cases WHERE id = ?', caseRow))
        .decided,
    ) ?? []
  )
}

/** Inside of the write: records the result of a run for a case, and returns the effective changes. */
export function* assess(
  database: Database,
  row: CaseRow,
  changes: CaseChanges,
  by: Actor,
  now: number,
): Work<{ readonly changes: CaseEdit; readonly kept: readonly string[] }> {
  const { source, name, alertRow } = yield* sourceOf(database, by)
  const isAssessed = assessedFields.some((field) => changes[field] !== undefined)
  let assessments = yield* assessmentsOf(database, row.id)
  if (isAssessed) {
    const earlier = assessments.find((each) => each.source === source)
    const own = assessedAgain(earlier, { source, name }, changes)
    yield* keepAssessment(database, row.id, own, now)
    assessments = earlier ? assessments.map((each) => (each === earlier ? own : each)) : [...assessments, own]
  }
  return assessedChanges(changes, {
    before: row,
    decided: isAssessed ? yield* decidedIn(database, row.id) : [],
    assessments,
    source,
    hasOtherRuns: closesCase(changes) && (yield* hasOtherRuns(database, row.id, alertRow)),
  })
}

interface Source {
  readonly alertRow: number
  readonly organization: string
  readonly provider: string
  readonly sequence: number
}

function* sourceOf(database: Database, { id, name }: Actor) {
  const found = yield* database.get<Source>(
    `SELECT a.id AS "alertRow", o.code AS organization, p.code AS provider, a.sequence FROM runs r
     JOIN alerts a ON a.id = r.alert_id JOIN organizations o ON o.id = a.organization_id
     JOIN providers p ON p.id = a.provider_id WHERE r.uuid = ?`,
    id,
  )
  if (found === undefined) return { source: `playbook/${name}`, name, alertRow: null }
  const { alertRow, organization, provider, sequence } = found
  return {
    source: sourceOfAlert(alertRow),
    name: composeAlertId(organization, provider, sequence),
    alertRow,
  }
}

/** A source keeps its place. */
function* keepAssessment(
  database: Database,
  caseRow: number,
  { source, name, severity, verdict, summary }: Assessment,
  now: number,
): Work<void> {
  yield* database.run(
    `INSERT INTO case_assessments (case_id, source, name, severity, verdict, summary, at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (case_id, source) DO UPDATE SET severity = excluded.severity, verdict = excluded.verdict, summary = excluded.summary`,
    caseRow,
    source,
    name,
    severity,
    verdict,
    summary,
    now,
  )
}

/** Whether runs for other alerts of the case are active, or queued to join it. Only cases with joined alerts have some. */
function* hasOtherRuns(database: Database, caseRow: number, alertRow: number | null): Work<boolean> {
  const { joined } = yield* database.one<{ joined: number }>('SELECT joined FROM cases WHERE id = ?', caseRow)
  if (joined === 0) return false
  const found = yield* database.get(
    `SELECT 1 FROM runs WHERE case_id = ? AND alert_id IS NOT NULL AND alert_id IS DISTINCT FROM ? AND ended_at IS NULL LIMIT 1`,
    caseRow,
    alertRow,
  )
  return found !== undefined
}
