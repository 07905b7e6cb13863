import type { Actor } from '../../../core/domain/audit.ts'
import type { Case, CaseAction, CaseEdit, CaseEntry } from '../../../core/domain/case.ts'
import type { CaseChanges, NewCase } from '../../../core/plugin/index.ts'
import type { CaseFilter, CasePageRequest, CaseSort, CaseStore } from '../../../core/ports/case-store.ts'
import type { Page, PageRequest, Scope, SeenRevision } from '../../../core/ports/common.ts'
import {
  caseByRow,
  findCaseRow,
  insertCase,
  requireCaseRow,
  selectCase,
  toCase,
  type CaseRow,
} from './case-rows.ts'
import { actionsOf } from './case-actions.ts'
import {
  caseEntryByRow,
  insertEntry,
  selectCaseEntry,
  toCaseEntry,
  type CaseEntryRow,
} from './case-entries.ts'
import { caseFilterConditions } from './case-filter.ts'
import {
  findCaseWrite,
  keepCaseWrite,
  keyReused,
  type CaseOperation,
  type CaseWriteRow,
} from './case-writes.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { listPage, type Order } from '../database/paging.ts'
import { requireRevision } from '../context/revision.ts'
import { isInScope, scopeConditions } from '../context/scope.ts'
import type { StoreContext } from '../context/store-context.ts'

const coalesced = ['title', 'summary', 'status', 'severity', 'verdict'] as const
const fields = [...coalesced, 'assignee'] as const
/** Fields whose values are short enough to stand in the timeline's sentence. */
const shown: ReadonlySet<string> = new Set(['title', 'status', 'severity', 'verdict', 'assignee'])

const byChange = { column: 't.modified_at', valueOf: (row: CaseRow) => row.modifiedAt }
const bySeverity = { column: 't.severity_rank', valueOf: (row: CaseRow) => row.severityRank }

/** Cases are made in the order of their keys. */
const orders: Readonly<Record<CaseSort, Order<CaseRow>>> = {
  created_at: { descending: false },
  '-created_at': { descending: true },
  modified_at: { descending: false, by: byChange },
  '-modified_at': { descending: true, by: byChange },
  severity: { descending: false, by: bySeverity },
  '-severity': { descending: true, by: bySeverity },
}

export class SqliteCaseStore implements CaseStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  find(scope: Scope, id: string): Promise<Case | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = findCaseRow(database, id)
      return row && isInScope(scope, row.organizationUuid) ? toCase(row) : undefined
    })
  }

  findByKey(organizationUuid: string, key: string): Promise<Case | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<CaseRow>(
        `${selectCase} JOIN case_writes w ON w.case_id = t.id AND w.organization_id = t.organization_id
         WHERE o.uuid = ? AND w.idempotency_key = ? AND w.operation = 'create'`,
        organizationUuid,
        key,
      )
      return row && toCase(row)
    })
  }

  list(scope: Scope, filter: CaseFilter, page: CasePageRequest): Promise<Page<Case>> {
    const { database } = this.#context
    return database.read(() =>
      listPage<CaseRow, Case>(database, {
        name: 'cases',
        table: 'cases t',
        select: selectCase,
        conditions: [...scopeConditions(scope, 't.organization_id'), ...caseFilterConditions(filter)],
        page,
        order: orders[page.sort ?? '-created_at'],
        toItem: toCase,
      }),
    )
  }

  timeline(scope: Scope, id: string, page: PageRequest): Promise<Page<CaseEntry>> {
    const { database } = this.#context
    return database.read(() => {
      const row = findCaseRow(database, id)
      if (row === undefined || !isInScope(scope, row.organizationUuid))
        return { data: [], nextCursor: null, total: 0 }
      return listPage<CaseEntryRow, CaseEntry>(database, {
        name: `timeline ${row.id}`,
        table: 'case_entries t',
        select: selectCaseEntry,
        conditions: [{ sql: 't.case_id = ?', values: [row.id] }],
        page,
        toItem: toCaseEntry,
      })
    })
  }

  actions(scope: Scope, id: string, limit: number) {
    const { database } = this.#context
    return database.read(() => {
      const row = findCaseRow(database, id)
      const none: readonly CaseAction[] = []
      if (row === undefined || !isInScope(scope, row.organizationUuid)) return { data: none, total: 0 }
      return actionsOf(database, row.id, limit)
    })
  }

  create(organizationUuid: string, changes: NewCase, by: Actor, key: string): Promise<Case> {
    const { database, clock } = this.#context
    return this.#once(
      organizationUuid,
      'create',
      key,
      (organization) => insertCase(database, organization, changes, by, clock.now()).row,
    )
  }

  update(organizationUuid: string, id: string, changes: CaseChanges, by: Actor, key: string): Promise<Case> {
    const { database } = this.#context
    return this.#once(organizationUuid, 'update', key, () => {
      const row = requireCaseRow(database, organizationUuid, id)
      this.#change(row, changes, by)
      return row.id
    })
  }

  edit(
    organizationUuid: string,
    id: string,
    edit: CaseEdit,
    by: Actor,
    revision: SeenRevision,
  ): Promise<Case> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const row = requireCaseRow(database, organizationUuid, id)
      requireRevision(row.revision, revision)
      const changes = Object.fromEntries(
        fields
          .filter((field) => edit[field] !== undefined && edit[field] !== row[field])
          .map((field) => [field, edit[field]]),
      )
      if (Object.keys(changes).length > 0) this.#change(row, changes, by)
      return caseByRow(database, row.id)
    })
  }

  comment(organizationUuid: string, id: string, text: string, by: Actor, key: string): Promise<CaseEntry> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const organization = requireOrganization(database, organizationUuid)
      const row = requireCaseRow(database, organizationUuid, id)
      const earlier = findCaseWrite(database, organization, 'comment', key)
      if (earlier !== undefined) return this.#earlierNote(earlier, row, text, by, key)
      const at = clock.now()
      const entryRow = insertEntry(database, row.id, { at, by, kind: 'note', text, changes: null })
      database.run('UPDATE cases SET modified_at = ? WHERE id = ?', at, row.id)
      keepCaseWrite(database, organization, 'comment', key, row.id, entryRow)
      return caseEntryByRow(database, entryRow)
    })
  }

  /** Throws ConflictError `idempotency_key_reused` where the key made another note, or one in another case. */
  #earlierNote(earlier: CaseWriteRow, row: CaseRow, text: string, by: Actor, key: string): CaseEntry {
    const { database } = this.#context
    // Before version 15 it was not kept which note a key had made.
    const entry = earlier.entryRow === null ? undefined : caseEntryByRow(database, earlier.entryRow)
    if (earlier.row !== row.id || (entry !== undefined && entry.text !== text)) throw keyReused(key)
    const { requestId: request_id, ...actor } = by
    return entry ?? { at: row.modifiedAt, actor, request_id, kind: 'note', text, changes: null, action: null }
  }

  #change(row: CaseRow, changes: CaseEdit, by: Actor): void {
    const { database, clock } = this.#context
    const at = clock.now()
    const { assignee } = changes
    database.run(
      `UPDATE cases SET title = coalesce(?, title), summary = coalesce(?, summary), status = coalesce(?, status),
         severity = coalesce(?, severity), verdict = coalesce(?, verdict), assignee = CASE ? WHEN 1 THEN ? ELSE assignee END,
         revision = revision + 1, modified_at = ? WHERE id = ?`,
      ...coalesced.map((field) => changes[field] ?? null),
      assignee === undefined ? 0 : 1,
      assignee ?? null,
      at,
      row.id,
    )
    insertEntry(database, row.id, { at, by, kind: 'changed', text: describeChanges(row, changes), changes })
  }

  /** The write and the mark that it happened are one transaction; a repeat answers with the case of the first time. */
  #once(
    organizationUuid: string,
    operation: CaseOperation,
    key: string,
    write: (organization: OrganizationKey) => number,
  ): Promise<Case> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const organization = requireOrganization(database, organizationUuid)
      const earlier = findCaseWrite(database, organization, operation, key)
      if (earlier !== undefined) return caseByRow(database, earlier.row)
      const row = write(organization)
      keepCaseWrite(database, organization, operation, key, row, null)
      return caseByRow(database, row)
    })
  }
}

/** In words, with what it was before. */
function describeChanges(before: CaseEdit, changes: CaseEdit): string {
  const parts = fields
    .filter((field) => changes[field] !== undefined)
    .map((field) =>
      shown.has(field) ? describeChange(field, before[field], changes[field]) : `new ${field}`,
    )
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}

function describeChange(
  field: string,
  before: string | null | undefined,
  after: string | null | undefined,
): string {
  const was = before === after ? '' : ` (was ${before ?? 'nobody'})`
  return `${field} is now ${after ?? 'nobody'}${was}`
}
