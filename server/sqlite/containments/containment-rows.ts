import { actionOf } from '../../../core/case/actions.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import {
  activeContainment,
  beginUndo,
  containmentAfterUndo,
  hasSameTarget,
  makesContainment,
  mayBeSameConnection,
  standingStates,
  stateAfterFailedUndo,
  undoingState,
  type Containment,
  type ContainmentState,
  type DestructiveOutcome,
} from '../../../core/destructive/containment.ts'
import { answeredIn } from '../cases/case-actions.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { selectJournal, toEntry, type EntryRow } from '../runs/journal-rows.ts'
import { requireRunRow, type RunRow } from '../runs/run-rows.ts'

type Context = Pick<StoreContext, 'database' | 'clock'>

export interface ContainmentRow extends Pick<
  Containment,
  | 'organizationUuid'
  | 'caseTitle'
  | 'state'
  | 'connection'
  | 'undoneBy'
  | 'undoRunUuid'
  | 'createdAt'
  | 'changedAt'
> {
  readonly id: number
  readonly uuid: string
  readonly organizationCode: string
  readonly caseNumber: number | null
  readonly action: string
  readonly hasUndo: 0 | 1
}

/** Ends before WHERE. */
export const selectContainment = `
  SELECT t.id, t.uuid, o.uuid AS organizationUuid, o.code AS organizationCode, c.number AS caseNumber, c.title AS caseTitle, t.state, t.action,
    t.connection, t.undone_by AS undoneBy, t.undo_input IS NOT NULL AS hasUndo, t.undo_run_uuid AS undoRunUuid, t.created_at AS createdAt,
    t.changed_at AS changedAt
  FROM containments t
    CROSS JOIN organizations o ON o.id = t.organization_id
    LEFT JOIN cases c ON c.id = t.case_id`

export function toContainment(row: ContainmentRow): Containment {
  const { id: _, uuid, organizationCode, caseNumber, action, hasUndo, ...rest } = row
  return {
    ...rest,
    id: uuid,
    caseId: caseNumber === null ? null : composeCaseId(organizationCode, caseNumber),
    action: fromJson<CaseAction>(action),
    hasUndo: hasUndo === 1,
  }
}

/** A call of a destructive skill whose outcome is recorded. */
interface EndedCall {
  readonly run: RunRow
  readonly action: CaseAction
  readonly entry: ReturnType<typeof toEntry>
  readonly call: DestructiveOutcome
}

/**
 * Inside of the write that records the outcome of a destructive skill, known or not: a containing call makes a containment, and a call
 * that undoes one ends it.
 */
export function noteContainment(
  context: Context,
  runRow: number,
  path: string,
  call: DestructiveOutcome,
  changedNothing: boolean,
): void {
  const { database, clock } = context
  const run = requireRunRow(database, 'id', runRow)
  const row = database.one<EntryRow>(`${selectJournal} WHERE run_id = ? AND path = ?`, runRow, path)
  const entry = toEntry(row)
  const action = actionOf({ run, entry, changedNothing, answered: answeredIn(database, runRow) }, clock.now())
  const ended = { run, action, entry, call }
  endUndone(context, ended)
  if (call.contains !== undefined && makesContainment(action.outcome)) insertContainment(context, ended)
}

/** A person decided the outcome of a step that was unknown: of a containing call, or of one that undoes. */
export function noteDecidedContainment({ database, clock }: Context, runUuid: string, path: string): void {
  const run = requireRunRow(database, 'uuid', runUuid)
  const row = database.one<EntryRow>(`${selectJournal} WHERE run_id = ? AND path = ?`, run.id, path)
  const entry = toEntry(row)
  const action = actionOf({ run, entry, changedNothing: false, answered: [] }, clock.now())
  endUndone({ database, clock }, { run, action, entry, call: { connection: null } })
  const known = database.get<{ id: number; action: string }>(
    'SELECT id, action FROM containments WHERE run_uuid = ? AND path = ?',
    runUuid,
    path,
  )
  if (known === undefined) return
  const changed = { ...fromJson<CaseAction>(known.action), outcome: action.outcome }
  database.run('UPDATE containments SET action = ? WHERE id = ?', toJson(changed), known.id)
}

function insertContainment({ database, clock }: Context, { run, action, entry, call }: EndedCall): void {
  const { connection, contains } = call
  if (contains === undefined) return
  const now = clock.now()
  const uuid = makeUuid(now)
  const place = `undo ${run.uuid} ${action.path}`
  database.run(
    `INSERT INTO containments (uuid, organization_id, case_id, run_uuid, path, state, action, connection, undone_by, undo_input,
       created_at, changed_at)
     VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_uuid, path) DO UPDATE SET action = excluded.action, connection = ifnull(excluded.connection, connection),
       undo_input = ifnull(excluded.undo_input, undo_input)`,
    uuid,
    run.organizationUuid,
    run.caseRow,
    run.uuid,
    action.path,
    activeContainment,
    toJson(action),
    connection,
    contains.skill,
    contains.input === undefined
      ? null
      : database.kept(toJson(contains.input), entry.sensitive !== undefined, place),
    now,
    now,
  )
}

interface StandingRow {
  readonly id: number
  readonly state: ContainmentState
  readonly connection: string | null
  readonly undoInput: string | null
}

const { undoInput } = sealedColumns

/** The call of an undoing skill ends the containments of its target, whoever made the call. */
function endUndone({ database, clock }: Context, { run, action, entry, call }: EndedCall): void {
  const standing = database.all<StandingRow>(
    `SELECT id, state, connection, ${opened(undoInput.name, undoInput.place)} AS undoInput FROM containments
     WHERE organization_id = (SELECT id FROM organizations WHERE uuid = ?) AND undone_by = ?
       AND state IN (SELECT value FROM json_each(?)) AND NOT (run_uuid = ? AND path = ?)`,
    run.organizationUuid,
    action.skill,
    toJson(standingStates),
    run.uuid,
    action.path,
  )
  for (const { id, state, connection, undoInput: input } of standing) {
    if (!mayBeSameConnection(connection, call.connection)) continue
    if (!hasSameTarget(fromJson(input), entry.input)) continue
    const after = containmentAfterUndo(state, action.outcome)
    if (after !== state)
      database.run(
        'UPDATE containments SET state = ?, undo_run_uuid = ?, changed_at = ? WHERE id = ?',
        after,
        run.uuid,
        clock.now(),
        id,
      )
  }
}

/** Inside of a write that moves runs to a case, or opens one for them. */
export function moveContainments(database: Database, runs: readonly number[], caseRow: number): void {
  database.run(
    'UPDATE containments SET case_id = ? WHERE run_uuid IN (SELECT uuid FROM runs WHERE id IN (SELECT value FROM json_each(?)))',
    caseRow,
    toJson(runs),
  )
}

/** Inside of the write that queues a run that undoes a containment. */
export function beginContainmentUndo(
  { database, clock }: Context,
  organizationRow: number,
  id: string,
  runUuid: string,
): void {
  const known = database.get<{ row: number; state: ContainmentState }>(
    'SELECT id AS row, state FROM containments WHERE uuid = ? AND organization_id = ?',
    id,
    organizationRow,
  )
  const state = beginUndo(known?.state)
  database.run(
    'UPDATE containments SET state = ?, undo_run_uuid = ?, changed_at = ? WHERE id = ?',
    state,
    runUuid,
    clock.now(),
    known?.row ?? 0,
  )
}

/** Inside of the write that ends a run: what it was to undo and did not. */
export function endContainmentUndo({ database, clock }: Context, runUuid: string): void {
  // An UPDATE without rows costs as much as one with rows.
  if (database.get('SELECT 1 FROM containments WHERE undo_run_uuid = ? LIMIT 1', runUuid) === undefined)
    return
  database.run(
    'UPDATE containments SET state = ?, changed_at = ? WHERE undo_run_uuid = ? AND state = ?',
    stateAfterFailedUndo,
    clock.now(),
    runUuid,
    undoingState,
  )
}
