import type { Work } from '../database/work.ts'
import { theRun, authorOf, type Author } from '../../../core/domain/audit.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import {
  activeContainment,
  beginUndo,
  containmentAfterUndo,
  endedState,
  failedUndoNote,
  hasSameTarget,
  makesContainment,
  mayBeSameConnection,
  standingStates,
  stateAfterFailedUndo,
  undoingState,
  type Containment,
  type ContainmentStanding,
  type ContainmentState,
  type DestructiveOutcome,
} from '../../../core/destructive/containment.ts'
import { firstCheckAt } from '../../../core/destructive/checks/containment-state.ts'
import type { RunEnd } from '../../../core/domain/run.ts'
import { expiredEntry } from '../../../core/transitions/timeline.ts'
import type { DescribedUse } from '../cases/case-actions.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import type { StoreContext } from '../context/store-context.ts'
import { noteContainmentState } from '../notifications/note-work.ts'
import { makeUuid } from '../context/uuid.ts'
import { updateRow } from '../context/rows.ts'

type Context = Pick<StoreContext, 'database' | 'clock'>

export interface ContainmentRow extends Pick<
  Containment,
  | 'organizationUuid'
  | 'caseTitle'
  | 'state'
  | 'connection'
  | 'undoneBy'
  | 'undoRunUuid'
  | 'expiresAt'
  | 'unless'
  | 'note'
  | 'stateSeen'
  | 'seenSince'
  | 'stateCheckedAt'
  | 'endedBy'
  | 'createdAt'
  | 'changedAt'
> {
  readonly id: number
  readonly uuid: string
  readonly organizationCode: string
  readonly caseNumber: number | null
  readonly action: string
  /** Null: the run of the action. */
  readonly owner: string | null
  readonly hasUndo: 0 | 1
  readonly stateError: string | null
}

/** SQL: constants, so that PostgreSQL knows how few rows have these states. */
export const inStates = (states: readonly ContainmentState[]): string =>
  `IN (${states.map((state) => `'${state}'`).join(', ')})`

/** Ends before WHERE. */
export const selectContainment = `
  SELECT t.id, t.uuid, o.uuid AS "organizationUuid", o.code AS "organizationCode", c.number AS "caseNumber", c.title AS "caseTitle", t.state, t.action,
    t.connection, t.undone_by AS "undoneBy", t.undo_input IS NOT NULL AS "hasUndo", t.undo_run_uuid AS "undoRunUuid", t.owner,
    t.expires_at AS "expiresAt", t.unless, t.note, t.state_seen AS "stateSeen", t.seen_since AS "seenSince",
    t.state_checked_at AS "stateCheckedAt", t.state_error AS "stateError", t.ended_by AS "endedBy", t.created_at AS "createdAt", t.changed_at AS "changedAt"
  FROM containments t
    CROSS JOIN organizations o ON o.id = t.organization_id
    LEFT JOIN cases c ON c.id = t.case_id`

export function toContainment(row: ContainmentRow): Containment {
  const {
    id: _,
    uuid,
    organizationCode,
    caseNumber,
    action: actionJson,
    owner,
    hasUndo,
    stateError,
    ...rest
  } = row
  const action = fromJson<CaseAction>(actionJson)
  return {
    ...rest,
    id: uuid,
    caseId: caseNumber === null ? null : composeCaseId(organizationCode, caseNumber),
    action,
    hasUndo: hasUndo === 1,
    stateError: fromJson<Containment['stateError']>(stateError),
    owner: fromJson<Author>(owner) ?? authorOf(theRun(action.run_uuid, action.playbook)),
  }
}

interface EndedCall extends DescribedUse {
  readonly call: DestructiveOutcome
}

/** In the write that records the outcome: a containing call makes a containment, and a call that undoes one ends it. */
export function* noteContainment(context: Context, use: DescribedUse, call: DestructiveOutcome): Work<void> {
  const ended = { ...use, call }
  yield* endUndone(context, ended)
  if (call.contains !== undefined && makesContainment(use.action.outcome))
    yield* insertContainment(context, ended)
}

/** A person decided the outcome of a step that was unknown: of a containing call, or of one that undoes. */
export function* noteDecidedContainment(context: Context, use: DescribedUse): Work<void> {
  const { run, action } = use
  yield* endUndone(context, { ...use, call: { connection: null } })
  const { database } = context
  const known = yield* database.get<{ id: number; action: string }>(
    'SELECT id, action FROM containments WHERE run_uuid = ? AND path = ?',
    run.uuid,
    action.path,
  )
  if (known === undefined) return
  const changed = { ...fromJson<CaseAction>(known.action), outcome: action.outcome }
  yield* database.run('UPDATE containments SET action = ? WHERE id = ?', toJson(changed), known.id)
}

function* insertContainment(
  { database, clock }: Context,
  { run, action, entry, call }: EndedCall,
): Work<void> {
  const { connection, contains, expiry } = call
  if (contains === undefined) return
  const now = clock.now()
  const uuid = makeUuid(now)
  const place = `${run.uuid} ${action.path}`
  const kept = (what: string, value: unknown) =>
    value === undefined
      ? null
      : database.kept(toJson(value), entry.sensitive !== undefined, `${what} ${place}`)
  yield* database.run(
    `INSERT INTO containments (uuid, organization_id, case_id, run_uuid, path, state, action, connection, undone_by, undo_input, owner,
       expires_at, unless, state_call, check_at, created_at, changed_at)
     VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_uuid, path) DO UPDATE SET action = excluded.action, connection = coalesce(excluded.connection, containments.connection),
       undo_input = coalesce(excluded.undo_input, containments.undo_input),
       expires_at = coalesce(excluded.expires_at, containments.expires_at),
       changed_at = CASE WHEN containments.state = ? THEN excluded.changed_at ELSE containments.changed_at END,
       was_contained = CASE WHEN containments.state = ? THEN 0 ELSE containments.was_contained END,
       state = CASE WHEN containments.state = ? THEN excluded.state ELSE containments.state END, ended_by = NULL,
       state_call = coalesce(excluded.state_call, containments.state_call), check_at = coalesce(excluded.check_at, containments.check_at)`,
    uuid,
    run.organizationUuid,
    run.caseRow,
    run.uuid,
    action.path,
    activeContainment,
    toJson(action),
    connection,
    contains.skill,
    kept('undo', contains.input),
    yield* requesterOf(database, run.uuid),
    expiry === undefined ? null : now + expiry.afterMs,
    expiry?.unless ?? null,
    kept('state call', contains.call),
    contains.call === undefined ? null : firstCheckAt(now),
    now,
    now,
    endedState,
    endedState,
    endedState,
  )
  if (expiry !== undefined) database.expiries.onChanged()
}

/** JSON of the actor that started or retried the run, as in the audit log; null: an alert or an event started it. */
function* requesterOf(database: Database, runUuid: string): Work<string | null> {
  return (
    (yield* database.get<{ actor: string }>(
      `SELECT entry -> '$.actor' AS actor FROM audit WHERE subject_id = ? AND action IN ('run.started', 'run.retried')
     ORDER BY id DESC LIMIT 1`,
      runUuid,
    ))?.actor ?? null
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
function* endUndone({ database, clock }: Context, { run, action, entry, call }: EndedCall): Work<void> {
  const standing = yield* database.all<StandingRow>(
    `SELECT id, state, connection, ${opened(undoInput.name, undoInput.place)} AS "undoInput" FROM containments
     WHERE organization_id = (SELECT id FROM organizations WHERE uuid = ?) AND undone_by = ?
       AND state ${inStates(standingStates)} AND NOT (run_uuid = ? AND path = ?)`,
    run.organizationUuid,
    action.skill,
    run.uuid,
    action.path,
  )
  for (const { id, state, connection, undoInput: input } of standing) {
    if (!mayBeSameConnection(connection, call.connection)) continue
    if (!hasSameTarget(fromJson(input), entry.input)) continue
    const after = containmentAfterUndo(state, action.outcome, call)
    if (after === state) continue
    const ended = after === endedState ? ({ endedBy: 'call', checkAt: null } as const) : {}
    const changes = { state: after, undoRunUuid: run.uuid, changedAt: clock.now(), ...ended }
    yield* updateRow(database, 'containments', id, changes)
    yield* noteContainmentState(database, id, state, after, changes.changedAt)
  }
}

/** Inside of a write that moves runs to a case, or opens one for them. */
export function* moveContainments(database: Database, runs: readonly number[], caseRow: number): Work<void> {
  yield* database.run(
    'UPDATE containments SET case_id = ? WHERE run_uuid IN (SELECT uuid FROM runs WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?)))',
    caseRow,
    toJson(runs),
  )
}

/** A containment that a run undoes; `expiredAt` as in `NewRun`. */
interface BegunUndo {
  readonly id: string
  readonly expiredAt: number | undefined
  readonly runUuid: string
}

/** Inside of the write that queues a run that undoes a containment. */
export function* beginContainmentUndo(
  { database, clock }: Context,
  organizationRow: number,
  { id, expiredAt, runUuid }: BegunUndo,
): Work<void> {
  const known = yield* findStanding(database, id, organizationRow)
  const state = beginUndo(known, expiredAt)
  const now = clock.now()
  yield* database.run(
    'UPDATE containments SET state = ?, undo_run_uuid = ?, note = NULL, changed_at = ? WHERE id = ?',
    state,
    runUuid,
    now,
    known?.row ?? 0,
  )
  if (expiredAt === undefined || known === undefined || known.caseRow === null) return
  yield* insertEntry(database, known.caseRow, expiredEntry(fromJson<CaseAction>(known.action), runUuid, now))
}

export interface KnownStanding extends ContainmentStanding {
  readonly row: number
  readonly caseRow: number | null
  readonly organizationUuid: string
  readonly action: string
}

/** @param organizationRow undefined: any organization */
export const findStanding = (
  database: Database,
  id: string,
  organizationRow?: number,
): Work<KnownStanding | undefined> =>
  database.get<KnownStanding>(
    `SELECT t.id AS row, t.state, t.expires_at AS "expiresAt", t.case_id AS "caseRow", o.uuid AS "organizationUuid", t.action
     FROM containments t JOIN organizations o ON o.id = t.organization_id WHERE t.uuid = ? AND t.organization_id = coalesce(?, t.organization_id)`,
    id,
    organizationRow ?? null,
  )

/** Inside of the write that ends a run: what it was to undo and did not. */
export function* endContainmentUndo({ database, clock }: Context, runUuid: string, end: RunEnd): Work<void> {
  // An UPDATE without rows costs as much as one with rows.
  const found = yield* database.get<{ id: number; expiresAt: number | null }>(
    'SELECT id, expires_at AS "expiresAt" FROM containments WHERE undo_run_uuid = ? AND state = ? LIMIT 1',
    runUuid,
    undoingState,
  )
  if (found === undefined) return
  const now = clock.now()
  const state = stateAfterFailedUndo(found.expiresAt, now)
  const changed = yield* database.run(
    'UPDATE containments SET state = ?, note = ?, changed_at = ? WHERE id = ? AND state = ?',
    state,
    failedUndoNote(end),
    now,
    found.id,
    undoingState,
  )
  if (changed === 0) return // another run has undone it meanwhile
  yield* noteContainmentState(database, found.id, undoingState, state, now)
  database.expiries.onChanged()
}
