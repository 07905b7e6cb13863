import type { Actor } from '../../../../core/domain/audit.ts'
import type { CaseTask } from '../../../../core/domain/case.ts'
import {
  caseTaskSorts,
  type CaseTaskChanges,
  type ListedTask,
} from '../../../../core/ports/cases/case-work-store.ts'
import { editIfSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { apiCaseTaskSchema, apiListedTaskSchema } from '../../schemas/case-work.ts'
import { epochMs, flag, pageOf, pageParameters, pageSchema, pageView } from '../system/page.ts'
import { personFields, personFilter, resolveAssignee } from './assigned.ts'
import { requireCase } from './read-case.ts'

export const caseTaskView = (task: CaseTask) => ({
  task_id: task.uuid,
  title: task.title,
  owner: task.owner,
  owner_id: task.ownerId,
  owner_state: task.ownerState,
  due_at: task.dueAt,
  revision: task.revision,
  created_at: task.createdAt,
  created_by: task.createdBy,
  done_at: task.doneAt,
  done_by: task.doneBy,
})

const title = { type: 'string', minLength: 1, maxLength: 500, ...patterns.line } as const
const owner = {
  ...personFields.name,
  description:
    'Who is to do it: name or e-mail address of a person, `me`, or any text; null: not assigned yet.',
} as const
const dueAt = {
  ...epochMs,
  type: ['integer', 'null'],
  description: 'Epoch milliseconds; null: any time.',
} as const

/** Throws ValidationError `person_unknown`. */
async function resolveOwner(
  services: Services,
  organizationUuid: string,
  {
    owner: name,
    owner_id: id,
  }: { readonly owner?: string | null | undefined; readonly owner_id?: string | null | undefined },
  by: Actor,
) {
  const assigned = await resolveAssignee(services, organizationUuid, { name, id }, by)
  return assigned && { owner: assigned.name, ownerId: assigned.id }
}

const filters = {
  organization: { type: 'string', description: 'Code of an organization.' },
  owner: {
    type: 'string',
    maxLength: 200,
    description: 'Exactly this owner; `me`: the requester; empty: not assigned.',
  },
  unowned: { ...flag, description: '`true`: only tasks without an owner.' },
  owner_state: {
    type: 'string',
    enum: ['disabled'],
    description: '`disabled`: only tasks of people who are disabled.',
  },
  state: { type: 'string', enum: ['open', 'done'], description: 'Default: all.' },
  due: { type: 'string', enum: ['overdue'], description: '`overdue`: only open tasks past their due time.' },
} as const

export const listTasks = defineRoute({
  method: 'GET',
  path: '/tasks',
  access: 'cases:read',
  summary: 'Lists the tasks of all cases, due soonest first.',
  answer: pageSchema(apiListedTaskSchema),
  query: {
    ...pageParameters,
    ...filters,
    sort: {
      type: 'string',
      enum: caseTaskSorts,
      default: 'due_at',
      description: 'Tasks without a due time are last by `due_at`. Descending with `-`.',
    },
  },
  async handle({ query, caller }, { stores, directory, clock }) {
    const { scope, actor } = caller
    const organization =
      query.organization === undefined
        ? undefined
        : await directory.organization(scope, query.organization, '/organization')
    const owner = personFilter(query.owner, actor)
    const filter = {
      organization: organization?.code,
      owner: query.unowned === 'true' ? null : owner.name,
      ownerId: owner.id,
      hasDisabledOwner: query.owner_state === 'disabled' || undefined,
      isDone: query.state === undefined ? undefined : query.state === 'done',
      overdueAt: query.due === 'overdue' ? clock.now() : undefined,
    }
    const page = await stores.caseWork.list(scope, filter, { ...pageOf(query), sort: query.sort })
    return { body: await pageView(page, async (task) => await listedTaskView(task, directory)) }
  },
})

const listedTaskView = async (task: ListedTask, directory: Services['directory']) => ({
  ...caseTaskView(task),
  case: {
    case_id: task.case.id,
    organization_code: await directory.organizationCode(task.case.organizationUuid),
    title: task.case.title,
    status: task.case.status,
    severity: task.case.severity,
  },
})

export const addTask = defineRoute({
  method: 'POST',
  path: '/cases/{case}/tasks',
  access: 'cases:write',
  summary: 'Adds a task to a case.',
  status: 201,
  answer: apiCaseTaskSchema,
  recall: {
    keeps: (task) => task,
    async answer(task, { caller, params }, services) {
      const { id } = await requireCase(services, caller.scope, params['case'] ?? '')
      const made = task as CaseTask
      return { body: caseTaskView(made), location: `/cases/${id}`, headers: entityTag(made) }
    },
  },
  body: { required: ['title'], properties: { title, owner, owner_id: personFields.id, due_at: dueAt } },
  async handle({ params, body, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const assigned = await resolveOwner(services, organizationUuid, body, caller.actor)
    const given = { title: body.title, ...assigned, dueAt: body.due_at }
    const made = await services.stores.caseWork.addTask(organizationUuid, id, given, caller.actor)
    return { body: caseTaskView(made), location: `/cases/${id}`, headers: entityTag(made) }
  },
})

export const changeTask = defineRoute({
  method: 'PATCH',
  path: '/cases/{case}/tasks/{task}',
  access: 'cases:write',
  summary: 'Changes a task of a case, finishes it, or reopens it.',
  answer: apiCaseTaskSchema,
  headers: ifMatchHeader,
  body: {
    minProperties: 1,
    properties: { title, owner, owner_id: personFields.id, due_at: dueAt, done: { type: 'boolean' } },
  },
  async handle({ params, body, headers, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const changes: CaseTaskChanges = {
      ...(body.title !== undefined && { title: body.title }),
      ...(await resolveOwner(services, organizationUuid, body, caller.actor)),
      dueAt: body.due_at,
      done: body.done,
    }
    const changed = await editIfSeen(headers, (revision) =>
      services.stores.caseWork.changeTask(organizationUuid, id, params.task, changes, revision, caller.actor),
    )
    return { body: caseTaskView(changed), headers: entityTag(changed) }
  },
})
