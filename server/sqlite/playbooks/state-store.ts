import type { Actor } from '../../../core/domain/audit.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type {
  StatePlace,
  StateStore,
  StoredState,
  StoredStateEntry,
} from '../../../core/ports/runs/state-store.ts'
import { stateNotFound } from '../../../core/transitions/state.ts'
import type { StateEntry, StateSize } from '../../../core/state/state.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson } from '../database/columns.ts'
import { listPage, whereAll } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqliteStore } from '../context/store-context.ts'
import {
  findState,
  findStateEntry,
  removeState,
  stateAccess,
  stateKey,
  toSize,
  type StateRow,
} from './state-rows.ts'

interface ListedRow extends StateRow {
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly changedAt: number
  readonly value: string | null
}

interface EntryRow {
  readonly id: number
  readonly organizationCode: string
  readonly sensitive: number
  readonly key: string
  readonly value: string | null
  readonly addedAt: number
  readonly expiresAt: number | null
}

export class SqliteStateStore extends SqliteStore implements StateStore {
  list(scope: OrganizationScope, playbook: string): Promise<readonly StoredState[]> {
    const conditions = [
      { sql: 't.playbook_name = ?', values: [playbook] },
      ...scopeConditions(scope, 't.organization_id'),
    ]
    return this.database.read(() =>
      this.database
        .all<ListedRow>(
          `SELECT t.id, t.name, t.kind, t.sensitive, t.entries, t.bytes, t.changed_at AS changedAt,
             o.uuid AS organizationUuid, o.code AS organizationCode, iif(t.sensitive, NULL, e.value) AS value
           FROM playbook_states t JOIN organizations o ON o.id = t.organization_id
             LEFT JOIN state_entries e ON e.state_id = t.id AND e.key = '' AND (e.expires_at IS NULL OR e.expires_at > ?)
           ${whereAll(conditions)} ORDER BY t.name, o.code LIMIT 1000`,
          this.clock.now(),
          ...conditions.flatMap(({ values }) => values),
        )
        .map((row) => ({
          ...toSize(row),
          name: row.name,
          organizationUuid: row.organizationUuid,
          organizationCode: row.organizationCode,
          changedAt: row.changedAt,
          ...(row.value !== null && { value: fromJson(row.value) }),
        })),
    )
  }

  entries(
    scope: OrganizationScope,
    playbook: string,
    name: string,
    page: ListRequest,
  ): Promise<ListPage<StoredStateEntry>> {
    return this.database.read(() =>
      listPage<EntryRow, StoredStateEntry>(this.database, {
        name: 'state_entries',
        table: 'state_entries t JOIN playbook_states s ON s.id = t.state_id',
        select: `SELECT t.id, o.code AS organizationCode, s.sensitive, t.key, iif(s.sensitive, NULL, t.value) AS value,
            t.added_at AS addedAt, t.expires_at AS expiresAt
          FROM state_entries t JOIN playbook_states s ON s.id = t.state_id JOIN organizations o ON o.id = s.organization_id`,
        conditions: [
          { sql: 's.playbook_name = ? AND s.name = ?', values: [playbook, name] },
          { sql: `t.key <> '' AND (t.expires_at IS NULL OR t.expires_at > ?)`, values: [this.clock.now()] },
          ...scopeConditions(scope, 's.organization_id'),
        ],
        page,
        toItem: ({ id: _, sensitive, value, ...row }) => ({
          ...row,
          isSensitive: sensitive === 1,
          value: value === null ? null : fromJson(value),
        }),
      }),
    )
  }

  reset({ organizationUuid, playbook, name, key }: StatePlace, by: Actor): Promise<void> {
    return this.commits.write(() => {
      const { id: organization } = requireOrganization(this.database, organizationUuid)
      const state = findState(this.database, organization, playbook, name)
      const at = key === undefined || state === undefined ? '' : stateKey(state, playbook, key)
      const isStored = state && (key === undefined || findStateEntry(this.database, state, at) !== undefined)
      if (state === undefined || !isStored) throw stateNotFound(playbook, name, key)
      if (key === undefined) removeState(this.database, state.id)
      else stateAccess(this.context, organization, playbook).remove(name, at)
      recordAudit(this.context, {
        action: 'playbook.state_reset',
        by,
        organizationUuid,
        subject: { kind: 'playbook', id: playbook, name: playbook },
        details: { state: name, ...(key !== undefined && state.sensitive === 0 && { key }) },
      })
    })
  }

  async size(organizationUuid: string, playbook: string, name: string): Promise<StateSize | undefined> {
    return await this.database.read(() => {
      const row = this.#find(organizationUuid, playbook, name)
      return row && toSize(row)
    })
  }

  async entry(
    organizationUuid: string,
    playbook: string,
    name: string,
    key: string,
  ): Promise<StateEntry | undefined> {
    return await this.database.read(() => {
      const row = this.#find(organizationUuid, playbook, name)
      return row && findStateEntry(this.database, row, key)
    })
  }

  #find(organizationUuid: string, playbook: string, name: string): StateRow | undefined {
    const { id } = requireOrganization(this.database, organizationUuid)
    return findState(this.database, id, playbook, name)
  }
}
