import type { Work } from '../database/work.ts'
import type { Database } from '../database/database.ts'
import type { PieceBudget } from '../database/piece-budget.ts'
import { forgetObservables } from '../observables/index-writes.ts'

/** Condition on run `t`: no decision about a step is open, and no unpruned retry needs its journal. */
export const isPrunable = `(t.ended_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM journal WHERE run_id = t.id AND state = 'unknown')
  AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.retry_of = t.id AND later.pruned_at IS NULL))`

/** Condition on a run: it and its questions are in the numbers, which keep them. */
export const isCounted = (run: 't' | 'r'): string =>
  `(${run}.id <= (SELECT CAST(value AS bigint) FROM facts WHERE name = 'runs_counted_to') AND coalesce(${run}.counted, 1) = 1
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE run_id = ${run}.id AND counted IS NULL AND state <> 'waiting'))`

/**
 * Inside of a write. Marks the run first, so that a partly deleted journal is never read.
 *
 * @returns whether everything is deleted; `finishPruning` deletes the rest
 */
export function* pruneRun(database: Database, run: number, now: number, budget: PieceBudget): Work<boolean> {
  const { bytes } = yield* database.one<{ bytes: number }>(
    `SELECT coalesce(octet_length(inputs), 0) + coalesce(octet_length(output), 0) + coalesce(octet_length(trigger_data), 0) AS bytes
     FROM runs WHERE id = ?`,
    run,
  )
  yield* database.run(
    'UPDATE runs SET pruned_at = ?, pruning = 1, inputs = NULL, output = NULL, trigger_data = NULL WHERE id = ?',
    now,
    run,
  )
  budget.take(1, bytes)
  return yield* deleteDetails(database, run, budget)
}

/** Inside of a write: continues an earlier deletion. False: some is left. */
export function* finishPruning(database: Database, budget: PieceBudget): Work<boolean> {
  for (const { id } of yield* database.all<{ id: number }>('SELECT id FROM runs WHERE pruning = 1'))
    if (!(yield* deleteDetails(database, id, budget))) return false
  return true
}

function* deleteDetails(database: Database, run: number, budget: PieceBudget): Work<boolean> {
  for (const step of [deleteJournal, deleteFailedAttempts, deleteCheckpoints]) {
    yield* step(database, run, budget)
    if (budget.isSpent) return false
  }
  budget.take(yield* forgetObservables(database, 'runs', run))
  yield* database.run('DELETE FROM destructive_uses WHERE run_id = ?', run)
  yield* database.run('DELETE FROM rated_starts WHERE run_id = ?', run)
  yield* database.run('DELETE FROM shadow_results WHERE run_id = ?', run)
  yield* deleteCaseWrites(database, run)
  yield* database.run('UPDATE runs SET pruning = 0 WHERE id = ?', run)
  return true
}

function* deleteJournal(database: Database, run: number, budget: PieceBudget): Work<void> {
  const entries = yield* database.all<{ id: number; bytes: number }>(
    `SELECT id, coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) AS bytes
     FROM journal WHERE run_id = ? LIMIT ?`,
    run,
    budget.rows,
  )
  for (const { id, bytes } of entries) {
    if (budget.isSpent) return
    yield* database.run('DELETE FROM journal WHERE id = ?', id)
    budget.take(1, bytes)
  }
}

function* deleteFailedAttempts(database: Database, run: number, budget: PieceBudget): Work<void> {
  const deleted = yield* database.run(
    `DELETE FROM failed_attempts WHERE (run_id, path, attempt) IN
       (SELECT run_id, path, attempt FROM failed_attempts WHERE run_id = ? LIMIT ?)`,
    run,
    budget.rows,
  )
  budget.take(deleted)
}

function* deleteCheckpoints(database: Database, run: number, budget: PieceBudget): Work<void> {
  const checkpoints = yield* database.all<{ id: number }>('SELECT id FROM checkpoints WHERE run_id = ?', run)
  for (const { id } of checkpoints) {
    if (budget.isSpent) return
    const answers = yield* database.run(
      'DELETE FROM checkpoint_answers WHERE id IN (SELECT id FROM checkpoint_answers WHERE checkpoint_id = ? LIMIT ?)',
      id,
      budget.rows,
    )
    budget.take(1 + answers)
    if (!budget.isSpent) yield* database.run('DELETE FROM checkpoints WHERE id = ?', id)
  }
}

/** Idempotency keys of a run's steps begin with its uuid. */
function* deleteCaseWrites(database: Database, run: number): Work<void> {
  yield* database.run(
    `DELETE FROM case_writes WHERE organization_id = (SELECT organization_id FROM runs WHERE id = ?)
       AND idempotency_key > (SELECT uuid || '/' FROM runs WHERE id = ?)
       AND idempotency_key < (SELECT uuid || '0' FROM runs WHERE id = ?)`,
    run,
    run,
    run,
  )
}
