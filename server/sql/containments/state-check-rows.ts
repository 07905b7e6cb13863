import { eachTogether, type Work } from '../database/work.ts'
import {
  afterCheck,
  checkedStates,
  mayCount,
  settleMs,
  type CheckedStanding,
  type DueCheck,
} from '../../../core/destructive/checks/containment-state.ts'
import { standingStates, type StandingState } from '../../../core/destructive/containment.ts'
import type { StandingContainments } from '../../../core/ports/runs/containment-store.ts'
import type {
  ContainingCall,
  StateCheck,
  StateChecks,
} from '../../../core/destructive/checks/state-checks.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { releasedEntry } from '../../../core/transitions/timeline.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { updateRow } from '../context/rows.ts'
import { opened, sealedColumns, SealedValues } from '../context/sealed-values.ts'
import type { StoreContext } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { inStates, selectContainment, toContainment, type ContainmentRow } from './containment-rows.ts'

const { stateCall } = sealedColumns

/** See `ContainmentStore.dueChecks`. */
export function* dueChecks(database: Database, now: number, limit: number): Work<readonly DueCheck[]> {
  const due = yield* database.all<{ id: number; call: string; stored: string }>(
    `SELECT id, state_call AS stored, ${opened(stateCall.name, stateCall.place)} AS call FROM containments
     WHERE check_at <= ? AND state_call IS NOT NULL AND changed_at <= ? AND state ${inStates(checkedStates)}
     ORDER BY check_at, id LIMIT ?`,
    now,
    now - settleMs,
    limit,
  )
  return yield* eachTogether(due, function* ({ id, call, stored }) {
    const row = yield* database.one<ContainmentRow>(`${selectContainment} WHERE t.id = ?`, id)
    return {
      containment: toContainment(row),
      call: fromJson<ContainingCall>(call) ?? { input: null },
      isSensitive: SealedValues.isSealed(stored),
    }
  })
}

interface CheckedRow extends Omit<CheckedStanding, 'wasContained' | 'stateError'> {
  readonly id: number
  readonly caseRow: number | null
  readonly action: string
  readonly wasContained: 0 | 1
  readonly stateError: string | null
}

/** Inside of a write. See `ContainmentStore.noteCheck`. */
export function* noteStateCheck(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  containment: { readonly uuid: string; readonly changedAt: number },
  check: StateCheck,
  periodMs: number,
): Work<void> {
  const row = yield* database.get<CheckedRow>(
    `SELECT id, case_id AS "caseRow", action, state, changed_at AS "changedAt", state_seen AS "stateSeen", seen_since AS "seenSince",
       state_checked_at AS "stateCheckedAt", state_error AS "stateError", was_contained AS "wasContained"
     FROM containments WHERE uuid = ?`,
    containment.uuid,
  )
  if (row === undefined || row.changedAt !== containment.changedAt || !mayCount(row, check.startedAt)) return
  const now = clock.now()
  const stateError = fromJson<StateChecks['stateError']>(row.stateError)
  const known = { ...row, wasContained: row.wasContained === 1, stateError }
  const after = afterCheck(known, check, { now, periodMs })
  const { state, stateSeen, seenSince, stateCheckedAt, checkAt, endedBy } = after
  const error = after.stateError === null ? null : toJson(after.stateError)
  // Each column that is set is announced.
  yield* updateRow(database, 'containments', row.id, {
    seenSince,
    stateCheckedAt,
    checkAt,
    wasContained: after.wasContained ? 1 : 0,
    ...(stateSeen !== row.stateSeen && { stateSeen }),
    ...(error !== row.stateError && { stateError: error }),
    ...(state !== row.state && { state, endedBy, changedAt: now }),
  })
  // It may expire again.
  if (state !== row.state) database.expiries.onChanged()
  if (after.endedBy === undefined || row.caseRow === null) return
  yield* insertEntry(
    database,
    row.caseRow,
    releasedEntry(fromJson<CaseAction>(row.action), after.endedBy, now),
  )
}

/** See `ContainmentStore.standing`. */
export function* countStanding(database: Database, now: number): Work<StandingContainments> {
  const rows = yield* database.all<{ state: StandingState; count: number; failed: number; oldest: number }>(
    `SELECT t.state, count(*) AS count, count(t.state_error) AS failed, min(t.created_at) AS oldest
     FROM organizations o CROSS JOIN containments t ON t.organization_id = o.id AND t.state ${inStates(standingStates)}
     GROUP BY t.state`,
  )
  const counts = new Map(rows.map(({ state, count }) => [state, count]))
  const [first] = rows.map(({ oldest }) => oldest).toSorted((a, b) => a - b)
  return {
    byState: Object.fromEntries(
      standingStates.map((state) => [state, counts.get(state) ?? 0]),
    ) as StandingContainments['byState'],
    oldestMs: first === undefined ? 0 : Math.max(0, now - first),
    failedChecks: rows.reduce((sum, { failed }) => sum + failed, 0),
  }
}
