import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { Run, StoredError } from '../../../core/domain/run.ts'
import type { Author } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { ListedRun } from '../../../core/ports/runs/run-store.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { opened } from '../context/sealed-values.ts'

/** What the ids of a run's alert and case are made of. */
export interface OfRun {
  readonly organizationCode: string
  readonly sequence: number | null
  readonly provider: string | null
  readonly caseNumber: number | null
}

/** Beside its organization `o`. */
export const ofRun = {
  columns: 'o.code AS organizationCode, a.sequence, p.code AS provider, c.number AS caseNumber',
  joins: (run: 't' | 'r') => `LEFT JOIN alerts a ON a.id = ${run}.alert_id
    LEFT JOIN providers p ON p.id = a.provider_id
    LEFT JOIN cases c ON c.id = ${run}.case_id`,
}

/** An alert and a case belong to the organization of their run, so that its code is theirs. */
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
    Omit<Run, 'alertId' | 'caseId' | 'output' | 'error' | 'inputs' | 'cancellation' | 'exclusive'>,
    OfRun {
  readonly id: number
  readonly alertRow: number | null
  readonly caseRow: number | null
  readonly error: string | null
  readonly inputs: string | null
  readonly cancelledBy: string | null
  readonly cancelledAt: number | null
  readonly concurrencyKey: string | null
}

export interface RunRow extends ListedRunRow {
  readonly output: string | null
}

const columns = `
  t.uuid, o.uuid AS organizationUuid, t.playbook_name AS playbookName,
    t.playbook_hash AS playbookHash, t.status, t.created_at AS createdAt, t.started_at AS startedAt,
    t.ended_at AS endedAt, t.error, ${opened('t.inputs', "'inputs ' || t.uuid")} AS inputs, t.cancelled_by AS cancelledBy, t.cancelled_at AS cancelledAt,
    t.concurrency_key AS concurrencyKey, t.alert_id AS alertRow, t.case_id AS caseRow,
    ${ofRun.columns},
    (SELECT uuid FROM runs WHERE id = t.retry_of) AS retryOf,
    (SELECT uuid FROM runs later WHERE later.retry_of = t.id) AS retriedBy, t.pruned_at AS prunedAt`
const tables = `
  FROM runs t
    CROSS JOIN organizations o ON o.id = t.organization_id
    ${ofRun.joins('t')}`

export const selectListedRun = `SELECT t.id, ${columns} ${tables}`
export const selectRun = `SELECT t.id, ${opened('t.output', "'output ' || t.uuid")} AS output, ${columns} ${tables}`

const selectBy = { uuid: `${selectRun} WHERE t.uuid = ?`, id: `${selectRun} WHERE t.id = ?` }

export function toListedRun(row: ListedRunRow): ListedRun {
  const { cancelledAt } = row
  const cancelledBy = fromJson<Author>(row.cancelledBy)
  return {
    uuid: row.uuid,
    organizationUuid: row.organizationUuid,
    playbookName: row.playbookName,
    playbookHash: row.playbookHash,
    ...idsOfRun(row),
    status: row.status,
    inputs: fromJson<Run['inputs']>(row.inputs) ?? {},
    exclusive: row.concurrencyKey !== null,
    cancellation: cancelledBy === null || cancelledAt === null ? null : { by: cancelledBy, at: cancelledAt },
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    error: fromJson<StoredError>(row.error),
    retryOf: row.retryOf,
    retriedBy: row.retriedBy,
    prunedAt: row.prunedAt,
  }
}

export function toRun(row: RunRow): Run {
  return { ...toListedRun(row), output: fromJson(row.output) }
}

/** Throws NotFoundError `run_not_found`. */
export function requireRunRow(database: Database, by: 'uuid' | 'id', value: string | number): RunRow {
  const row = database.get<RunRow>(selectBy[by], value)
  if (row === undefined) throw new NotFoundError('run_not_found', `there is no run ${value}`)
  return row
}

/** A run is `waiting` exactly while a person has to answer or to decide. To be called wherever that may have changed. */
export function refreshWaiting(database: Database, runRow: number): void {
  database.run(
    `UPDATE runs SET status = CASE
       WHEN EXISTS (SELECT 1 FROM checkpoints WHERE run_id = runs.id AND state = 'waiting')
         OR EXISTS (SELECT 1 FROM journal WHERE run_id = runs.id AND state = 'unknown') THEN 'waiting'
       ELSE 'running' END
     WHERE id = ? AND status IN ('running', 'waiting')`,
    runRow,
  )
}
