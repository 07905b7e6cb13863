import { actionOf, actionText } from '../../../core/case/actions.ts'
import { theRun } from '../../../core/domain/audit.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { insertEntry } from './case-entries.ts'
import { selectCheckpoint, toCheckpoint, type CheckpointRow } from '../checkpoints/checkpoint-rows.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { selectJournal, toEntry, type EntryRow } from '../runs/journal-rows.ts'
import { requireRunRow, type RunRow } from '../runs/run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

type Context = Pick<StoreContext, 'database' | 'clock'>

/** What `journal.destructive` says: the step uses a destructive skill, and it may have changed something, or is known not to have. */
export const destructive = { may: 1, changedNothing: 2 } as const

/** The run and those that it goes on from. */
const lineOf = `(WITH RECURSIVE line (id, retry_of) AS (SELECT id, retry_of FROM runs WHERE id = ?
  UNION ALL SELECT r.id, r.retry_of FROM runs r JOIN line ON r.id = line.retry_of) SELECT id FROM line)`

/** Inside of the write that says how a use of a destructive skill ended, or that nobody knows: the case of the run says so too. */
export function noteAction(context: Context, runRow: number, path: string): void {
  const run = requireRunRow(context.database, 'id', runRow)
  if (run.caseRow !== null) insertAction(context, run, runRow, path, run.caseRow)
}

/** Inside of the write that opens a case for a run which did without one so far. */
export function noteEarlierActions(context: Context, run: RunRow, caseRow: number): void {
  const { database } = context
  const uses = database.all<{ run: number; path: string }>(
    `SELECT run_id AS run, path FROM journal
     WHERE run_id IN ${lineOf} AND destructive > 0 AND state <> 'started' ORDER BY id`,
    run.id,
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
  const action = actionOf(use, at)
  const by = theRun(run.uuid, run.playbookName)
  insertEntry(database, caseRow, { at, by, kind: 'action', text: actionText(action), changes: null, action })
}

/** The newest, oldest first. */
function answeredIn(database: Database, runRow: number) {
  return database
    .all<CheckpointRow>(
      `${selectCheckpoint} WHERE t.run_id IN ${lineOf} AND t.state = 'answered' ORDER BY t.id DESC LIMIT 50`,
      runRow,
    )
    .map((row) => toCheckpoint(database, row))
    .toReversed()
}

/** The newest actions of a case, oldest first, each as it was last known. */
export function actionsOf(database: Database, caseRow: number, limit: number) {
  const last = `SELECT max(id) AS id FROM case_entries WHERE case_id = ? AND kind = 'action'
    GROUP BY action ->> '$.run_uuid', action ->> '$.path'`
  const { total } = database.one<{ total: number }>(`SELECT count(*) AS total FROM (${last})`, caseRow)
  const rows = database.all<{ action: string }>(
    `SELECT action FROM case_entries WHERE id IN (${last}) ORDER BY id DESC LIMIT ?`,
    caseRow,
    limit,
  )
  return { data: rows.map(({ action }) => fromJson<CaseAction>(action)).toReversed(), total }
}
