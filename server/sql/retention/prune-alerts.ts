import type { Work } from '../database/work.ts'
import type { PrunePlace } from '../../../core/ports/retention-store.ts'
import { awaitingStatus, endedAlertStatuses } from '../../../core/transitions/alert.ts'
import { listNextRows } from '../context/listed-rows.ts'
import type { Database } from '../database/database.ts'
import { PieceBudget } from '../database/piece-budget.ts'
import { forgetObservables } from '../observables/index-writes.ts'
import { countNextQuestions, countNextRuns } from '../numbers/count-rows.ts'
import { finishPruning, isCounted, pruneRun } from './prune-run.ts'
import type { PruneTally } from './prune-tally.ts'

interface Candidate {
  readonly id: number
  readonly at: number
  readonly bytes: number
  readonly isDue: 0 | 1
  readonly organization: number
}

/** The investigation has ended, or the alert has none. */
const isAtRest = `(t.status IN (${endedAlertStatuses.join(', ')}) OR (t.status = ${awaitingStatus} AND t.type IS NULL))`

/** The newest row is kept, so that its key is not reused. */
const isLeftAlone = `(t.id < (SELECT max(id) FROM alerts)
  AND t.id <= (SELECT CAST(value AS bigint) FROM facts WHERE name = 'alerts_indexed_to')
  AND NOT EXISTS (SELECT 1 FROM alerts follower WHERE follower.follows = t.id)
  AND NOT EXISTS (SELECT 1 FROM alert_groups WHERE alert_id = t.id AND ends_at > ?)
  AND NOT EXISTS (SELECT 1 FROM alert_requests WHERE alert_id = t.id AND expires_at > ?))`

const hasBusyRun = `EXISTS (SELECT 1 FROM runs r WHERE r.alert_id = t.id AND (r.ended_at IS NULL OR NOT ${isCounted('r')}
  OR r.id = (SELECT max(id) FROM runs) OR EXISTS (SELECT 1 FROM journal WHERE run_id = r.id AND state = 'unknown')))`

const candidates = `
  SELECT t.id, t.organization_id AS organization, t.modified_at AS at, octet_length(b.content) AS bytes,
    CASE WHEN ${isAtRest} AND (c.id IS NULL OR (c.status = 'closed' AND c.modified_at <= ?))
      THEN ${isLeftAlone} AND NOT ${hasBusyRun} ELSE false END AS "isDue"
  FROM alerts t
    CROSS JOIN alert_contents b ON b.alert_id = t.id
    LEFT JOIN cases c ON c.id = t.case_id
  WHERE t.listed = 1 AND t.modified_at <= ? AND (t.modified_at, t.id) > (?, ?) ORDER BY t.modified_at, t.id LIMIT ?`

/** Inside of a write; see `RetentionStore`. Gives the start of the next piece. */
export function* pruneAlerts(
  database: Database,
  changedBy: number,
  from: PrunePlace | undefined,
  now: number,
  tally: PruneTally,
): Work<PrunePlace | undefined> {
  const budget = new PieceBudget()
  let place = from ?? { at: Number.MIN_SAFE_INTEGER, row: 0 }
  yield* listNextRows(database, 'alerts')
  if (!(yield* finishPruning(database, budget))) return place
  yield* countNextRuns(database)
  yield* countNextQuestions(database)
  const bounds = [changedBy, now, now, changedBy, place.at, place.row, budget.rows]
  const found = yield* database.all<Candidate>(candidates, ...bounds)
  for (const { id, at, bytes, isDue, organization } of found) {
    if (budget.isSpent) return place
    if (isDue === 1) {
      const areAll = yield* pruneRunsOf(database, id, now, budget, () => tally.add(organization, 'runs'))
      if (!areAll) return place
      yield* deleteAlert(database, id)
      budget.take(1, bytes)
      tally.add(organization, 'alerts')
    }
    place = { at, row: id }
  }
  return found.length === 0 ? undefined : place
}

/** Newest first: a retry precedes its original. False: some are left. */
function* pruneRunsOf(
  database: Database,
  alert: number,
  now: number,
  budget: PieceBudget,
  onRun: () => void,
): Work<boolean> {
  const left = yield* database.all<{ id: number }>(
    `SELECT t.id FROM runs t WHERE t.alert_id = ? AND t.pruned_at IS NULL ORDER BY t.id DESC`,
    alert,
  )
  for (const { id } of left) {
    if (budget.isSpent) return false
    onRun()
    if (!(yield* pruneRun(database, id, now, budget))) return false
  }
  return true
}

/** The case counts the deleted rows. */
function* deleteAlert(database: Database, alert: number): Work<void> {
  const runs = yield* database.all<{ id: number; caseId: number | null }>(
    'SELECT id, case_id AS "caseId" FROM runs WHERE alert_id = ? ORDER BY id DESC',
    alert,
  )
  for (const { id, caseId } of runs) {
    yield* database.run('UPDATE cases SET runs_deleted = runs_deleted + 1 WHERE id = ?', caseId)
    yield* database.run('DELETE FROM run_moves WHERE run_id = ?', id)
    yield* database.run('DELETE FROM runs WHERE id = ?', id)
  }
  yield* database.run(
    'UPDATE cases SET alerts_deleted = alerts_deleted + 1 WHERE id = (SELECT case_id FROM alerts WHERE id = ?)',
    alert,
  )
  yield* forgetObservables(database, 'alerts', alert)
  for (const table of ['alert_requests', 'alert_groups', 'correlation_keys', 'alert_contents'])
    yield* database.run(`DELETE FROM ${table} WHERE alert_id = ?`, alert)
  yield* database.run('DELETE FROM alert_search WHERE rowid = ?', alert)
  yield* database.run('DELETE FROM alerts WHERE id = ?', alert)
}
