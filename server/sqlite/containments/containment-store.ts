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
import { SqliteStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { updateRow } from '../context/rows.ts'
import {
  findStanding,
  selectContainment,
  toContainment,
  type ContainmentRow,
  type KnownStanding,
} from './containment-rows.ts'

import { countStanding, dueChecks, noteStateCheck } from './state-check-rows.ts'

export class SqliteContainmentStore extends SqliteStore implements ContainmentStore {
  list(
    scope: OrganizationScope,
    page: ListRequest,
    { states, caseId, runUuid }: ContainmentFilter,
  ): Promise<ListPage<Containment>> {
    return this.database.read(() =>
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
    return this.database.read(() => {
      const row = this.database.get<ContainmentRow>(`${selectContainment} WHERE t.uuid = ?`, id)
      return row && isInScope(scope, row.organizationUuid) ? toContainment(row) : undefined
    })
  }

  undoInput(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.database.read(() => {
      const row = this.database.get<{ input: string | null }>(
        `SELECT ${opened(undoInput.name, undoInput.place)} AS input FROM containments WHERE uuid = ?`,
        id,
      )
      return fromJson<Readonly<Record<string, unknown>>>(row?.input ?? null) ?? undefined
    })
  }

  due(now: number, limit: number): Promise<readonly Containment[]> {
    // A write, so that it runs after the writes that change expiries.
    return this.commits.write(() =>
      this.database.all<ContainmentRow>(expiryQueries.due, expiring, now, limit).map(toContainment),
    )
  }

  nextExpiry(): Promise<number | undefined> {
    return this.commits.write(
      () => this.database.get<{ at: number | null }>(expiryQueries.next, expiring)?.at ?? undefined,
    )
  }

  watchExpiry(onChanged: () => void): void {
    this.database.expiries.onChanged = onChanged
  }

  settleExpiry(id: string, expiresAt: number, outcome: ExpiryOutcome): Promise<boolean> {
    return this.commits.write(() => {
      const known = findStanding(this.database, id)
      if (known?.expiresAt !== expiresAt || !expiringStates.includes(known.state)) return false
      const now = this.#change(known, afterExpiry(outcome, expiresAt))
      if (known.caseRow !== null)
        insertEntry(this.database, known.caseRow, notUndoneEntry(actionIn(known), outcome, now))
      return true
    })
  }

  extend(id: string, extension: Extension, by: Actor): Promise<Containment> {
    return this.commits.write(() => {
      const known = findStanding(this.database, id)
      const changes = afterExtension(known, extension, this.clock.now())
      if (known === undefined) throw new Error('a missing containment was extended')
      const now = this.#change(known, changes)
      const { expiresAt } = changes
      const action = actionIn(known)
      recordAudit(this.context, {
        action: 'containment.extended',
        by,
        organizationUuid: known.organizationUuid,
        subject: { kind: 'containment', id, name: action.skill },
        details: { run: action.run_uuid, path: action.path, was: known.expiresAt, expires_at: expiresAt },
      })
      if (known.caseRow !== null)
        insertEntry(this.database, known.caseRow, extendedEntry(action, expiresAt, by, now))
      this.database.expiries.onChanged()
      return toContainment(
        this.database.one<ContainmentRow>(`${selectContainment} WHERE t.id = ?`, known.row),
      )
    })
  }

  standing(): Promise<StandingContainments> {
    return this.database.read(() => countStanding(this.database, this.clock.now()))
  }

  dueChecks(now: number, limit: number): Promise<readonly DueCheck[]> {
    return this.database.read(() => dueChecks(this.database, now, limit))
  }

  noteCheck(uuid: string, changedAt: number, check: StateCheck, periodMs: number): Promise<void> {
    return this.commits.write(() => noteStateCheck(this.context, { uuid, changedAt }, check, periodMs))
  }

  /** Inside of a write. Gives the time of the change. */
  #change({ row }: KnownStanding, changes: Pick<Containment, 'state' | 'expiresAt' | 'note'>): number {
    const changedAt = this.clock.now()
    updateRow(this.database, 'containments', row, { ...changes, changedAt })
    return changedAt
  }
}

/** They read no containments that were undone after their expiry, which are kept forever. */
export const expiryQueries = {
  due: `${selectContainment} WHERE t.state IN (SELECT value FROM json_each(?)) AND t.expires_at <= ?
    ORDER BY t.expires_at, t.id LIMIT ?`,
  next: `SELECT min(expires_at) AS at FROM containments
    WHERE state IN (SELECT value FROM json_each(?)) AND expires_at IS NOT NULL`,
} as const

const { undoInput } = sealedColumns
const expiring = toJson(expiringStates)

const actionIn = ({ action }: KnownStanding): CaseAction => fromJson<CaseAction>(action)
