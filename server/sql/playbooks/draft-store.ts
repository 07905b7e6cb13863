import type { Work } from '../database/work.ts'
import type { Actor, AuditAction, Author } from '../../../core/domain/audit.ts'
import {
  draftNotFound,
  requireDraftRoom,
  requireSeenDraft,
  savedBy,
  type ListedDraft,
  type PlaybookDraft,
  type SeenDraft,
} from '../../../core/draft/draft.ts'
import { contentHash } from '../../../core/playbook/language/source-text.ts'
import type { OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
import type { DraftStore, NewDraft } from '../../../core/ports/playbooks/draft-store.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { whereAll, type Condition } from '../database/paging.ts'

interface DraftRow extends Omit<ListedDraft, 'createdBy' | 'changedBy'> {
  readonly createdBy: string
  readonly changedBy: string
}

const columns = `d.name, d.revision, d.base_hash AS "baseHash", d.note, o.uuid AS "organizationUuid",
  d.created_at AS "createdAt", d.created_by AS "createdBy", d.changed_at AS "changedAt", d.changed_by AS "changedBy"`
const tables = 'FROM playbook_drafts d LEFT JOIN organizations o ON o.id = d.organization_id'

export class SqlDraftStore extends SqlStore implements DraftStore {
  list(scope: OrganizationScope): Promise<readonly ListedDraft[]> {
    const conditions = visible(scope)
    return this.read(function* () {
      return (yield* this.database.all<DraftRow>(
        `SELECT ${columns} ${tables} ${whereAll(conditions)} ORDER BY d.changed_at DESC, d.revision DESC`,
        ...conditions.flatMap(({ values }) => values),
      )).map(toListed)
    })
  }

  find(scope: OrganizationScope, name: string): Promise<PlaybookDraft | undefined> {
    return this.read(() => this.#find(scope, name))
  }

  save(given: NewDraft, seen: SeenDraft, by: Actor): Promise<PlaybookDraft> {
    return this.write(function* () {
      const { name, source, baseHash, note, organizationUuid } = given
      const owner =
        organizationUuid === null ? null : (yield* requireOrganization(this.database, organizationUuid)).id
      const before = yield* this.#find('all', name)
      requireSeenDraft(before, seen)
      if (before === undefined || before.organizationUuid !== organizationUuid)
        requireDraftRoom(yield* this.#countOf(owner))
      const { createdAt, createdBy, changedAt, changedBy } = savedBy(before, by, this.clock.now())
      // Each save is a new row, with a revision that was never used.
      yield* this.database.run('DELETE FROM playbook_drafts WHERE name = ?', name)
      yield* this.database.run(
        `INSERT INTO playbook_drafts
           (organization_id, name, source, base_hash, note, created_at, created_by, changed_at, changed_by)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        owner,
        name,
        source,
        baseHash,
        note,
        createdAt,
        toJson(createdBy),
        changedAt,
        toJson(changedBy),
      )
      return yield* this.#recorded('playbook.draft_saved', yield* this.#require('all', name), by)
    })
  }

  async discard(scope: OrganizationScope, name: string, seen: SeenRevision, by: Actor): Promise<void> {
    await this.write(function* () {
      const draft = yield* this.#require(scope, name)
      requireSeenDraft(draft, seen)
      yield* this.database.run('DELETE FROM playbook_drafts WHERE revision = ?', draft.revision)
      yield* this.#recorded('playbook.draft_discarded', draft, by)
    })
  }

  /** Drafts of an organization (its row); null: shared ones. */
  *#countOf(owner: number | null): Work<number> {
    const count = 'SELECT count(*) AS n FROM playbook_drafts WHERE organization_id IS NOT DISTINCT FROM ?'
    return (yield* this.database.one<{ n: number }>(count, owner)).n
  }

  *#find(scope: OrganizationScope, name: string): Work<PlaybookDraft | undefined> {
    const conditions = [{ sql: 'd.name = ?', values: [name] }, ...visible(scope)]
    const row = yield* this.database.get<DraftRow & { readonly source: string }>(
      `SELECT ${columns}, d.source ${tables} ${whereAll(conditions)}`,
      ...conditions.flatMap(({ values }) => values),
    )
    return row && { ...toListed(row), source: row.source }
  }

  *#require(scope: OrganizationScope, name: string): Work<PlaybookDraft> {
    const draft = yield* this.#find(scope, name)
    if (draft === undefined) throw draftNotFound(name)
    return draft
  }

  *#recorded(action: AuditAction, draft: PlaybookDraft, by: Actor): Work<PlaybookDraft> {
    const { name, source, organizationUuid, note, baseHash } = draft
    const subject = { kind: 'playbook', id: contentHash(source), name } as const
    const details = { base_hash: baseHash, ...(note !== '' && { note }) }
    yield* recordAudit(this.context, { action, by, organizationUuid, subject, details })
    return draft
  }
}

const toListed = ({ createdBy, changedBy, ...row }: DraftRow): ListedDraft => {
  const { name, revision, baseHash, note, organizationUuid, createdAt, changedAt } = row
  const authors = { createdBy: fromJson<Author>(createdBy), changedBy: fromJson<Author>(changedBy) }
  return { name, revision, baseHash, note, organizationUuid, createdAt, changedAt, ...authors }
}

/** Drafts of the organizations in scope, and those of all. */
function visible(scope: OrganizationScope): readonly Condition[] {
  return scopeConditions(scope, 'd.organization_id').map(({ sql, values }) => ({
    sql: `(d.organization_id IS NULL OR ${sql})`,
    values,
  }))
}
