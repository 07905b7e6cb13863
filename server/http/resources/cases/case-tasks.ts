import type { CaseTask } from '../../../../core/domain/case.ts'
import type { CaseTaskChanges } from '../../../../core/ports/cases/case-work-store.ts'
import { editIfSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { defineRoute } from '../../routing/route.ts'
import { apiCaseTaskSchema } from '../../schemas/case-work.ts'
import { epochMs } from '../system/page.ts'
import { requireCase } from './read-case.ts'

export const caseTaskView = (task: CaseTask) => ({
  task_id: task.uuid,
  title: task.title,
  owner: task.owner,
  due_at: task.dueAt,
  revision: task.revision,
  created_at: task.createdAt,
  created_by: task.createdBy,
  done_at: task.doneAt,
  done_by: task.doneBy,
})

const title = { type: 'string', minLength: 1, maxLength: 500, ...patterns.line } as const
const owner = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 200,
  ...patterns.line,
  description: 'Who is to do it; null: nobody yet.',
} as const
const dueAt = {
  ...epochMs,
  type: ['integer', 'null'],
  description: 'Epoch milliseconds; null: any time.',
} as const

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
  body: { required: ['title'], properties: { title, owner, due_at: dueAt } },
  async handle({ params, body, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const given = { title: body.title, owner: body.owner, dueAt: body.due_at }
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
    properties: { title, owner, due_at: dueAt, done: { type: 'boolean' } },
  },
  async handle({ params, body, headers, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const changes: CaseTaskChanges = {
      ...(body.title !== undefined && { title: body.title }),
      owner: body.owner,
      dueAt: body.due_at,
      done: body.done,
    }
    const changed = await editIfSeen(headers, (revision) =>
      services.stores.caseWork.changeTask(organizationUuid, id, params.task, changes, revision, caller.actor),
    )
    return { body: caseTaskView(changed), headers: entityTag(changed) }
  },
})
