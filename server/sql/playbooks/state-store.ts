import type { Work } from '../database/work.ts'
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
import { SqlStore } from '../context/store-context.ts'
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

export class SqlStateStore extends SqlStore implements StateStore {
  list(scope: OrganizationScope, playbook: string): Promise<readonly StoredState[]> {
    const conditions = [
      { sql: 't.playbook_name = ?', values: [playbook] },
      ...scopeConditions(scope, 't.organization_id'),
    ]
    return this.read(function* () {
      return (yield* this.database.all<ListedRow>(
        `SELECT t.id, t.name, t.kind, t.sensitive, t.entries, t.bytes, t.changed_at AS "changedAt",
             o.uuid AS "organizationUuid", o.code AS "organizationCode", CASE WHEN t.sensitive = 1 THEN NULL ELSE e.value END AS value
           FROM playbook_states t JOIN organizations o ON o.id = t.organization_id
             LEFT JOIN state_entries e ON e.state_id = t.id AND e.key = '' AND (e.expires_at IS NULL OR e.expires_at > ?)
           ${whereAll(conditions)} ORDER BY t.name, lower(o.code) LIMIT 1000`,
        this.clock.now(),
        ...conditions.flatMap(({ values }) => values),
      )).map((row) => ({
        ...toSize(row),
        name: row.name,
        organizationUuid: row.organizationUuid,
        organizationCode: row.organizationCode,
        changedAt: row.changedAt,
        ...(row.value !== null && { value: fromJson(row.value) }),
      }))
    })
  }

  entries(
    scope: OrganizationScope,
    playbook: string,
    name: string,
    page: ListRequest,
  ): Promise<ListPage<StoredStateEntry>> {
    return this.read(() =>
      listPage<EntryRow, StoredStateEntry>(this.database, {
        name: 'state_entries',
        table: 'state_entries t JOIN playbook_states s ON s.id = t.state_id',
        select: `SELECT t.id, o.code AS "organizationCode", s.sensitive, t.key, CASE WHEN s.sensitive = 1 THEN NULL ELSE t.value END AS value,
            t.added_at AS "addedAt", t.expires_at AS "expiresAt"
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
    return this.write(function* () {
      const { id: organization } = yield* requireOrganization(this.database, organizationUuid)
      const state = yield* findState(this.database, organization, playbook, name)
      const at = key === undefined || state === undefined ? '' : stateKey(state, playbook, key)
      const isStored =
        state && (key === undefined || (yield* findStateEntry(this.database, state, at)) !== undefined)
      if (state === undefined || !isStored) throw stateNotFound(playbook, name, key)
      if (key === undefined) yield* removeState(this.database, state.id)
      else yield* stateAccess(this.context, organization, playbook).remove(name, at)
      yield* recordAudit(this.context, {
        action: 'playbook.state_reset',
        by,
        organizationUuid,
        subject: { kind: 'playbook', id: playbook, name: playbook },
        details: { state: name, ...(key !== undefined && state.sensitive === 0 && { key }) },
      })
    })
  }

  async size(organizationUuid: string, playbook: string, name: string): Promise<StateSize | undefined> {
    return await this.read(function* () {
      const row = yield* this.#find(organizationUuid, playbook, name)
      return row && toSize(row)
    })
  }

  async entry(
    organizationUuid: string,
    playbook: string,
    name: string,
    key: string,
  ): Promise<StateEntry | undefined> {
    return await this.read(function* () {
      const row = yield* this.#find(organizationUuid, playbook, name)
      return row && (yield* findStateEntry(this.database, row, key))
    })
  }

  *#find(organizationUuid: string, playbook: string, name: string): Work<StateRow | undefined> {
    const { id } = yield* requireOrganization(this.database, organizationUuid)
    return yield* findState(this.database, id, playbook, name)
  }
}
