import type { Work } from '../database/work.ts'
import { authorOf, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { Case, CaseLink, CaseLinkKind, CaseTask } from '../../../core/domain/case.ts'
import type {
  CaseTaskChanges,
  CaseTaskFilter,
  CaseTaskSort,
  CaseWorkStore,
  ListedTask,
  NewCaseTask,
} from '../../../core/ports/cases/case-work-store.ts'
import type { ListPage, ListRequest, OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
import { timesAfter } from '../../../core/case/case-times.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import {
  changedTask,
  linkEntries,
  linkNotFound,
  newTask,
  requireOtherCase,
  requireRoomForLink,
  requireRoomForTask,
  taskAddedEntry,
  taskChangedEntry,
  taskNotFound,
  unlinkEntry,
} from '../../../core/case/case-work.ts'
import { requireNotMerged } from '../../../core/transitions/correlate/merge.ts'
import type { NewCaseEntry } from '../../../core/transitions/timeline.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { noteOwner } from '../notifications/note-work.ts'
import { insertRow, updateRow } from '../context/rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { insertEntry } from './case-entries.ts'
import { pageOfTasks, selectTask, toTask, type TaskRow } from './task-rows.ts'
import { findCaseRow, requireCaseRow, toCase, type CaseRow } from './case-rows.ts'

interface LinkRow {
  readonly number: number
  readonly code: string
  readonly title: string
  readonly status: Case['status']
  readonly severity: Case['severity']
  readonly kind: CaseLinkKind
  readonly isReverse: number
  readonly at: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
}

const linkFields = `c.number, o.code, c.title, c.status, c.severity, l.kind, l.at, l.author_kind AS "authorKind", l.author_id AS "authorId", l.author`
const selectLinks = `
  SELECT ${linkFields}, 0 AS "isReverse" FROM case_links l
    JOIN cases c ON c.id = l.other_id JOIN organizations o ON o.id = c.organization_id WHERE l.case_id = ?
  UNION ALL
  SELECT ${linkFields}, 1 AS "isReverse" FROM case_links l
    JOIN cases c ON c.id = l.case_id JOIN organizations o ON o.id = c.organization_id WHERE l.other_id = ?
  ORDER BY at, number`

const toLink = ({
  number,
  code,
  kind,
  isReverse,
  authorKind,
  authorId,
  author,
  ...row
}: LinkRow): CaseLink => ({
  case_id: composeCaseId(code, number),
  title: row.title,
  status: row.status,
  severity: row.severity,
  kind: isReverse === 1 && kind === 'duplicate_of' ? 'duplicated_by' : kind,
  at: row.at,
  by: { kind: authorKind, id: authorId, name: author },
})

export class SqlCaseWorkStore extends SqlStore implements CaseWorkStore {
  list(
    scope: OrganizationScope,
    filter: CaseTaskFilter,
    page: ListRequest & { readonly sort?: CaseTaskSort | undefined },
  ): Promise<ListPage<ListedTask>> {
    return this.read(() => pageOfTasks(this.database, scope, filter, page))
  }

  tasks(scope: OrganizationScope, caseId: string): Promise<readonly CaseTask[]> {
    return this.read(function* () {
      const row = yield* this.#visible(scope, caseId)
      return row === undefined ? [] : yield* this.#tasksOf(row)
    })
  }

  addTask(organizationUuid: string, caseId: string, given: NewCaseTask, by: Actor): Promise<CaseTask> {
    return this.write(function* () {
      const row = yield* this.#open(organizationUuid, caseId)
      const now = this.clock.now()
      requireRoomForTask((yield* this.#tasksOf(row)).length, caseId)
      const task: CaseTask = { uuid: makeUuid(now), ...newTask(given, by, now) }
      yield* insertRow(this.database, 'case_tasks', {
        uuid: task.uuid,
        caseId: row.id,
        title: task.title,
        owner: task.owner,
        ownerId: task.ownerId,
        dueAt: task.dueAt,
        createdAt: now,
        authorKind: by.kind,
        authorId: by.id,
        author: by.name,
      })
      yield* this.#note(row, taskAddedEntry(task, by, now), by)
      yield* noteOwner(this.database, toCase(row), undefined, task, by, now)
      return task
    })
  }

  changeTask(
    organizationUuid: string,
    caseId: string,
    uuid: string,
    changes: CaseTaskChanges,
    revision: SeenRevision,
    by: Actor,
  ): Promise<CaseTask> {
    return this.write(function* () {
      const row = yield* this.#open(organizationUuid, caseId)
      const found = yield* this.database.get<TaskRow>(
        `${selectTask} FROM case_tasks t WHERE t.case_id = ? AND t.uuid = ?`,
        row.id,
        uuid,
      )
      if (found === undefined) throw taskNotFound()
      requireRevision(found.revision, revision)
      const before = toTask(found)
      const now = this.clock.now()
      const after = changedTask(before, changes, by, now)
      if (after === undefined) return before
      yield* updateRow(this.database, 'case_tasks', found.id, {
        title: after.title,
        owner: after.owner,
        ownerId: after.ownerId,
        dueAt: after.dueAt,
        revision: after.revision,
        doneAt: after.doneAt,
        doneByKind: after.doneBy?.kind ?? null,
        doneById: after.doneBy?.id ?? null,
        doneBy: after.doneBy?.name ?? null,
      })
      yield* this.#note(row, taskChangedEntry(before, after, by, now), by)
      yield* noteOwner(this.database, toCase(row), before, after, by, now)
      return after
    })
  }

  links(scope: OrganizationScope, caseId: string): Promise<readonly CaseLink[]> {
    return this.read(function* () {
      const row = yield* this.#visible(scope, caseId)
      return row === undefined ? [] : yield* this.#linksOf(row)
    })
  }

  link(
    organizationUuid: string,
    caseId: string,
    other: string,
    kind: CaseLinkKind,
    by: Actor,
  ): Promise<CaseLink> {
    return this.write(function* () {
      const [from, to] = [
        yield* this.#open(organizationUuid, caseId),
        yield* this.#open(organizationUuid, other),
      ]
      const [fromId, toId] = [toCase(from).id, toCase(to).id]
      requireOtherCase(fromId, toId)
      const earlier = yield* this.#linkTo(from, toId)
      if (earlier?.kind === kind) return earlier
      if (earlier === undefined) {
        requireRoomForLink((yield* this.#linksOf(from)).length, fromId)
        requireRoomForLink((yield* this.#linksOf(to)).length, toId)
      } else yield* this.#removeLink(from, to)
      const now = this.clock.now()
      yield* this.database.run(
        'INSERT INTO case_links (case_id, other_id, kind, at, author_kind, author_id, author) VALUES (?, ?, ?, ?, ?, ?, ?)',
        from.id,
        to.id,
        kind,
        now,
        ...Object.values(authorOf(by)),
      )
      const entries = linkEntries(toCase(from), toCase(to), kind, by, now)
      yield* this.#note(from, entries.from, by)
      yield* this.#note(to, entries.to, by)
      yield* this.#audit('case.linked', from, by, { with: toId, kind })
      return (yield* this.#linkTo(from, toId))!
    })
  }

  *#linkTo(from: CaseRow, caseId: string): Work<CaseLink | undefined> {
    return (yield* this.#linksOf(from)).find((each) => each.case_id === caseId)
  }

  unlink(organizationUuid: string, caseId: string, other: string, by: Actor): Promise<void> {
    return this.write(function* () {
      const from = yield* requireCaseRow(this.database, organizationUuid, caseId)
      const to = yield* requireCaseRow(this.database, organizationUuid, other)
      if ((yield* this.#removeLink(from, to)) === 0) throw linkNotFound(toCase(from).id, toCase(to).id)
      const now = this.clock.now()
      yield* this.#note(from, unlinkEntry(toCase(to), by, now), by)
      yield* this.#note(to, unlinkEntry(toCase(from), by, now), by)
      yield* this.#audit('case.unlinked', from, by, { with: toCase(to).id })
    })
  }

  *#visible(scope: OrganizationScope, caseId: string): Work<CaseRow | undefined> {
    const row = yield* findCaseRow(this.database, caseId)
    return row && isInScope(scope, row.organizationUuid) ? row : undefined
  }

  *#open(organizationUuid: string, caseId: string): Work<CaseRow> {
    const row = yield* requireCaseRow(this.database, organizationUuid, caseId)
    requireNotMerged(toCase(row))
    return row
  }

  *#tasksOf(row: CaseRow): Work<readonly CaseTask[]> {
    return (yield* this.database.all<TaskRow>(
      `${selectTask} FROM case_tasks t WHERE t.case_id = ? ORDER BY t.id`,
      row.id,
    )).map(toTask)
  }

  *#linksOf(row: CaseRow): Work<readonly CaseLink[]> {
    return (yield* this.database.all<LinkRow>(selectLinks, row.id, row.id)).map(toLink)
  }

  *#removeLink(one: CaseRow, other: CaseRow): Work<number> {
    return yield* this.database.run(
      'DELETE FROM case_links WHERE (case_id = ? AND other_id = ?) OR (case_id = ? AND other_id = ?)',
      one.id,
      other.id,
      other.id,
      one.id,
    )
  }

  /** The work of a person counts as the response. */
  *#note(row: CaseRow, entry: NewCaseEntry, by: Actor): Work<void> {
    yield* insertEntry(this.database, row.id, entry)
    const times = timesAfter(row, {}, { by, now: entry.at, targets: {} })
    yield* updateRow(this.database, 'cases', row.id, { modifiedAt: entry.at, ...times })
  }

  *#audit(
    action: AuditAction,
    row: CaseRow,
    by: Actor,
    details: Readonly<Record<string, unknown>>,
  ): Work<void> {
    const { id, title, organizationUuid } = toCase(row)
    yield* recordAudit(this.context, {
      action,
      by,
      organizationUuid,
      subject: { kind: 'case', id, name: title },
      details,
    })
  }
}
