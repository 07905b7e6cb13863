import type { Work } from '../database/work.ts'
import type { PrunePlace } from '../../../core/ports/retention-store.ts'
import type { Database } from '../database/database.ts'
import { PieceBudget } from '../database/piece-budget.ts'
import type { PruneTally } from './prune-tally.ts'
import { countNextQuestions, countNextRuns } from '../numbers/count-rows.ts'
import { finishPruning, isCounted, isPrunable, pruneRun } from './prune-run.ts'

/** No alert, case or retry refers to it. The newest row is kept, so that its key is not reused. */
const isUnnamed = `(t.alert_id IS NULL AND t.case_id IS NULL AND t.id < (SELECT max(id) FROM runs)
  AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.retry_of = t.id))`

/** Newest first: a retry precedes its original. */
const candidates = `
  SELECT t.id, t.ended_at <= ? AND (t.pruned_at IS NULL OR (t.alert_id IS NULL AND t.case_id IS NULL)) AS "isOld"
  FROM runs t WHERE t.id < ? ORDER BY t.id DESC LIMIT ?`

/** Checked one by one, because pruning a retry makes its original due. */
const due = `
  SELECT t.pruned_at IS NOT NULL AS "isPruned", t.organization_id AS organization FROM runs t LEFT JOIN cases c ON c.id = t.case_id
  WHERE t.id = ? AND (c.id IS NULL OR (c.status = 'closed' AND c.modified_at <= ?)) AND ${isPrunable} AND ${isCounted('t')}`

interface Due {
  readonly isPruned: 0 | 1
  readonly organization: number
}

/** Inside of a write; see `RetentionStore`. Gives the start of the next piece. */
export function* pruneRuns(
  database: Database,
  endedBy: number,
  from: PrunePlace | undefined,
  now: number,
  tally: PruneTally,
): Work<PrunePlace | undefined> {
  const budget = new PieceBudget()
  const start = from ?? { at: 0, row: Number.MAX_SAFE_INTEGER }
  if (!(yield* finishPruning(database, budget))) return start
  yield* countNextRuns(database)
  yield* countNextQuestions(database)
  const found = yield* database.all<{ id: number; isOld: 0 | 1 }>(candidates, endedBy, start.row, budget.rows)
  let { row } = start
  for (const { id, isOld } of found) {
    if (budget.isSpent) return { at: 0, row }
    row = id
    const run = isOld === 1 ? yield* database.get<Due>(due, id, endedBy) : undefined
    if (run === undefined) continue
    if (run.isPruned === 0) tally.add(run.organization, 'runs')
    if (run.isPruned === 0 && !(yield* pruneRun(database, id, now, budget))) continue
    const deleted = yield* database.run(`DELETE FROM runs AS t WHERE t.id = ? AND ${isUnnamed}`, id)
    budget.take(deleted)
  }
  return found.length === 0 ? undefined : { at: 0, row }
}
