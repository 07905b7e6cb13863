import { authorOf, type Actor, type Author } from '../../../core/domain/audit.ts'
import type {
  ListedPlaybook,
  NewPlaybook,
  PlaybookFilter,
  PlaybookStore,
  StoredPlaybook,
} from '../../../core/ports/playbook-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { filterBy, listPage, whereAll, type Condition } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqliteStore } from '../context/store-context.ts'

interface PlaybookRow extends Omit<StoredPlaybook, 'source' | 'isNewest' | 'putInForce'> {
  readonly id: number
  readonly newest: number
  readonly putBy: string | null
  readonly putAt: number | null
}

const columns = `t.id, t.name, t.hash, t.origin, o.uuid AS organizationUuid, t.newest, t.created_at AS createdAt,
  t.put_in_force_by AS putBy, t.put_in_force_at AS putAt`
const tables = 'FROM playbooks t LEFT JOIN organizations o ON o.id = t.organization_id'

const newest: Condition = { sql: 't.newest = 1', values: [] }

export class SqlitePlaybookStore extends SqliteStore implements PlaybookStore {
  put(
    { name, hash, source, origin, organizationUuid }: NewPlaybook,
    by: Actor,
    promoted?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.commits.write(() => {
      const owner = organizationUuid === null ? null : requireOrganization(this.database, organizationUuid).id
      this.database.run(
        `INSERT INTO playbooks (organization_id, name, hash, source, origin, newest, created_at)
           VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
        owner,
        name,
        hash,
        source,
        origin,
        this.clock.now(),
      )
      const isOfName = 'name = ? AND ifnull(organization_id, 0) = ?'
      const ofName = [name, owner ?? 0]
      this.database.run(
        `UPDATE playbooks SET newest = 0 WHERE ${isOfName} AND newest = 1 AND hash <> ?`,
        ...ofName,
        hash,
      )
      const isNews =
        this.database.run(
          `UPDATE playbooks SET newest = 1, removed_at = NULL, put_in_force_by = ?, put_in_force_at = ?
             WHERE ${isOfName} AND (newest = 0 OR removed_at IS NOT NULL) AND hash = ?`,
          toJson(authorOf(by)),
          this.clock.now(),
          ...ofName,
          hash,
        ) === 1
      // A trial is not published: its run is recorded.
      if (promoted === undefined && (!isNews || origin === 'trial')) return
      recordAudit(this.context, {
        action: promoted === undefined ? 'playbook.put_in_force' : 'playbook.promoted',
        by,
        organizationUuid,
        subject: { kind: 'playbook', id: hash, name },
        details: { origin, ...promoted },
      })
    })
  }

  keepOnly(names: readonly string[], by: Actor): Promise<void> {
    return this.commits.write(() => {
      const removed = this.database.all<{ id: number; name: string; hash: string }>(
        `UPDATE playbooks SET removed_at = ? WHERE newest = 1 AND origin = 'file' AND removed_at IS NULL
           AND name NOT IN (SELECT value FROM json_each(?)) RETURNING id, name, hash`,
        this.clock.now(),
        JSON.stringify(names),
      )
      for (const { name, hash } of removed.toSorted((a, b) => a.id - b.id)) {
        recordAudit(this.context, {
          action: 'playbook.removed',
          by,
          organizationUuid: null,
          subject: { kind: 'playbook', id: hash, name },
        })
      }
    })
  }

  list(
    scope: OrganizationScope,
    page: ListRequest,
    { origin, text }: PlaybookFilter = {},
  ): Promise<ListPage<ListedPlaybook>> {
    return this.database.read(() =>
      listPage<PlaybookRow, ListedPlaybook>(this.database, {
        name: 'playbooks',
        table: 'playbooks t',
        select: `SELECT ${columns} ${tables}`,
        conditions: [
          newest,
          ...visible(scope),
          ...(origin === undefined
            ? [{ sql: `t.origin <> 'trial'`, values: [] }]
            : filterBy('t.origin = ?', origin)),
          ...filterBy('instr(lower(t.name), lower(?)) > 0', text),
        ],
        page,
        toItem: toListedPlaybook,
      }),
    )
  }

  find(scope: OrganizationScope, name: string): Promise<StoredPlaybook | undefined> {
    return this.#first([newest, { sql: 't.name = ?', values: [name] }, ...visible(scope)])
  }

  async versions(
    scope: OrganizationScope,
    name: string,
    page: ListRequest,
  ): Promise<ListPage<ListedPlaybook>> {
    const found = await this.find(scope, name)
    const owner = found?.organizationUuid ?? null
    return this.database.read(() =>
      listPage<PlaybookRow, ListedPlaybook>(this.database, {
        name: 'versions',
        table: 'playbooks t LEFT JOIN organizations o ON o.id = t.organization_id',
        select: `SELECT ${columns} ${tables}`,
        conditions: [
          { sql: 't.name = ?', values: [name] },
          owner === null
            ? { sql: 't.organization_id IS NULL', values: [] }
            : { sql: 'o.uuid = ?', values: [owner] },
          ...visible(scope),
        ],
        page,
        toItem: toListedPlaybook,
      }),
    )
  }

  findByHash(scope: OrganizationScope, hash: string): Promise<StoredPlaybook | undefined> {
    return this.#first([{ sql: 't.hash = ?', values: [hash] }, ...visible(scope)])
  }

  /** An authored playbook precedes generated ones, then the oldest. */
  #first(conditions: readonly Condition[]): Promise<StoredPlaybook | undefined> {
    return this.database.read(() => {
      const row = this.database.get<PlaybookRow & { readonly source: string }>(
        `SELECT ${columns}, t.source ${tables} ${whereAll(conditions)}
           ORDER BY t.organization_id IS NOT NULL, t.id LIMIT 1`,
        ...conditions.flatMap(({ values }) => values),
      )
      return row && { ...toListedPlaybook(row), source: row.source }
    })
  }
}

function toListedPlaybook(row: PlaybookRow): ListedPlaybook {
  const { name, hash, origin, organizationUuid, newest, createdAt, putBy, putAt } = row
  return {
    name,
    hash,
    origin,
    organizationUuid,
    isNewest: newest === 1,
    createdAt,
    putInForce: putBy === null || putAt === null ? null : { at: putAt, by: fromJson<Author>(putBy) },
  }
}

/** Playbooks of the organizations in scope, and those of all. */
function visible(scope: OrganizationScope): readonly Condition[] {
  return scopeConditions(scope, 't.organization_id').map(({ sql, values }) => ({
    sql: `(t.organization_id IS NULL OR ${sql})`,
    values,
  }))
}
