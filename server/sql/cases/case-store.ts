import { known, type Work } from '../database/work.ts'
import type { Mention } from '../../../core/case/mentions.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Case, CaseAction, CaseEdit, CaseEntry } from '../../../core/domain/case.ts'
import type { CaseChanges, NewCase } from '../../../core/plugin/index.ts'
import type { CaseFilter, CaseListRequest, CaseSort, CaseStore } from '../../../core/ports/case-store.ts'
import type { ListPage, ListRequest, OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
import {
  caseByRow,
  caseForWrite,
  caseRowsOf,
  casesChangedBy,
  findCaseRow,
  insertCase,
  requireCaseRow,
  selectCase,
  toCase,
  type CaseRow,
} from './case-rows.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { keyReused } from '../../../core/transitions/idempotency.ts'
import { caseDifference, editCase, requireClosing, withClosing } from '../../../core/transitions/case.ts'
import { timesAfter } from '../../../core/case/case-times.ts'
import { decidedAfter } from '../../../core/transitions/correlate/assessment.ts'
import { requireNotMerged } from '../../../core/transitions/correlate/merge.ts'
import { changedEntry, noteEntry } from '../../../core/transitions/timeline.ts'
import { updateRow } from '../context/rows.ts'
import { foldAscii, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { named, ofDisabled, withAssignee } from './assignees.ts'
import { actionsOf } from './case-actions.ts'
import { assess, decidedIn } from './case-assessments.ts'
import { noteCaseEvent, noteCaseEvents } from '../triggers/case-events.ts'
import type { SqlCaseFileStore } from './case-file-store.ts'
import {
  caseEntryByRow,
  insertEntry,
  insertEntryForKey,
  selectCaseEntry,
  toCaseEntry,
  type CaseEntryRow,
} from './case-entries.ts'
import { noteAssignee, noteMentions } from '../notifications/note-work.ts'
import { findCaseWrite, keepCaseWrite, type CaseOperation, type CaseWriteRow } from './case-writes.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { filterBy, listPage, type Condition, type Order } from '../database/paging.ts'
import { needsIndex, type ListedRows } from '../context/listed-rows.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { havingObservable } from '../observables/observable-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

const byChange = { column: 't.modified_at', valueOf: (row: CaseRow) => row.modifiedAt }
const byDue = { column: 't.due_rank', valueOf: (row: CaseRow) => row.dueRank }
const byQueue = { column: 't.queue_rank', valueOf: (row: CaseRow) => row.queueRank }
const bySeverity = { column: 't.severity_rank', valueOf: (row: CaseRow) => row.severityRank }

/** Keys rise with the creation. */
const orders: Readonly<Record<CaseSort, Order<CaseRow>>> = {
  created_at: { descending: false },
  '-created_at': { descending: true },
  modified_at: { descending: false, by: byChange },
  '-modified_at': { descending: true, by: byChange },
  severity: { descending: false, by: bySeverity },
  '-severity': { descending: true, by: bySeverity },
  due_at: { descending: false, by: byDue },
  '-due_at': { descending: true, by: byDue },
  queue: { descending: false, by: byQueue },
  '-queue': { descending: true, by: byQueue },
}

export class SqlCaseStore extends SqlStore implements CaseStore {
  readonly files: SqlCaseFileStore
  readonly #listed: ListedRows

  constructor(context: StoreContext, listed: ListedRows, files: SqlCaseFileStore) {
    super(context)
    this.files = files
    this.#listed = listed
  }

  find(scope: OrganizationScope, id: string): Promise<Case | undefined> {
    return this.read(function* () {
      const row = yield* findCaseRow(this.database, id)
      return row && isInScope(scope, row.organizationUuid) ? toCase(row) : undefined
    })
  }

  findByKey(organizationUuid: string, key: string): Promise<Case | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<CaseRow>(
        `${selectCase} JOIN case_writes w ON w.case_id = t.id AND w.organization_id = t.organization_id
         WHERE o.uuid = ? AND w.idempotency_key = ? AND w.operation = 'create'`,
        organizationUuid,
        key,
      )
      return row && (row.mergedRow === null ? toCase(row) : yield* caseByRow(this.database, row.mergedRow))
    })
  }

  async list(scope: OrganizationScope, filter: CaseFilter, page: CaseListRequest): Promise<ListPage<Case>> {
    const filters = [...scopeConditions(scope, 't.organization_id'), ...caseFilterConditions(filter)]
    const order = orders[page.sort ?? '-created_at']
    const isIndexed = needsIndex(filters, order)
    const conditions = isIndexed ? [...(await this.#listed.condition('cases')), ...filters] : filters
    return this.read(() =>
      listPage<CaseRow, Case>(this.database, {
        name: 'cases',
        table: 'cases t',
        select: selectCase,
        conditions,
        page,
        order,
        toItem: toCase,
      }),
    )
  }

  timeline(scope: OrganizationScope, id: string, page: ListRequest): Promise<ListPage<CaseEntry>> {
    return this.read(function* () {
      const row = yield* findCaseRow(this.database, id)
      if (row === undefined || !isInScope(scope, row.organizationUuid))
        return { data: [], nextCursor: null, total: 0 }
      return yield* listPage<CaseEntryRow, CaseEntry>(this.database, {
        name: `timeline ${row.id}`,
        table: 'case_entries t',
        select: selectCaseEntry,
        conditions: [yield* inTimelineOf(this.database, row.id)],
        page,
        toItem: toCaseEntry,
      })
    })
  }

  actions(scope: OrganizationScope, id: string, limit: number) {
    return this.read(function* () {
      const row = yield* findCaseRow(this.database, id)
      const none: readonly CaseAction[] = []
      if (row === undefined || !isInScope(scope, row.organizationUuid)) return { data: none, total: 0 }
      return yield* actionsOf(this.database, row.id, limit)
    })
  }

  changedBy(requestId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.read(() => casesChangedBy(this.database, requestId, ids))
  }

  create(organizationUuid: string, changes: NewCase, by: Actor, key: string): Promise<Case> {
    return this.#once(organizationUuid, 'create', key, function* (organization) {
      return (yield* insertCase(this.database, organization, changes, by, this.clock.now())).row
    })
  }

  update(organizationUuid: string, id: string, changes: CaseChanges, by: Actor, key: string): Promise<Case> {
    return this.#once(organizationUuid, 'update', key, function* () {
      const row = yield* caseForWrite(this.database, organizationUuid, id, by)
      const assessed =
        by.kind === 'run'
          ? yield* assess(this.database, row, changes, by, this.clock.now())
          : { changes, kept: undefined }
      const edit = withClosing(row, assessed.changes)
      const assigned = yield* withAssignee(this.database, organizationUuid, edit, by)
      yield* this.#change(row, assigned.changes, by, [...(assessed.kept ?? []), ...assigned.notes])
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
    return this.writeIn({ organization: organizationUuid }, function* () {
      const row = yield* requireCaseRow(this.database, organizationUuid, id)
      requireNotMerged(toCase(row))
      requireRevision(row.revision, revision)
      requireClosing(row, edit)
      const changes = caseDifference(row, withClosing(row, edit))
      if (changes !== undefined) {
        yield* this.#change(row, changes, by)
        const decided = decidedAfter(yield* decidedIn(this.database, row.id), changes)
        if (decided.length > 0) yield* updateRow(this.database, 'cases', row.id, { decided: toJson(decided) })
      }
      return yield* caseByRow(this.database, row.id)
    })
  }

  comment(
    organizationUuid: string,
    id: string,
    text: string,
    by: Actor,
    key: string,
    mentions?: readonly Mention[],
  ): Promise<CaseEntry> {
    return this.writeIn({ organization: organizationUuid }, function* () {
      const organization = yield* requireOrganization(this.database, organizationUuid)
      const named = yield* requireCaseRow(this.database, organizationUuid, id)
      const earlier = yield* findCaseWrite(this.database, organization, 'comment', key)
      if (earlier !== undefined) return yield* this.#earlierNote(earlier, named, text, key)
      if (by.kind !== 'run' && by.kind !== 'server') requireNotMerged(toCase(named))
      const row = yield* caseForWrite(this.database, organizationUuid, id, by)
      const at = this.clock.now()
      const entryRow = yield* insertEntryForKey(this.database, row.id, noteEntry(text, by, at, mentions))
      const times = timesAfter(row, {}, { by, now: at, targets: {} })
      yield* updateRow(this.database, 'cases', row.id, { modifiedAt: at, ...times })
      yield* keepCaseWrite(this.database, organization, 'comment', key, named.id, entryRow)
      if (mentions !== undefined && mentions.length > 0) {
        yield* noteMentions(this.database, toCase(row), mentions, { by, at, change: `${entryRow}` })
        yield* noteCaseEvent(this.database, row.id, { event: 'mentioned', of: toCase(row) }, by, at)
      }
      return yield* caseEntryByRow(this.database, entryRow)
    })
  }

  /** Throws ConflictError `idempotency_key_reused` if the key was used for another note or case. */
  *#earlierNote(earlier: CaseWriteRow, row: CaseRow, text: string, key: string): Work<CaseEntry> {
    const entry =
      earlier.entryRow === null ? undefined : yield* caseEntryByRow(this.database, earlier.entryRow)
    if (earlier.row !== row.id || entry?.text !== text) throw keyReused(key, 'another write')
    return entry
  }

  *#change(row: CaseRow, changes: CaseEdit, by: Actor, kept?: readonly string[]): Work<void> {
    const at = this.clock.now()
    const { caseTargets: targets } = yield* requireOrganization(this.database, row.organizationUuid)
    const edited = editCase(row, changes, { by, now: at, targets })
    yield* updateRow(this.database, 'cases', row.id, edited)
    yield* insertEntry(this.database, row.id, changedEntry(row, changes, by, at, kept))
    const [before, after] = [toCase(row), toCase({ ...row, ...edited })]
    yield* noteCaseEvents(this.database, row.id, { before, after: () => known(after) }, by, at)
    yield* noteAssignee(this.database, before, after, by, at)
  }

  /** The write and its idempotency key share a transaction; a repeat returns the first case. */
  #once(
    organizationUuid: string,
    operation: CaseOperation,
    key: string,
    write: (this: this, organization: OrganizationKey) => Work<number>,
  ): Promise<Case> {
    return this.writeIn({ organization: organizationUuid }, function* () {
      const organization = yield* requireOrganization(this.database, organizationUuid)
      const earlier = yield* findCaseWrite(this.database, organization, operation, key)
      if (earlier !== undefined) return yield* caseByRow(this.database, earlier.row)
      const row = yield* write.call(this, organization)
      yield* keepCaseWrite(this.database, organization, operation, key, row, null)
      return yield* caseByRow(this.database, row)
    })
  }
}

/** Entries of the case, and of the cases that were merged into it. */
function* inTimelineOf(database: Database, caseRow: number): Work<Condition> {
  const [row, ...merged] = yield* caseRowsOf(database, caseRow)
  if (merged.length === 0) return { sql: 't.case_id = ?', values: [row!] }
  return {
    sql: 't.case_id IN (SELECT CAST(value AS bigint) FROM json_each(?))',
    values: [toJson([row, ...merged])],
  }
}

const overdue = 'SELECT id FROM cases WHERE listed = 1 AND due_rank <= ?'
const late = 'SELECT id FROM cases WHERE listed = 1 AND is_late = 1'

function assigneeConditions({ assignee, assigneeId, hasDisabledAssignee }: CaseFilter): readonly Condition[] {
  const source = 'SELECT id FROM cases WHERE'
  return [
    ...(assignee === null ? [{ sql: 't.assignee IS NULL', values: [] }] : []),
    ...(typeof assignee === 'string' ? [named('assignee', 't.id', source, assignee)] : []),
    ...filterBy('t.assignee_id = ?', assigneeId),
    ...(hasDisabledAssignee === true ? [ofDisabled('assignee', 't.id', source)] : []),
  ]
}

/** Conditions of a list filter. */
function caseFilterConditions(filter: CaseFilter): readonly Condition[] {
  const pattern = `%${foldAscii(filter.text ?? '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const contains = String.raw`(lower(t.title) LIKE ? ESCAPE '\' OR lower(t.summary) LIKE ? ESCAPE '\')`
  return [
    ...filterBy(
      't.organization_id = (SELECT id FROM organizations WHERE lower(code) = ?)',
      filter.organization && foldAscii(filter.organization),
    ),
    ...filterBy('t.status = ?', filter.status),
    ...filterBy('t.severity = ?', filter.severity),
    ...filterBy('t.verdict = ?', filter.verdict),
    ...assigneeConditions(filter),
    ...filterBy('t.closing_reason = ?', filter.closingReason),
    ...(filter.isActive === true ? [{ sql: 't.closed_at IS NULL', values: [] }] : []),
    ...filterBy(`t.id IN (${overdue})`, filter.overdueAt),
    ...filterBy(`t.id IN (${overdue} UNION ALL ${late})`, filter.missedAt),
    ...(filter.text === undefined ? [] : [{ sql: contains, values: [pattern, pattern] }]),
    ...havingObservable('cases', filter.observable),
    ...filterBy('t.created_at >= ?', filter.createdAfter),
    ...filterBy('t.created_at < ?', filter.createdBefore),
  ]
}
