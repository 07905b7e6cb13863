import type { Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Case, CaseTask } from '../../../core/domain/case.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { CaseTaskFilter, CaseTaskSort, ListedTask } from '../../../core/ports/cases/case-work-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import { scopeConditions } from '../context/scope.ts'
import { foldAscii } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { filterBy, listPage, type Condition, type Order } from '../database/paging.ts'
import { named, ofDisabled, presentName, presentState } from './assignees.ts'

export interface TaskRow extends Omit<CaseTask, 'createdBy' | 'doneBy'> {
  readonly id: number
  readonly dueRank: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
  readonly doneByKind: Actor['kind'] | null
  readonly doneById: string | null
  readonly doneBy: string | null
}

export const selectTask = `SELECT t.id, t.uuid, t.title, ${presentName('t.owner')} AS owner, t.owner_id AS "ownerId",
  ${presentState('t.owner')} AS "ownerState", t.due_at AS "dueAt", t.due_rank AS "dueRank", t.revision, t.created_at AS "createdAt",
  t.author_kind AS "authorKind", t.author_id AS "authorId", t.author, t.done_at AS "doneAt", t.done_by_kind AS "doneByKind",
  t.done_by_id AS "doneById", t.done_by AS "doneBy"`

export const toTask = (row: TaskRow): CaseTask => ({
  uuid: row.uuid,
  title: row.title,
  owner: row.owner,
  ownerId: row.ownerId,
  ownerState: row.ownerId === null ? null : (row.ownerState ?? 'disabled'),
  dueAt: row.dueAt,
  revision: row.revision,
  createdAt: row.createdAt,
  createdBy: { kind: row.authorKind, id: row.authorId, name: row.author },
  doneAt: row.doneAt,
  doneBy:
    row.doneByKind === null ? null : { kind: row.doneByKind, id: row.doneById ?? '', name: row.doneBy ?? '' },
})

interface ListedTaskRow extends TaskRow {
  readonly number: number
  readonly code: string
  readonly organizationUuid: string
  readonly caseTitle: string
  readonly status: Case['status']
  readonly severity: Case['severity']
}

const joined = `case_tasks t JOIN cases c ON c.id = t.case_id JOIN organizations o ON o.id = c.organization_id`

const toListed = (row: ListedTaskRow): ListedTask => ({
  ...toTask(row),
  case: {
    id: composeCaseId(row.code, row.number),
    organizationUuid: row.organizationUuid,
    title: row.caseTitle,
    status: row.status,
    severity: row.severity,
  },
})

const byDue = { column: 't.due_rank', valueOf: (row: ListedTaskRow) => row.dueRank }
const orders: Readonly<Record<CaseTaskSort, Order<ListedTaskRow>>> = {
  due_at: { descending: false, by: byDue },
  '-due_at': { descending: true, by: byDue },
  created_at: { descending: false },
  '-created_at': { descending: true },
}

export function* pageOfTasks(
  database: Database,
  scope: OrganizationScope,
  filter: CaseTaskFilter,
  page: ListRequest & { readonly sort?: CaseTaskSort | undefined },
): Work<ListPage<ListedTask>> {
  return yield* listPage<ListedTaskRow, ListedTask>(database, {
    name: 'tasks',
    table: joined,
    sized: 'case_tasks t',
    select: `${selectTask}, c.number, o.code, o.uuid AS "organizationUuid", c.title AS "caseTitle", c.status, c.severity FROM ${joined}`,
    conditions: [...scopeConditions(scope, 'c.organization_id'), ...taskConditions(filter)],
    page,
    order: orders[page.sort ?? 'due_at'],
    toItem: toListed,
  })
}

function taskConditions(filter: CaseTaskFilter): readonly Condition[] {
  const { owner, ownerId, isDone, overdueAt } = filter
  const source = 'SELECT id FROM case_tasks WHERE'
  const open = { sql: 't.done_at IS NULL', values: [] }
  return [
    ...filterBy('lower(o.code) = ?', filter.organization && foldAscii(filter.organization)),
    ...(owner === null ? [{ sql: 't.owner IS NULL', values: [] }] : []),
    ...(typeof owner === 'string' ? [named('owner', 't.id', source, owner)] : []),
    ...filterBy('t.owner_id = ?', ownerId),
    ...(filter.hasDisabledOwner === true ? [ofDisabled('owner', 't.id', source)] : []),
    ...(isDone === false ? [open] : []),
    ...(isDone === true ? [{ sql: 't.done_at IS NOT NULL', values: [] }] : []),
    ...(overdueAt === undefined ? [] : [open, { sql: 't.due_rank <= ?', values: [overdueAt] }]),
  ]
}
