import type { Work } from '../database/work.ts'
import {
  afterExpiry,
  afterExtension,
  expiringStates,
  type Containment,
  type ExpiryOutcome,
  type Extension,
} from '../../../core/destructive/containment.ts'
import type { DueCheck } from '../../../core/destructive/checks/containment-state.ts'
import type { StateCheck } from '../../../core/destructive/checks/state-checks.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { CaseAction } from '../../../core/domain/case.ts'
import { extendedEntry, notUndoneEntry } from '../../../core/transitions/timeline.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { isInScope } from '../../../core/common/scope.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type {
  ContainmentFilter,
  ContainmentStore,
  StandingContainments,
} from '../../../core/ports/runs/containment-store.ts'
import { ofCase } from '../cases/case-rows.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { noteContainmentState } from '../notifications/note-work.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { updateRow } from '../context/rows.ts'
import {
  findStanding,
  inStates,
  selectContainment,
  toContainment,
  type ContainmentRow,
  type KnownStanding,
} from './containment-rows.ts'

import { countStanding, dueChecks, noteStateCheck } from './state-check-rows.ts'

export class SqlContainmentStore extends SqlStore implements ContainmentStore {
  list(
    scope: OrganizationScope,
    page: ListRequest,
    { states, caseId, runUuid }: ContainmentFilter,
  ): Promise<ListPage<Containment>> {
    return this.read(() =>
      listPage<ContainmentRow, Containment>(this.database, {
        name: 'containments',
        table: 'containments t',
        select: selectContainment,
        conditions: [
          ...scopeConditions(scope, 't.organization_id'),
          ...filterBy('t.state IN (SELECT value FROM json_each(?))', states && toJson(states)),
          ...filterBy('t.run_uuid = ?', runUuid),
          ...(caseId === undefined ? [] : [ofCase('t.case_id', caseId)]),
        ],
        page,
        toItem: toContainment,
      }),
    )
  }

  find(scope: OrganizationScope, id: string): Promise<Containment | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<ContainmentRow>(`${selectContainment} WHERE t.uuid = ?`, id)
      return row && isInScope(scope, row.organizationUuid) ? toContainment(row) : undefined
    })
  }

  undoInput(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<{ input: string | null }>(
        `SELECT ${opened(undoInput.name, undoInput.place)} AS input FROM containments WHERE uuid = ?`,
        id,
      )
      return fromJson<Readonly<Record<string, unknown>>>(row?.input ?? null) ?? undefined
    })
  }

  due(now: number, limit: number): Promise<readonly Containment[]> {
    // A write, so that it runs after the writes that change expiries.
    return this.write(function* () {
      return (yield* this.database.all<ContainmentRow>(expiryQueries.due, now, limit)).map(toContainment)
    })
  }

  nextExpiry(): Promise<number | undefined> {
    return this.write(function* () {
      return (yield* this.database.get<{ at: number | null }>(expiryQueries.next))?.at ?? undefined
    })
  }

  watchExpiry(onChanged: () => void): void {
    this.database.expiries.onChanged = onChanged
  }

  settleExpiry(id: string, expiresAt: number, outcome: ExpiryOutcome): Promise<boolean> {
    return this.write(function* () {
      const known = yield* findStanding(this.database, id)
      if (known?.expiresAt !== expiresAt || !expiringStates.includes(known.state)) return false
      const after = afterExpiry(outcome, expiresAt)
      const now = yield* this.#change(known, after)
      yield* noteContainmentState(this.database, known.row, known.state, after.state, now)
      if (known.caseRow !== null)
        yield* insertEntry(this.database, known.caseRow, notUndoneEntry(actionIn(known), outcome, now))
      return true
    })
  }

  extend(id: string, extension: Extension, by: Actor): Promise<Containment> {
    return this.write(function* () {
      const known = yield* findStanding(this.database, id)
      const changes = afterExtension(known, extension, this.clock.now())
      if (known === undefined) throw new Error('a missing containment was extended')
      const now = yield* this.#change(known, changes)
      const { expiresAt } = changes
      const action = actionIn(known)
      yield* recordAudit(this.context, {
        action: 'containment.extended',
        by,
        organizationUuid: known.organizationUuid,
        subject: { kind: 'containment', id, name: action.skill },
        details: { run: action.run_uuid, path: action.path, was: known.expiresAt, expires_at: expiresAt },
      })
      if (known.caseRow !== null)
        yield* insertEntry(this.database, known.caseRow, extendedEntry(action, expiresAt, by, now))
      this.database.expiries.onChanged()
      return toContainment(
        yield* this.database.one<ContainmentRow>(`${selectContainment} WHERE t.id = ?`, known.row),
      )
    })
  }

  standing(): Promise<StandingContainments> {
    return this.read(() => countStanding(this.database, this.clock.now()))
  }

  dueChecks(now: number, limit: number): Promise<readonly DueCheck[]> {
    return this.read(() => dueChecks(this.database, now, limit))
  }

  noteCheck(uuid: string, changedAt: number, check: StateCheck, periodMs: number): Promise<void> {
    return this.write(() => noteStateCheck(this.context, { uuid, changedAt }, check, periodMs))
  }

  /** Inside of a write. Gives the time of the change. */
  *#change({ row }: KnownStanding, changes: Pick<Containment, 'state' | 'expiresAt' | 'note'>): Work<number> {
    const changedAt = this.clock.now()
    yield* updateRow(this.database, 'containments', row, { ...changes, changedAt })
    return changedAt
  }
}

/** They read no containments that were undone after their expiry, which are kept forever. */
export const expiryQueries = {
  due: `${selectContainment} WHERE t.state ${inStates(expiringStates)} AND t.expires_at <= ?
    ORDER BY t.expires_at, t.id LIMIT ?`,
  next: `SELECT min(expires_at) AS at FROM containments
    WHERE state ${inStates(expiringStates)} AND expires_at IS NOT NULL`,
} as const

const { undoInput } = sealedColumns

const actionIn = ({ action }: KnownStanding): CaseAction => fromJson<CaseAction>(action)
