/**
 * Retries. A retry begins with a copy of the journal of its original. A long journal is copied in pieces, one per write, and other
 * writes run in between. Until the copy is complete, the retry neither starts nor ends, and its journal cannot be read.
 */
import { NotFoundError } from '../../../core/errors/errors.ts'
import { requireRetriable } from '../../../core/transitions/run.ts'
import { unfinishedStates } from '../../../core/transitions/step.ts'
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

export function hasSuccessor(database: Database, uuid: string): boolean {
  return database.get(`SELECT 1 FROM runs t WHERE t.uuid = ? AND ${isSuperseded}`, uuid) !== undefined
}

/** Inside of a write. The run to retry: it has ended, and no later run replaces it. */
export function requireLast(database: Database, organization: OrganizationKey, uuid: string): RunRow {
  const run = requireRunRow(database, 'uuid', uuid)
  if (run.organizationUuid !== organization.uuid)
    throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
  requireRetriable(run, hasSuccessor(database, uuid))
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
export function requireCompleteCopy(database: Database, run: number): void {
  if (!isCopyComplete(database, run)) throw new IncompleteJournalError(run)
}

export const isCopyComplete = (database: Database, run: number): boolean =>
  database.get('SELECT 1 FROM journal_copies WHERE run_id = ?', run) === undefined

/** Row of the run if a part of its journal is not copied yet. */
export const unfinishedCopy = (database: Database, uuid: string): number | undefined =>
  database.get<{ run: number }>(
    'SELECT run_id AS run FROM journal_copies WHERE run_id = (SELECT id FROM runs WHERE uuid = ?) LIMIT 1',
    uuid,
  )?.run

/**
 * Inside of the write that inserts the run. Copies the first piece and records the rest for `copyPiece`. Entries keep the run that
 * executed the step, across several retries.
 *
 * @param paths in the order of the journal
 */
export function copyJournal(
  database: Database,
  from: Pick<RunRow, 'id'>,
  to: number,
  { paths, drops }: { readonly paths: readonly string[]; readonly drops: boolean },
): void {
  const copied = copyPaths(database, from.id, to, paths)
  for (let at = copied; at < paths.length; at += pathsOfRow)
    database.run(
      'INSERT INTO journal_copies (run_id, paths, drops) VALUES (?, ?, ?)',
      to,
      JSON.stringify(paths.slice(at, at + pathsOfRow)),
      Number(drops),
    )
}

/** Inside of a write. Undefined: nothing was left to copy. */
export function copyPiece(database: Database, run: number): { readonly drops: boolean } | undefined {
  const piece = database.get<{ id: number; paths: string; drops: 0 | 1; origin: number }>(
    `SELECT c.id, c.paths, c.drops, r.retry_of AS origin FROM journal_copies c JOIN runs r ON r.id = c.run_id
     WHERE c.run_id = ? ORDER BY c.id LIMIT 1`,
    run,
  )
  if (piece === undefined) return undefined
  const paths = JSON.parse(piece.paths) as readonly string[]
  const left = paths.slice(copyPaths(database, piece.origin, run, paths))
  if (left.length === 0) database.run('DELETE FROM journal_copies WHERE id = ?', piece.id)
  else database.run('UPDATE journal_copies SET paths = ? WHERE id = ?', JSON.stringify(left), piece.id)
  return { drops: piece.drops === 1 }
}

/**
 * Copies as many paths as one write may, and gives their number. CROSS JOIN: SQLite looks up each path instead of scanning all
 * lines of the run.
 */
function copyPaths(database: Database, from: number, to: number, paths: readonly string[]): number {
  const count = fitting(database, from, paths)
  const wanted = JSON.stringify(paths.slice(0, count))
  database.run(
    `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, carried_from)
     SELECT ?, path, step_id, kind, state, input, output, error, attempt, started_at, ended_at, resolution,
       sensitive, ifnull(carried_from, run_id)
     FROM (SELECT DISTINCT value FROM json_each(?)) wanted CROSS JOIN journal ON run_id = ? AND path = wanted.value
     WHERE state NOT IN (?, ?) ORDER BY journal.id`,
    to,
    wanted,
    from,
    ...unfinishedStates,
  )
  database.run(
    `INSERT INTO failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at)
     SELECT ?, path, attempt, error, started_at, ended_at, retry_at
     FROM (SELECT DISTINCT value FROM json_each(?)) wanted CROSS JOIN failed_attempts ON run_id = ? AND failed_attempts.path = wanted.value`,
    to,
    wanted,
    from,
  )
  return count
}

/** At least one. */
function fitting(database: Database, run: number, paths: readonly string[]): number {
  const budget = new PieceBudget()
  const first = paths.slice(0, budget.rows)
  const sizes = database.all<{ path: string; rows: number; bytes: number }>(
    `SELECT path, 1 + (SELECT count(*) FROM failed_attempts f WHERE f.run_id = j.run_id AND f.path = j.path) AS rows,
       ifnull(octet_length(input), 0) + ifnull(octet_length(output), 0) AS bytes
     FROM (SELECT DISTINCT value FROM json_each(?)) wanted CROSS JOIN journal j ON j.run_id = ? AND j.path = wanted.value`,
    JSON.stringify(first),
    run,
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
  SELECT a.actor_id AS id FROM line CROSS JOIN audit a ON a.subject_id = line.uuid
    WHERE a.action IN ('run.started', 'run.retried') AND a.entry ->> '$.actor.kind' IN ('api_key', 'account')
  UNION SELECT k.public_id FROM line JOIN alerts ON alerts.id = line.alert_id JOIN api_keys k ON k.uuid = alerts.created_by
  UNION SELECT ac.uuid FROM line JOIN alerts ON alerts.id = line.alert_id JOIN accounts ac ON ac.uuid = alerts.created_by`

/** Public ids of the API keys and uuids of the accounts that started or retried the run or a run that it retries, or sent its alert. */
export const requestersOf = (database: Database, uuid: string): readonly string[] =>
  database.all<{ id: string }>(selectRequesters, uuid).map(({ id }) => id)
