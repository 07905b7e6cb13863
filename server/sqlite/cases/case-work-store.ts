import { authorOf, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { Case, CaseLink, CaseLinkKind, CaseTask } from '../../../core/domain/case.ts'
import type {
  CaseTaskChanges,
  CaseWorkStore,
  NewCaseTask,
} from '../../../core/ports/cases/case-work-store.ts'
import type { OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
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
import { insertRow, updateRow } from '../context/rows.ts'
import { SqliteStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { insertEntry } from './case-entries.ts'
import { findCaseRow, requireCaseRow, toCase, type CaseRow } from './case-rows.ts'

interface TaskRow extends Omit<CaseTask, 'createdBy' | 'doneBy'> {
  readonly id: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
  readonly doneByKind: Actor['kind'] | null
  readonly doneById: string | null
  readonly doneBy: string | null
}

const selectTask = `SELECT id, uuid, title, owner, due_at AS dueAt, revision, created_at AS createdAt, author_kind AS authorKind,
  author_id AS authorId, author, done_at AS doneAt, done_by_kind AS doneByKind, done_by_id AS doneById, done_by AS doneBy FROM case_tasks`

const toTask = (row: TaskRow): CaseTask => ({
  uuid: row.uuid,
  title: row.title,
  owner: row.owner,
  dueAt: row.dueAt,
  revision: row.revision,
  createdAt: row.createdAt,
  createdBy: { kind: row.authorKind, id: row.authorId, name: row.author },
  doneAt: row.doneAt,
  doneBy:
    row.doneByKind === null ? null : { kind: row.doneByKind, id: row.doneById ?? '', name: row.doneBy ?? '' },
})

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

const linkFields = `c.number, o.code, c.title, c.status, c.severity, l.kind, l.at, l.author_kind AS authorKind, l.author_id AS authorId, l.author`
const selectLinks = `
  SELECT ${linkFields}, 0 AS isReverse FROM case_links l
    JOIN cases c ON c.id = l.other_id JOIN organizations o ON o.id = c.organization_id WHERE l.case_id = ?
  UNION ALL
  SELECT ${linkFields}, 1 AS isReverse FROM case_links l
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

export class SqliteCaseWorkStore extends SqliteStore implements CaseWorkStore {
  tasks(scope: OrganizationScope, caseId: string): Promise<readonly CaseTask[]> {
    return this.database.read(() => {
      const row = this.#visible(scope, caseId)
      return row === undefined ? [] : this.#tasksOf(row)
    })
  }

  addTask(organizationUuid: string, caseId: string, given: NewCaseTask, by: Actor): Promise<CaseTask> {
    return this.commits.write(() => {
      const row = this.#open(organizationUuid, caseId)
      const now = this.clock.now()
      requireRoomForTask(this.#tasksOf(row).length, caseId)
      const task: CaseTask = { uuid: makeUuid(now), ...newTask(given, by, now) }
      insertRow(this.database, 'case_tasks', {
        uuid: task.uuid,
        caseId: row.id,
        title: task.title,
        owner: task.owner,
        dueAt: task.dueAt,
        createdAt: now,
        authorKind: by.kind,
        authorId: by.id,
        author: by.name,
      })
      this.#note(row, taskAddedEntry(task, by, now), by)
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
    return this.commits.write(() => {
      const row = this.#open(organizationUuid, caseId)
      const found = this.database.get<TaskRow>(`${selectTask} WHERE case_id = ? AND uuid = ?`, row.id, uuid)
      if (found === undefined) throw taskNotFound()
      requireRevision(found.revision, revision)
      const before = toTask(found)
      const now = this.clock.now()
      const after = changedTask(before, changes, by, now)
      if (after === undefined) return before
      updateRow(this.database, 'case_tasks', found.id, {
        title: after.title,
        owner: after.owner,
        dueAt: after.dueAt,
        revision: after.revision,
        doneAt: after.doneAt,
        doneByKind: after.doneBy?.kind ?? null,
        doneById: after.doneBy?.id ?? null,
        doneBy: after.doneBy?.name ?? null,
      })
      this.#note(row, taskChangedEntry(before, after, by, now), by)
      return after
    })
  }

  links(scope: OrganizationScope, caseId: string): Promise<readonly CaseLink[]> {
    return this.database.read(() => {
      const row = this.#visible(scope, caseId)
      return row === undefined ? [] : this.#linksOf(row)
    })
  }

  link(
    organizationUuid: string,
    caseId: string,
    other: string,
    kind: CaseLinkKind,
    by: Actor,
  ): Promise<CaseLink> {
    return this.commits.write(() => {
      const [from, to] = [this.#open(organizationUuid, caseId), this.#open(organizationUuid, other)]
      const [fromId, toId] = [toCase(from).id, toCase(to).id]
      requireOtherCase(fromId, toId)
      const same = (): CaseLink | undefined => this.#linksOf(from).find((each) => each.case_id === toId)
      const earlier = same()
      if (earlier?.kind === kind) return earlier
      if (earlier === undefined) {
        requireRoomForLink(this.#linksOf(from).length, fromId)
        requireRoomForLink(this.#linksOf(to).length, toId)
      } else this.#removeLink(from, to)
      const now = this.clock.now()
      this.database.run(
        'INSERT INTO case_links (case_id, other_id, kind, at, author_kind, author_id, author) VALUES (?, ?, ?, ?, ?, ?, ?)',
        from.id,
        to.id,
        kind,
        now,
        ...Object.values(authorOf(by)),
      )
      const entries = linkEntries(toCase(from), toCase(to), kind, by, now)
      this.#note(from, entries.from, by)
      this.#note(to, entries.to, by)
      this.#audit('case.linked', from, by, { with: toId, kind })
      return same()!
    })
  }

  unlink(organizationUuid: string, caseId: string, other: string, by: Actor): Promise<void> {
    return this.commits.write(() => {
      const from = requireCaseRow(this.database, organizationUuid, caseId)
      const to = requireCaseRow(this.database, organizationUuid, other)
      if (this.#removeLink(from, to) === 0) throw linkNotFound(toCase(from).id, toCase(to).id)
      const now = this.clock.now()
      this.#note(from, unlinkEntry(toCase(to), by, now), by)
      this.#note(to, unlinkEntry(toCase(from), by, now), by)
      this.#audit('case.unlinked', from, by, { with: toCase(to).id })
    })
  }

  #visible(scope: OrganizationScope, caseId: string): CaseRow | undefined {
    const row = findCaseRow(this.database, caseId)
    return row && isInScope(scope, row.organizationUuid) ? row : undefined
  }

  #open(organizationUuid: string, caseId: string): CaseRow {
    const row = requireCaseRow(this.database, organizationUuid, caseId)
    requireNotMerged(toCase(row))
    return row
  }

  #tasksOf(row: CaseRow): readonly CaseTask[] {
    return this.database.all<TaskRow>(`${selectTask} WHERE case_id = ? ORDER BY id`, row.id).map(toTask)
  }

  #linksOf(row: CaseRow): readonly CaseLink[] {
    return this.database.all<LinkRow>(selectLinks, row.id, row.id).map(toLink)
  }

  #removeLink(one: CaseRow, other: CaseRow): number {
    return this.database.run(
      'DELETE FROM case_links WHERE (case_id = ? AND other_id = ?) OR (case_id = ? AND other_id = ?)',
      one.id,
      other.id,
      other.id,
      one.id,
    )
  }

  /** The work of a person counts as the response. */
  #note(row: CaseRow, entry: NewCaseEntry, by: Actor): void {
    insertEntry(this.database, row.id, entry)
    const times = timesAfter(row, {}, { by, now: entry.at, targets: {} })
    updateRow(this.database, 'cases', row.id, { modifiedAt: entry.at, ...times })
  }

  #audit(action: AuditAction, row: CaseRow, by: Actor, details: Readonly<Record<string, unknown>>): void {
    const { id, title, organizationUuid } = toCase(row)
    recordAudit(this.context, {
      action,
      by,
      organizationUuid,
      subject: { kind: 'case', id, name: title },
      details,
    })
  }
}
