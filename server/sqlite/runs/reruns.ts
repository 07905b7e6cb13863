import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import { runPruned } from '../../../core/rerun/pruned.ts'
import { runSuperseded } from '../../../core/rerun/superseded.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationKey } from '../access/organization-store.ts'
import { requireRunRow, type RunRow } from './run-rows.ts'

/** Whether a later run went on from the run `t`, or investigated its alert: what it did is not in the journal of this one. */
export const isSuperseded = `(
  EXISTS (SELECT 1 FROM runs later WHERE later.retry_of = t.id)
  OR EXISTS (SELECT 1 FROM runs later WHERE later.alert_id = t.alert_id AND later.id > t.id))`

export function hasSuccessor(database: Database, uuid: string): boolean {
  return database.get(`SELECT 1 FROM runs t WHERE t.uuid = ? AND ${isSuperseded}`, uuid) !== undefined
}

/** Inside of a write. The run that is to be gone on from: it has ended, and it is the last word. */
export function requireLast(database: Database, organization: OrganizationKey, uuid: string): RunRow {
  const run = requireRunRow(database, 'uuid', uuid)
  if (run.organizationUuid !== organization.uuid)
    throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
  if (run.endedAt === null) {
    throw new ConflictError(
      'run_not_ended',
      `the run ${uuid} is ${run.status}: only what has ended is retried`,
    )
  }
  if (hasSuccessor(database, uuid)) throw runSuperseded(uuid)
  if (run.prunedAt !== null) throw runPruned(uuid)
  return run
}

/** Inside of a write. Entries keep the name of the run that did the work, also from one retry to the next. */
export function copyJournal(database: Database, from: RunRow, to: number, paths: readonly string[]): void {
  const wanted = JSON.stringify(paths)
  database.run(
    `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, carried_from)
     SELECT ?, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, ifnull(carried_from, run_id)
     FROM journal WHERE run_id = ? AND state NOT IN ('started', 'unknown') AND path IN (SELECT value FROM json_each(?))
     ORDER BY id`,
    to,
    from.id,
    wanted,
  )
  database.run(
    `INSERT INTO failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at)
     SELECT ?, path, attempt, error, started_at, ended_at, retry_at
     FROM failed_attempts WHERE run_id = ? AND path IN (SELECT value FROM json_each(?))`,
    to,
    from.id,
    wanted,
  )
}
