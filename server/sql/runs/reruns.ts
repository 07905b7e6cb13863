import type { Work } from '../database/work.ts'
/**
 * Retries. A retry begins with a copy of the journal of its original. A long journal is copied in pieces, one per write, and other
 * writes run in between. Until the copy is complete, the retry neither starts nor ends, and its journal cannot be read.
 */
import { NotFoundError } from '../../../core/errors/errors.ts'
import { requireRetriable } from '../../../core/transitions/run.ts'
import { unfinishedStates } from '../../../core/transitions/step.ts'
import type { RunRequester } from '../../../core/ports/runs/run-store.ts'
import type { Database } from '../database/database.ts'
import { PieceBudget } from '../database/piece-budget.ts'
import type { OrganizationKey } from '../access/organization-store.ts'
import { requireRunRow, type RunRow } from './run-rows.ts'

/** Paths per row of `journal_copies`; each piece rewrites one row. */
const pathsOfRow = 500

/** Key of a run by uuid, if its journal exists and is complete. */
export const runWithJournal = `(SELECT id FROM runs WHERE uuid = ? AND pruned_at IS NULL
  AND (retry_of IS NULL OR NOT EXISTS (SELECT 1 FROM journal_copies WHERE run_id = runs.id)))`

/** Whether a later run retries run `t` or has investigated its alert. */
export const isSuperseded = `(
  EXISTS (SELECT 1 FROM runs later WHERE later.retry_of = t.id)
  OR EXISTS (SELECT 1 FROM runs later WHERE later.alert_id = t.alert_id AND later.id > t.id))`

export function* hasSuccessor(database: Database, uuid: string): Work<boolean> {
  return (
    (yield* database.get(`SELECT 1 FROM runs t WHERE t.uuid = ? AND ${isSuperseded}`, uuid)) !== undefined
  )
}

/** Inside of a write. The run to retry: it has ended, and no later run replaces it. */
export function* requireLast(database: Database, organization: OrganizationKey, uuid: string): Work<RunRow> {
  const run = yield* requireRunRow(database, 'uuid', uuid)
  if (run.organizationUuid !== organization.uuid)
    throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
  requireRetriable(run, yield* hasSuccessor(database, uuid))
  return run
}

/** Thrown inside of a write, which is repeated when the journal of the run is complete. */
export class IncompleteJournalError extends Error {
  readonly run: number

  constructor(run: number) {
    super(`the journal of the run in row ${run} is still being copied`)
    this.run = run
  }
}

/** @throws IncompleteJournalError while a part of the journal of this retry is not copied yet */
export function* requireCompleteCopy(database: Database, run: number): Work<void> {
  if (!(yield* isCopyComplete(database, run))) throw new IncompleteJournalError(run)
}

export function* isCopyComplete(database: Database, run: number): Work<boolean> {
  return (yield* database.get('SELECT 1 FROM journal_copies WHERE run_id = ?', run)) === undefined
}

/** Row of the run if a part of its journal is not copied yet. */
export function* unfinishedCopy(database: Database, uuid: string): Work<number | undefined> {
  return (yield* database.get<{ run: number }>(
    'SELECT run_id AS run FROM journal_copies WHERE run_id = (SELECT id FROM runs WHERE uuid = ?) LIMIT 1',
    uuid,
  ))?.run
}

/**
 * Inside of the write that inserts the run. Copies the first piece and records the rest for `copyPiece`. Entries keep the run that
 * executed the step, across several retries.
 *
 * @param paths in the order of the journal
 */
export function* copyJournal(
  database: Database,
  from: Pick<RunRow, 'id'>,
  to: number,
  { paths, drops }: { readonly paths: readonly string[]; readonly drops: boolean },
): Work<void> {
  const copied = yield* copyPaths(database, from.id, to, paths)
  for (let at = copied; at < paths.length; at += pathsOfRow)
    yield* database.run(
      'INSERT INTO journal_copies (run_id, paths, drops) VALUES (?, ?, ?)',
      to,
      JSON.stringify(paths.slice(at, at + pathsOfRow)),
      Number(drops),
    )
}

/** Inside of a write. Undefined: nothing was left to copy. */
export function* copyPiece(database: Database, run: number): Work<{ readonly drops: boolean } | undefined> {
  const piece = yield* database.get<{ id: number; paths: string; drops: 0 | 1; origin: number }>(
    `SELECT c.id, c.paths, c.drops, r.retry_of AS origin FROM journal_copies c JOIN runs r ON r.id = c.run_id
     WHERE c.run_id = ? ORDER BY c.id LIMIT 1`,
    run,
  )
  if (piece === undefined) return undefined
  const paths = JSON.parse(piece.paths) as readonly string[]
  const left = paths.slice(yield* copyPaths(database, piece.origin, run, paths))
  if (left.length === 0) yield* database.run('DELETE FROM journal_copies WHERE id = ?', piece.id)
  else yield* database.run('UPDATE journal_copies SET paths = ? WHERE id = ?', JSON.stringify(left), piece.id)
  return { drops: piece.drops === 1 }
}

/**
 * The paths of a piece, with their run. Joined by CROSS JOIN, and with a run that PostgreSQL does not know beforehand, so that both
 * databases look up each path instead of reading all lines of the run for each piece.
 */
const wantedPaths = '(SELECT DISTINCT CAST(? AS bigint) AS run, value FROM json_each(?)) wanted'

/** Copies as many paths as one write may, and gives their number. */
function* copyPaths(database: Database, from: number, to: number, paths: readonly string[]): Work<number> {
  const count = yield* fitting(database, from, paths)
  const wanted = JSON.stringify(paths.slice(0, count))
  yield* database.run(
    `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, carried_from)
     SELECT ?, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, coalesce(carried_from, run_id)
     FROM ${wantedPaths} CROSS JOIN journal ON run_id = wanted.run AND path = wanted.value
     WHERE state NOT IN (?, ?) ORDER BY journal.id`,
    to,
    from,
    wanted,
    ...unfinishedStates,
  )
  yield* database.run(
    `INSERT INTO failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at)
     SELECT ?, path, attempt, error, started_at, ended_at, retry_at
     FROM ${wantedPaths} CROSS JOIN failed_attempts ON run_id = wanted.run AND failed_attempts.path = wanted.value`,
    to,
    from,
    wanted,
  )
  return count
}

/** At least one. */
function* fitting(database: Database, run: number, paths: readonly string[]): Work<number> {
  const budget = new PieceBudget()
  const first = paths.slice(0, budget.rows)
  const sizes = yield* database.all<{ path: string; rows: number; bytes: number }>(
    `SELECT path, 1 + (SELECT count(*) FROM failed_attempts f WHERE f.run_id = j.run_id AND f.path = j.path) AS rows,
       coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) AS bytes
     FROM ${wantedPaths} CROSS JOIN journal j ON j.run_id = wanted.run AND j.path = wanted.value`,
    run,
    JSON.stringify(first),
  )
  const sizeOf = new Map(sizes.map((size) => [size.path, size]))
  const beyond = first.findIndex((path) => {
    if (budget.isSpent) return true
    const { rows, bytes } = sizeOf.get(path) ?? { rows: 1, bytes: 0 }
    budget.take(rows, bytes)
    return false
  })
  return beyond === -1 ? first.length : beyond
}

const selectRequesters = `
  WITH RECURSIVE line (uuid, alert_id, retry_of) AS (
    SELECT uuid, alert_id, retry_of FROM runs WHERE uuid = ?
    UNION ALL SELECT r.uuid, r.alert_id, r.retry_of FROM runs r JOIN line ON r.id = line.retry_of
  )
  SELECT a.actor_id AS id, a.at FROM line CROSS JOIN audit a ON a.subject_id = line.uuid
    WHERE a.action IN ('run.started', 'run.retried') AND a.entry ->> '$.actor.kind' IN ('api_key', 'account')
  UNION SELECT k.public_id, alerts.created_at FROM line JOIN alerts ON alerts.id = line.alert_id JOIN api_keys k ON k.uuid = alerts.created_by
  UNION SELECT ac.uuid, alerts.created_at FROM line JOIN alerts ON alerts.id = line.alert_id JOIN accounts ac ON ac.uuid = alerts.created_by`

/** See `RunStore.requesters`. */
export const requestersOf = (database: Database, uuid: string): Work<readonly RunRequester[]> =>
  database.all<RunRequester>(selectRequesters, uuid)
