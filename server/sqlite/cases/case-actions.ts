import { actionOf } from '../../../core/case/actions.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { answeredQuestion } from '../../../core/transitions/question.ts'
import { stepState } from '../../../core/transitions/step.ts'
import { actionEntry } from '../../../core/transitions/timeline.ts'
import { insertEntry } from './case-entries.ts'
import { caseRowsOf } from './case-rows.ts'
import { selectCheckpoint, toCheckpoint, type CheckpointRow } from '../checkpoints/checkpoint-rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { selectJournal, toEntry, type EntryRow } from '../runs/journal-rows.ts'
import { requireRunRow, type RunRow } from '../runs/run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

type Context = Pick<StoreContext, 'database' | 'clock'>

/** Values of `journal.destructive`: the use of a destructive skill may have had an effect, or is known to have had none. */
export const destructive = { may: 1, changedNothing: 2 } as const

/** The run and the runs that it retries. */
const lineOf = `(WITH RECURSIVE line (id, retry_of) AS (SELECT id, retry_of FROM runs WHERE id = ?
  UNION ALL SELECT r.id, r.retry_of FROM runs r JOIN line ON r.id = line.retry_of) SELECT id FROM line)`

/** Inside of the write that records the outcome of a destructive skill, known or not: notes it in the case of the run. */
export function noteAction(context: Context, runRow: number, path: string): void {
  const run = requireRunRow(context.database, 'id', runRow)
  if (run.caseRow !== null) insertAction(context, run, runRow, path, run.caseRow)
}

/** Inside of the write that opens a case for a run that had none. */
export function noteEarlierActions(context: Context, run: RunRow, caseRow: number): void {
  const { database } = context
  const uses = database.all<{ run: number; path: string }>(
    `SELECT run_id AS run, path FROM journal
     WHERE run_id IN ${lineOf} AND destructive > 0 AND state <> ? ORDER BY id`,
    run.id,
    stepState.started,
  )
  for (const { run: row, path } of uses)
    insertAction(context, requireRunRow(database, 'id', row), row, path, caseRow)
}

function insertAction(
  { database, clock }: Context,
  run: RunRow,
  runRow: number,
  path: string,
  caseRow: number,
): void {
  const row = database.one<EntryRow>(`${selectJournal} WHERE run_id = ? AND path = ?`, runRow, path)
  const { mark } = database.one<{ mark: number }>(
    'SELECT destructive AS mark FROM journal WHERE run_id = ? AND path = ?',
    runRow,
    path,
  )
  const changedNothing = mark === destructive.changedNothing
  const use = { run, entry: toEntry(row), changedNothing, answered: answeredIn(database, runRow) }
  const at = clock.now()
  insertEntry(database, caseRow, actionEntry(run, actionOf(use, at), at))
}

/** The newest answered questions of the run and of those that it retries, oldest first. */
export function answeredIn(database: Database, runRow: number) {
  return database
    .all<CheckpointRow>(
      `${selectCheckpoint} WHERE t.run_id IN ${lineOf} AND t.state = ? ORDER BY t.id DESC LIMIT 50`,
      runRow,
      answeredQuestion,
    )
    .map((row) => toCheckpoint(database, row))
    .toReversed()
}

/** The newest actions of a case, oldest first, each with its latest outcome. */
export function actionsOf(database: Database, caseRow: number, limit: number) {
  const rows = toJson(caseRowsOf(database, caseRow))
  const last = `SELECT max(id) AS id FROM case_entries WHERE case_id IN (SELECT value FROM json_each(?)) AND kind = 'action'
    GROUP BY action ->> '$.run_uuid', action ->> '$.path'`
  const { total } = database.one<{ total: number }>(`SELECT count(*) AS total FROM (${last})`, rows)
  const found = database.all<{ action: string }>(
    `SELECT action FROM case_entries WHERE id IN (${last}) ORDER BY id DESC LIMIT ?`,
    rows,
    limit,
  )
  return { data: found.map(({ action }) => fromJson<CaseAction>(action)).toReversed(), total }
}
