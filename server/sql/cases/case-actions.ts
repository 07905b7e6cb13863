import { eachTogether, type Work } from '../database/work.ts'
import { actionOf } from '../../../core/case/actions.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import type { JournalEntry } from '../../../core/domain/run.ts'
import { answeredQuestion } from '../../../core/transitions/question.ts'
import { stepState } from '../../../core/transitions/step.ts'
import { actionEntry } from '../../../core/transitions/timeline.ts'
import { insertEntry } from './case-entries.ts'
import { caseRowsOf } from './case-rows.ts'
import { selectCheckpoint, toCheckpoint, type CheckpointRow } from '../checkpoints/checkpoint-rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { selectJournal, toEntry, type EntryRow } from '../journal/journal-rows.ts'
import { requireRunRow, type RunRow } from '../runs/run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

type Context = Pick<StoreContext, 'database' | 'clock'>

/** Values of `journal.destructive`: the use of a destructive skill may have had an effect, or is known to have had none. */
export const destructive = { may: 1, changedNothing: 2 } as const

/** The run and the runs that it retries. */
const lineOf = `(WITH RECURSIVE line (id, retry_of) AS (SELECT id, retry_of FROM runs WHERE id = ?
  UNION ALL SELECT r.id, r.retry_of FROM runs r JOIN line ON r.id = line.retry_of) SELECT id FROM line)`

/** The use of a destructive skill whose outcome is being recorded. */
export interface DescribedUse {
  readonly run: RunRow
  readonly entry: JournalEntry
  readonly action: CaseAction
}

/** Another branch may open the case of the run at the same time: this write sees it, or that write sees this one. */
const awaitOpening = 'SELECT 1 FROM runs WHERE id = ? FOR NO KEY UPDATE'

/** Inside of the write that records the outcome of a destructive skill, known or not. */
export function* describeUse(
  { database, clock }: Context,
  runRow: number,
  path: string,
  changedNothing: boolean,
): Work<DescribedUse> {
  if (!database.hasOneWriter) yield* database.send(awaitOpening, runRow)
  const run = yield* requireRunRow(database, 'id', runRow)
  const entry = toEntry(
    yield* database.one<EntryRow>(`${selectJournal} WHERE run_id = ? AND path = ?`, runRow, path),
  )
  const use = { run, entry, changedNothing, answered: yield* answeredIn(database, runRow) }
  return { run, entry, action: actionOf(use, clock.now()) }
}

/** In the same write: notes the action in the case of the run. */
export function* noteAction({ database, clock }: Context, { run, action }: DescribedUse): Work<void> {
  if (run.caseRow !== null) yield* insertEntry(database, run.caseRow, actionEntry(run, action, clock.now()))
}

/** Inside of the write that opens a case for a run that had none. */
export function* noteEarlierActions(context: Context, run: RunRow, caseRow: number): Work<void> {
  const { database } = context
  const uses = yield* database.all<{ run: number; path: string; mark: number }>(
    `SELECT run_id AS run, path, destructive AS mark FROM journal
     WHERE run_id IN ${lineOf} AND destructive > 0 AND state <> ? ORDER BY id`,
    run.id,
    stepState.started,
  )
  const at = context.clock.now()
  for (const { run: row, path, mark } of uses) {
    const use = yield* describeUse(context, row, path, mark === destructive.changedNothing)
    yield* insertEntry(database, caseRow, actionEntry(use.run, use.action, at))
  }
}

/** The newest answered questions of the run and of those that it retries, oldest first. */
function* answeredIn(database: Database, runRow: number) {
  const rows = yield* database.all<CheckpointRow>(
    `${selectCheckpoint} WHERE t.run_id IN ${lineOf} AND t.state = ? ORDER BY t.id DESC LIMIT 50`,
    runRow,
    answeredQuestion,
  )
  return yield* eachTogether(rows.toReversed(), (row) => toCheckpoint(database, row))
}

/** The newest actions of a case, oldest first, each with its latest outcome. */
export function* actionsOf(database: Database, caseRow: number, limit: number) {
  const rows = toJson(yield* caseRowsOf(database, caseRow))
  const last = `SELECT max(id) AS id FROM case_entries WHERE case_id IN (SELECT CAST(value AS bigint) FROM json_each(?)) AND kind = 'action'
    GROUP BY action ->> '$.run_uuid', action ->> '$.path'`
  const { total } = yield* database.one<{ total: number }>(
    `SELECT count(*) AS total FROM (${last}) AS latest`,
    rows,
  )
  const found = yield* database.all<{ action: string }>(
    `SELECT action FROM case_entries WHERE id IN (${last}) ORDER BY id DESC LIMIT ?`,
    rows,
    limit,
  )
  return { data: found.map(({ action }) => fromJson<CaseAction>(action)).toReversed(), total }
}
