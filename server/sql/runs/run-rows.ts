import type { Work } from '../database/work.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { Run, RunStatus, RunTrigger, StoredError } from '../../../core/domain/run.ts'
import type { Author } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { ListedRun } from '../../../core/ports/runs/run-store.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { insertRow, pick, sendRow, selectList, updateRow, type FieldValues } from '../context/rows.ts'
import { opened } from '../context/sealed-values.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import { newRunStatus, waitingStatus } from '../../../core/transitions/run.ts'
import { stepState } from '../../../core/transitions/step.ts'

/** The parts of the ids of a run's alert and case. */
export interface OfRun {
  readonly organizationCode: string
  readonly sequence: number | null
  readonly provider: string | null
  readonly caseNumber: number | null
}

/** For queries that join the organization as `o`. */
export const ofRun = {
  columns: 'o.code AS "organizationCode", a.sequence, p.code AS provider, c.number AS "caseNumber"',
  joins: (run: 't' | 'r') => `LEFT JOIN alerts a ON a.id = ${run}.alert_id
    LEFT JOIN providers p ON p.id = a.provider_id
    LEFT JOIN cases c ON c.id = ${run}.case_id`,
}

/** An alert and a case have the organization of their run. */
export function idsOfRun({ organizationCode, sequence, provider, caseNumber }: OfRun) {
  return {
    alertId:
      sequence === null || provider === null ? null : composeAlertId(organizationCode, provider, sequence),
    caseId: caseNumber === null ? null : composeCaseId(organizationCode, caseNumber),
  }
}

/** A row without its output, which may be large. */
export interface ListedRunRow
  extends
    Omit<
      Run,
      'alertId' | 'caseId' | 'output' | 'error' | 'inputs' | 'trigger' | 'cancellation' | 'exclusive'
    >,
    OfRun {
  readonly id: number
  readonly alertRow: number | null
  readonly caseRow: number | null
  readonly error: string | null
  readonly inputs: string | null
  readonly triggerData: string | null
  readonly cancelledBy: string | null
  readonly cancelledAt: number | null
  readonly concurrencyKey: string | null
  readonly rate: string | null
  readonly wakeAt: number | null
}

export interface RunRow extends ListedRunRow {
  readonly output: string | null
}

/** Fields of a run that have their own column. */
const stored = [
  'uuid',
  'playbookName',
  'playbookHash',
  'status',
  'createdAt',
  'startedAt',
  'endedAt',
  'prunedAt',
] as const satisfies readonly (keyof ListedRun)[]
/** Columns that fields are composed of. */
const parts = [
  'error',
  'cancelledBy',
  'cancelledAt',
  'concurrencyKey',
  'rate',
  'wakeAt',
  'alertRow',
  'caseRow',
] as const

const columnNames = { alertRow: 'alert_id', caseRow: 'case_id', organizationRow: 'organization_id' }

const columns = `
  ${selectList([...stored, ...parts], columnNames)}, o.uuid AS "organizationUuid",
    ${opened('t.inputs', "'inputs ' || t.uuid")} AS inputs, ${ofRun.columns},
    (SELECT uuid FROM runs WHERE id = t.retry_of) AS "retryOf",
    (SELECT uuid FROM runs later WHERE later.retry_of = t.id) AS "retriedBy"`
const tables = `
  FROM runs t
    CROSS JOIN organizations o ON o.id = t.organization_id
    ${ofRun.joins('t')}`

const triggerPlace = "'trigger ' || t.uuid"
const trigger = opened('t.trigger_data', triggerPlace)
/** Without the body of a webhook, which can be large. A sealed trigger is read completely. */
const shortTrigger = opened(
  't.trigger_data',
  triggerPlace,
  `'{"kind":' || (t.trigger_data -> '$.kind') || ',"at":' || (t.trigger_data -> '$.at') || ',"chain":' || coalesce(t.trigger_data -> '$.chain', '[]') || '}'`,
)

export const selectListedRun = `SELECT t.id, ${shortTrigger} AS "triggerData", ${columns} ${tables}`
export const selectRun = `
  SELECT t.id, ${opened('t.output', "'output ' || t.uuid")} AS output, ${trigger} AS "triggerData", ${columns} ${tables}`

const selectBy = { uuid: `${selectRun} WHERE t.uuid = ?`, id: `${selectRun} WHERE t.id = ?` }

export function toListedRun(row: ListedRunRow): ListedRun {
  const { cancelledAt, organizationUuid, retryOf, retriedBy } = row
  const cancelledBy = fromJson<Author>(row.cancelledBy)
  return {
    ...pick(row, stored),
    ...idsOfRun(row),
    organizationUuid,
    inputs: fromJson<Run['inputs']>(row.inputs) ?? {},
    ...(row.triggerData !== null && { trigger: fromJson<RunTrigger>(row.triggerData) ?? undefined }),
    exclusive: row.concurrencyKey !== null,
    cancellation: cancelledBy === null || cancelledAt === null ? null : { by: cancelledBy, at: cancelledAt },
    error: fromJson<StoredError>(row.error),
    retryOf,
    retriedBy,
    ...heldOf(row),
  }
}

/** A queued run has a time only while it waits for the rate limit of its playbook. */
function heldOf({ rate, status, wakeAt }: ListedRunRow): Pick<Run, 'heldUntil'> {
  const isHeld = rate !== null && status === newRunStatus && wakeAt !== null && wakeAt > 0
  return isHeld && wakeAt < Number.MAX_SAFE_INTEGER ? { heldUntil: wakeAt } : {}
}

/** What is common to all triggers. */
export function toRunOfList(row: ListedRunRow): ListedRun {
  const { trigger: whole, ...run } = toListedRun(row)
  if (whole === undefined) return run
  const { kind, at, chain } = whole
  return { ...run, trigger: { kind, at, chain } }
}

export function toRun(row: RunRow): Run {
  return { ...toListedRun(row), output: fromJson(row.output) }
}

/** Throws NotFoundError `run_not_found`. */
export function* requireRunRow(database: Database, by: 'uuid' | 'id', value: string | number): Work<RunRow> {
  const row = yield* database.get<RunRow>(selectBy[by], value)
  if (row === undefined) throw new NotFoundError('run_not_found', `there is no run ${value}`)
  return row
}

/** Inside of a write. Gives the key of the row. */
export const insertRun = (database: Database, values: FieldValues): Work<number> =>
  insertRow(database, 'runs', values, columnNames)

/** Like `insertRun`, without waiting for the key. */
export const sendRun = (
  database: Database,
  values: FieldValues & { readonly uuid: string },
): Work<undefined> =>
  sendRow(database, 'runs', values, (row) => database.rowsOfRuns.set(values.uuid, row), columnNames)

/** Inside of a write. */
export const changeRun = (database: Database, row: number, values: FieldValues): Work<void> =>
  updateRow(database, 'runs', row, values, columnNames)

const selectWaits = `SELECT status, EXISTS (SELECT 1 FROM checkpoints WHERE run_id = runs.id AND state = ?)
  OR EXISTS (SELECT 1 FROM journal WHERE run_id = runs.id AND state = '${stepState.unknown}') AS waits FROM runs WHERE id = ?`

/** Inside of each write that opens or closes a question, or changes whether the outcome of a step is unknown. */
export function* refreshWaiting(database: Database, runRow: number): Work<void> {
  const run = yield* database.one<{ status: RunStatus; waits: 0 | 1 }>(selectWaits, openQuestion, runRow)
  const status = waitingStatus(run.status, run.waits === 1)
  if (status !== run.status) yield* changeRun(database, runRow, { status })
}
