import type { Case, CaseEntry } from '../../core/domain/case.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import type { CaseChanges, NewCase } from '../../core/plugin/index.ts'
import type { CaseStore, Page, PageRequest, Scope } from '../../core/ports.ts'
import {
  caseByRow,
  findCaseRow,
  insertCase,
  insertEntry,
  requireCaseRow,
  selectCase,
  toCase,
  type CaseRow,
} from './case-rows.ts'
import { fromJson } from './columns.ts'
import { requireOrganization, type OrganizationKey } from './organization-store.ts'
import { listPage } from './paging.ts'
import { isInScope, scopeConditions } from './scope.ts'
import type { StoreContext } from './store-context.ts'

type Operation = 'create' | 'update' | 'comment'
type EntryRow = Omit<CaseEntry, 'changes'> & { readonly id: number; readonly changes: string | null }

const fields = ['title', 'summary', 'status', 'severity', 'verdict', 'assignee'] as const
/** Fields whose new value is short enough to stand in the timeline's sentence. */
const shown: ReadonlySet<string> = new Set(['status', 'severity', 'verdict', 'assignee'])

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

  list(scope: Scope, page: PageRequest): Promise<Page<Case>> {
    const { database } = this.#context
    return database.read(() =>
      listPage<CaseRow, Case>(database, {
        name: 'cases',
        table: 'cases t',
        select: selectCase,
        conditions: scopeConditions(scope, 't.organization_id'),
        page,
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
      return listPage<EntryRow, CaseEntry>(database, {
        name: `timeline ${row.id}`,
        table: 'case_entries t',
        select: 'SELECT t.id, t.at, t.author AS by, t.kind, t.text, t.changes FROM case_entries t',
        conditions: [{ sql: 't.case_id = ?', values: [row.id] }],
        page,
        toItem: toEntry,
      })
    })
  }

  create(organizationUuid: string, changes: NewCase, by: string, key: string): Promise<Case> {
    const { database, clock } = this.#context
    return this.#once(
      organizationUuid,
      'create',
      key,
      (organization) => insertCase(database, organization, changes, by, clock.now()).row,
    )
  }

  update(organizationUuid: string, id: string, changes: CaseChanges, by: string, key: string): Promise<Case> {
    const { database, clock } = this.#context
    return this.#once(organizationUuid, 'update', key, () => {
      const row = requireCaseRow(database, organizationUuid, id)
      const at = clock.now()
      database.run(
        `UPDATE cases SET title = coalesce(?, title), summary = coalesce(?, summary), status = coalesce(?, status),
           severity = coalesce(?, severity), verdict = coalesce(?, verdict), assignee = coalesce(?, assignee),
           modified_at = ? WHERE id = ?`,
        ...fields.map((field) => changes[field] ?? null),
        at,
        row.id,
      )
      insertEntry(database, row.id, { at, by, kind: 'changed', text: describeChanges(changes), changes })
      return row.id
    })
  }

  async comment(organizationUuid: string, id: string, text: string, by: string, key: string): Promise<void> {
    const { database, clock } = this.#context
    await this.#once(organizationUuid, 'comment', key, () => {
      const row = requireCaseRow(database, organizationUuid, id)
      const at = clock.now()
      insertEntry(database, row.id, { at, by, kind: 'note', text, changes: null })
      database.run('UPDATE cases SET modified_at = ? WHERE id = ?', at, row.id)
      return row.id
    })
  }

  /** The write and the mark that it happened are one transaction; a repeat answers with the case of the first time. */
  #once(
    organizationUuid: string,
    operation: Operation,
    key: string,
    write: (organization: OrganizationKey) => number,
  ): Promise<Case> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const organization = requireOrganization(database, organizationUuid)
      const earlier = database.get<{ operation: Operation; row: number }>(
        'SELECT operation, case_id AS row FROM case_writes WHERE organization_id = ? AND idempotency_key = ?',
        organization.id,
        key,
      )
      if (earlier !== undefined) {
        if (earlier.operation === operation) return caseByRow(database, earlier.row)
        throw new ConflictError('idempotency_key_reused', `the key '${key}' belongs to another write`)
      }
      const row = write(organization)
      database.run(
        'INSERT INTO case_writes (organization_id, idempotency_key, operation, case_id) VALUES (?, ?, ?, ?)',
        organization.id,
        key,
        operation,
        row,
      )
      return caseByRow(database, row)
    })
  }
}

function toEntry(row: EntryRow): CaseEntry {
  const { at, by, kind, text, changes } = row
  return { at, by, kind, text, changes: fromJson<CaseChanges>(changes) }
}

function describeChanges(changes: CaseChanges): string {
  const parts = fields
    .filter((field) => changes[field] !== undefined)
    .map((field) => (shown.has(field) ? `${field} is now ${changes[field]}` : `new ${field}`))
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}
