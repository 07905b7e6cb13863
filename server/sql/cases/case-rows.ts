import { together, type Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Case } from '../../../core/domain/case.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { NewCase } from '../../../core/plugin/index.ts'
import { newCaseFields, storedCaseFields } from '../../../core/transitions/case.ts'
import { openedTimes } from '../../../core/case/case-times.ts'
import { openedEntry, timelineEntry } from '../../../core/transitions/timeline.ts'
import { Computed, insertRow, pick, selectList } from '../context/rows.ts'
import { presentName, presentState, withAssignee } from './assignees.ts'
import { insertEntry } from './case-entries.ts'
import { noteCaseEvents } from '../triggers/case-events.ts'
import { areChangesAwaited } from '../events/wake-waits.ts'
import { foldAscii } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { noteAssignee } from '../notifications/note-work.ts'
import { parseCaseId } from '../database/ids.ts'
import type { OrganizationKey } from '../access/organization-store.ts'
import type { Condition } from '../database/paging.ts'

/** Fields of a case that have their own column. */
const stored = [
  ...storedCaseFields,
  'revision',
  'createdAt',
  'modifiedAt',
  'alertsDeleted',
  'runsDeleted',
  'closedAt',
  'respondedAt',
  'respondDueAt',
  'resolveDueAt',
] as const satisfies readonly (keyof Case)[]

export interface CaseRow extends Omit<Case, 'id' | 'mergedInto' | 'splitFrom'> {
  readonly id: number
  readonly mergedRow: number | null
  readonly mergedNumber: number | null
  readonly splitNumber: number | null
  readonly severityRank: number
  readonly queueRank: number
  readonly dueRank: number
  readonly closedMs: number
  readonly number: number
  readonly organizationCode: string
}

const selected = ['id', 'number', ...stored, 'severityRank', 'queueRank', 'dueRank', 'closedMs'].filter(
  (field) => field !== 'assignee',
)

export const selectCase = `
  SELECT ${selectList(selected)}, ${presentName('t.assignee')} AS assignee, ${presentState('t.assignee')} AS "assigneeState", t.merged_into AS "mergedRow",
    (SELECT number FROM cases WHERE id = t.merged_into) AS "mergedNumber",
    (SELECT number FROM cases WHERE id = t.split_from) AS "splitNumber", o.uuid AS "organizationUuid", o.code AS "organizationCode"
  FROM cases t CROSS JOIN organizations o ON o.id = t.organization_id`

export const toCase = (row: CaseRow): Case => ({
  id: composeCaseId(row.organizationCode, row.number),
  organizationUuid: row.organizationUuid,
  ...pick(row, stored),
  assigneeState: row.assigneeId === null ? null : (row.assigneeState ?? 'disabled'),
  mergedInto: row.mergedNumber === null ? null : composeCaseId(row.organizationCode, row.mergedNumber),
  splitFrom: row.splitNumber === null ? null : composeCaseId(row.organizationCode, row.splitNumber),
})

export function* findCaseRow(database: Database, id: string): Work<CaseRow | undefined> {
  const parsed = parseCaseId(id)
  if (parsed === undefined) return undefined
  return yield* database.get<CaseRow>(
    `${selectCase} WHERE t.organization_id = (SELECT id FROM organizations WHERE lower(code) = ?) AND t.number = ?`,
    foldAscii(parsed.organization),
    parsed.number,
  )
}

/** Rows whose `column`, a constant of the source, names this case. */
export function ofCase(column: string, id: string): Condition {
  const parsed = parseCaseId(id)
  return {
    sql: `${column} = (SELECT c.id FROM cases c JOIN organizations o ON o.id = c.organization_id
      WHERE lower(o.code) = ? AND c.number = ?)`,
    values: [foldAscii(parsed?.organization ?? ''), parsed?.number ?? 0],
  }
}

/** Those of these cases whose timeline has a change of this request. */
export function* casesChangedBy(
  database: Database,
  requestId: string,
  ids: readonly string[],
): Work<ReadonlySet<string>> {
  const found = yield* together(
    ids.map((id) => {
      const { sql, values } = ofCase('t.case_id', id)
      return database.get(
        `SELECT 1 AS found FROM case_entries t WHERE ${sql} AND t.kind = 'changed' AND t.request_id = ? LIMIT 1`,
        ...values,
        requestId,
      )
    }),
  )
  return new Set(ids.filter((_, index) => found[index] !== undefined))
}

/** Throws NotFoundError `case_not_found`, also for a case of another organization. */
export function* requireCaseRow(database: Database, organizationUuid: string, id: string): Work<CaseRow> {
  const row = yield* findCaseRow(database, id)
  if (row?.organizationUuid === organizationUuid) return row
  throw new NotFoundError('case_not_found', `there is no case '${id.slice(0, 64)}'`)
}

const caseRowOf = (database: Database, row: number): Work<CaseRow> =>
  database.one<CaseRow>(`${selectCase} WHERE t.id = ?`, row)

/**
 * The target of a write: the case to which the run has moved, or else the case into which this case was
 * merged. Throws NotFoundError `case_not_found`.
 */
export function* caseForWrite(
  database: Database,
  organizationUuid: string,
  id: string,
  by: Actor,
): Work<CaseRow> {
  const row = yield* requireCaseRow(database, organizationUuid, id)
  const moved =
    by.kind === 'run'
      ? yield* database.get<{ caseRow: number | null }>(
          `SELECT r.case_id AS "caseRow" FROM runs r JOIN run_moves m ON m.run_id = r.id
           WHERE r.uuid = ? AND m.case_id = ?`,
          by.id,
          row.id,
        )
      : undefined
  const now = moved?.caseRow ?? row.mergedRow
  return now === null || now === row.id ? row : yield* caseRowOf(database, now)
}

/** The case and the cases that were merged into it. */
export function* caseRowsOf(database: Database, row: number): Work<readonly number[]> {
  return [
    row,
    ...(yield* database.all<{ id: number }>('SELECT id FROM cases WHERE merged_into = ?', row)).map(
      ({ id }) => id,
    ),
  ]
}

export function* caseByRow(database: Database, row: number): Work<Case> {
  return toCase(yield* caseRowOf(database, row))
}

/** In the transaction of the case, so that a rollback leaves no gap. */
const takeNumber =
  'UPDATE organizations SET last_case_number = last_case_number + 1 WHERE id = ? RETURNING last_case_number AS number'
const takenNumber = '(SELECT last_case_number FROM organizations WHERE id = ?)'

/** Inserts the case with its number and its first timeline entry; gives both keys. */
export function* insertCase(
  database: Database,
  organization: OrganizationKey,
  changes: NewCase,
  by: Actor,
  at: number,
): Work<{ readonly row: number; readonly number: number }> {
  const assigned = yield* withAssignee(database, organization.uuid, newCaseFields(changes), by)
  const { changes: fields, notes } = assigned
  const [{ number }, row, isAwaited] = yield* together([
    database.one<{ number: number }>(takeNumber, organization.id),
    insertRow(database, 'cases', {
      organizationId: organization.id,
      number: new Computed(takenNumber, organization.id),
      ...fields,
      createdAt: at,
      modifiedAt: at,
      ...openedTimes(fields, { by, now: at, targets: organization.caseTargets }),
    }),
    areChangesAwaited(database, { organizationRow: organization.id }),
  ])
  yield* insertEntry(database, row, openedEntry(by, at))
  for (const note of notes) yield* insertEntry(database, row, timelineEntry('changed', note, by, at))
  const opened = { before: undefined, after: () => caseByRow(database, row), isAwaited }
  yield* noteCaseEvents(database, row, opened, by, at)
  if (fields.assignee !== null)
    yield* noteAssignee(database, undefined, yield* caseByRow(database, row), by, at)
  return { row, number }
}
