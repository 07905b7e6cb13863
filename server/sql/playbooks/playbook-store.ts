import type { Work } from '../database/work.ts'
import { authorOf, type Actor, type Author } from '../../../core/domain/audit.ts'
import type {
  LeftFile,
  ListedPlaybook,
  NewPlaybook,
  PlaybookFilter,
  PlaybookStore,
  PreparedChange,
  Publication,
  PublishedBase,
  PublishedSet,
  StoredPlaybook,
  TakenFolder,
} from '../../../core/ports/playbook-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { foldAscii, fromJson, toJson } from '../database/columns.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { filterBy, listPage, whereAll, type Condition } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import {
  isUnchanged,
  keepChange,
  keepLeft,
  publishedHashes,
  rememberFiles,
  takenFolder,
} from './folder-rows.ts'

interface PlaybookRow extends Omit<StoredPlaybook, 'source' | 'isNewest' | 'putInForce' | 'draft'> {
  readonly id: number
  readonly newest: number
  readonly putBy: string | null
  readonly putAt: number | null
  readonly putReason: string | null
  readonly draftRevision: number | null
  readonly draftAt: number
  readonly draftBy: string
}

const columns = `t.id, t.name, t.hash, t.origin, o.uuid AS "organizationUuid", t.newest, t.created_at AS "createdAt",
  t.put_in_force_by AS "putBy", t.put_in_force_at AS "putAt", t.put_in_force_reason AS "putReason",
  d.revision AS "draftRevision", d.changed_at AS "draftAt", d.changed_by AS "draftBy"`
// The draft of an organization is none of the playbooks of another.
const tables = `FROM playbooks t LEFT JOIN organizations o ON o.id = t.organization_id
  LEFT JOIN playbook_drafts d ON d.name = t.name AND coalesce(d.organization_id, t.organization_id) IS NOT DISTINCT FROM t.organization_id`

const newest: Condition = { sql: 't.newest = 1', values: [] }

export class SqlPlaybookStore extends SqlStore implements PlaybookStore {
  put(playbook: NewPlaybook, by: Actor, publication: Publication = {}): Promise<void> {
    return this.write(() => this.#put(playbook, by, publication))
  }

  publish({ versions, removed, files }: PublishedSet, by: Actor, base?: PublishedBase): Promise<boolean> {
    return this.write(function* () {
      if (!(yield* isUnchanged(this.database, base))) return false
      for (const { publication = {}, ...version } of versions)
        yield* this.#put({ ...version, origin: 'file' }, by, publication)
      for (const { name, publication = {} } of removed) yield* this.#remove(name, by, publication)
      yield* rememberFiles(this.database, files)
      if (base !== undefined) yield* keepLeft(this.database, base.prepared, files)
      yield* keepChange(this.database, null)
      return true
    })
  }

  /** Inside of a write. */
  *#put(
    { name, hash, source, origin, organizationUuid }: NewPlaybook,
    by: Actor,
    { reason, revision, draftRevision, promoted }: Publication,
  ): Work<void> {
    const owner =
      organizationUuid === null ? null : (yield* requireOrganization(this.database, organizationUuid)).id
    const isEarlier =
      0 ===
      (yield* this.database.run(
        `INSERT INTO playbooks (organization_id, name, hash, source, origin, newest, created_at)
         VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
        owner,
        name,
        hash,
        source,
        origin,
        this.clock.now(),
      ))
    // The versions of an authored name may have different owners.
    const isOfName =
      origin === 'file'
        ? `name = ? AND origin = 'file'`
        : `name = ? AND origin <> 'file' AND organization_id = ?`
    const ofName = origin === 'file' ? [name] : [name, owner]
    yield* this.database.run(
      `UPDATE playbooks SET newest = 0 WHERE ${isOfName} AND newest = 1 AND hash <> ?`,
      ...ofName,
      hash,
    )
    const isNews =
      (yield* this.database.run(
        `UPDATE playbooks SET newest = 1, removed_at = NULL, removed_by = NULL, put_in_force_by = ?, put_in_force_at = ?,
           put_in_force_reason = ?
           WHERE ${isOfName} AND (newest = 0 OR removed_at IS NOT NULL) AND hash = ?`,
        toJson(authorOf(by)),
        this.clock.now(),
        reason ?? null,
        ...ofName,
        hash,
      )) === 1
    const draftBy = yield* this.#removeDraft(name, draftRevision)
    // A trial is not published: its run is recorded.
    if (promoted === undefined && (!isNews || origin === 'trial')) return
    yield* recordAudit(this.context, {
      action: promoted === undefined ? 'playbook.put_in_force' : 'playbook.promoted',
      by,
      organizationUuid,
      subject: { kind: 'playbook', id: hash, name },
      details: {
        origin,
        ...(reason !== undefined && { reason }),
        ...(revision !== undefined && { revision }),
        ...(isEarlier && isNews && { is_earlier_version: true }),
        ...(draftBy !== undefined && { draft_by: draftBy }),
        ...promoted,
      },
    })
  }

  /** Inside of a write: removes the published draft if it was not changed since. Returns its author. */
  *#removeDraft(name: string, draftRevision: number | undefined): Work<Author | undefined> {
    if (draftRevision === undefined) return undefined
    const sql = 'DELETE FROM playbook_drafts WHERE name = ? AND revision = ? RETURNING changed_by AS by'
    const removed = yield* this.database.get<{ by: string }>(sql, name, draftRevision)
    return removed && fromJson<Author>(removed.by)
  }

  /** Inside of a write. */
  *#remove(name: string, by: Actor, { reason, revision }: Publication): Work<void> {
    const removed = yield* this.database.get<{ hash: string; organizationUuid: string | null }>(
      `UPDATE playbooks SET removed_at = ?, removed_by = ? WHERE newest = 1 AND origin = 'file' AND removed_at IS NULL
         AND name = ? RETURNING hash, (SELECT uuid FROM organizations o WHERE o.id = organization_id) AS "organizationUuid"`,
      this.clock.now(),
      toJson(authorOf(by)),
      name,
    )
    if (removed === undefined) return
    yield* recordAudit(this.context, {
      action: 'playbook.removed',
      by,
      organizationUuid: removed.organizationUuid,
      subject: { kind: 'playbook', id: removed.hash, name },
      details: { ...(reason !== undefined && { reason }), ...(revision !== undefined && { revision }) },
    })
  }

  published(): Promise<ReadonlyMap<string, string>> {
    return this.read(() => publishedHashes(this.database))
  }

  lastChangedBy(name: string): Promise<Author | undefined> {
    const by = 'CASE WHEN removed_at IS NULL THEN put_in_force_by ELSE removed_by END'
    const sql = `SELECT ${by} AS by FROM playbooks WHERE newest = 1 AND origin = 'file' AND name = ? AND ${by} IS NOT NULL`
    return this.read(function* () {
      const row = yield* this.database.get<{ by: string }>(sql, name)
      return row && fromJson<Author>(row.by)
    })
  }

  folder(): Promise<TakenFolder> {
    return this.read(() => takenFolder(this.database))
  }

  prepare(change: PreparedChange | null, base?: PublishedBase): Promise<boolean> {
    return this.write(function* () {
      if (!(yield* isUnchanged(this.database, base))) return false
      if (base !== undefined && change !== null) yield* keepLeft(this.database, base.prepared, [])
      yield* keepChange(this.database, change)
      return true
    })
  }

  dropLeft(files: readonly LeftFile[]): Promise<void> {
    return this.write(() => keepLeft(this.database, undefined, files))
  }

  list(
    scope: OrganizationScope,
    page: ListRequest,
    { origin, text }: PlaybookFilter = {},
  ): Promise<ListPage<ListedPlaybook>> {
    return this.read(() =>
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
          ...filterBy('instr(lower(t.name), ?) > 0', text && foldAscii(text)),
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
    const isAuthored = found === undefined || found.origin === 'file'
    return this.read(() =>
      listPage<PlaybookRow, ListedPlaybook>(this.database, {
        name: 'versions',
        table: 'playbooks t LEFT JOIN organizations o ON o.id = t.organization_id',
        select: `SELECT ${columns} ${tables}`,
        conditions: [
          { sql: 't.name = ?', values: [name] },
          isAuthored
            ? { sql: `t.origin = 'file'`, values: [] }
            : { sql: `t.origin <> 'file' AND o.uuid = ?`, values: [found.organizationUuid] },
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
    return this.read(function* () {
      const row = yield* this.database.get<PlaybookRow & { readonly source: string }>(
        `SELECT ${columns}, t.source ${tables} ${whereAll(conditions)}
           ORDER BY t.origin <> 'file', t.id LIMIT 1`,
        ...conditions.flatMap(({ values }) => values),
      )
      return row && { ...toListedPlaybook(row), source: row.source }
    })
  }
}

function toListedPlaybook(row: PlaybookRow): ListedPlaybook {
  const { name, hash, origin, organizationUuid, newest, createdAt, putBy, putAt, putReason } = row
  const { draftRevision: revision, draftAt, draftBy } = row
  return {
    name,
    hash,
    origin,
    organizationUuid,
    isNewest: newest === 1,
    createdAt,
    putInForce:
      putBy === null || putAt === null ? null : { at: putAt, by: fromJson<Author>(putBy), reason: putReason },
    draft: revision === null ? null : { revision, changedAt: draftAt, changedBy: fromJson<Author>(draftBy) },
  }
}

/** Playbooks of the organizations in scope, and shared ones. */
function visible(scope: OrganizationScope): readonly Condition[] {
  return scopeConditions(scope, 't.organization_id').map(({ sql, values }) => ({
    sql: `(t.organization_id IS NULL OR ${sql})`,
    values,
  }))
}
