import { authorOf, type Actor } from '../domain/audit.ts'
import type { Case, CaseLinkKind, CaseTask } from '../domain/case.ts'
import { ConflictError, NotFoundError, ValidationError } from '../errors/errors.ts'
import type { CaseTaskChanges, NewCaseTask } from '../ports/cases/case-work-store.ts'
import { timelineEntry, type NewCaseEntry } from '../transitions/timeline.ts'

/** Per case. */
export const workBounds = { tasks: 100, links: 100 } as const

/** The fields of a new task, without its uuid. */
export const newTask = (
  { title, owner = null, ownerId = null, dueAt = null }: NewCaseTask,
  by: Actor,
  now: number,
) => ({
  title,
  owner,
  ownerId,
  ownerState: ownerId === null ? null : ('active' as const),
  dueAt,
  revision: 1,
  createdAt: now,
  createdBy: authorOf(by),
  doneAt: null,
  doneBy: null,
})

/** The task after a change; undefined: nothing differs. */
export function changedTask(
  before: CaseTask,
  { title = before.title, owner, ownerId = null, dueAt, done }: CaseTaskChanges,
  by: Actor,
  now: number,
): CaseTask | undefined {
  const isDone = done ?? before.doneAt !== null
  const after = {
    ...before,
    title,
    ...(owner !== undefined && { owner, ownerId, ownerState: ownerId === null ? null : ('active' as const) }),
    dueAt: dueAt === undefined ? before.dueAt : dueAt,
    ...(isDone !== (before.doneAt !== null) && {
      doneAt: isDone ? now : null,
      doneBy: isDone ? authorOf(by) : null,
    }),
  }
  const fields = ['title', 'owner', 'ownerId', 'dueAt', 'doneAt'] as const
  if (fields.every((field) => after[field] === before[field])) return undefined
  return { ...after, revision: before.revision + 1 }
}

/** `2026-03-01 14:05 UTC`. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const taskText = ({ title, owner, dueAt }: Pick<CaseTask, 'title' | 'owner' | 'dueAt'>): string =>
  [
    `“${title}”`,
    ...(owner === null ? [] : [`for ${owner}`]),
    ...(dueAt === null ? [] : [`due ${timeText(dueAt)}`]),
  ].join(', ')

export const taskAddedEntry = (task: CaseTask, by: Actor, at: number): NewCaseEntry =>
  timelineEntry('task', `added the task ${taskText(task)}`, by, at)

export function taskChangedEntry(before: CaseTask, after: CaseTask, by: Actor, at: number): NewCaseEntry {
  const isDone = after.doneAt !== null
  if (isDone !== (before.doneAt !== null))
    return timelineEntry('task', `${isDone ? 'finished' : 'reopened'} the task “${after.title}”`, by, at)
  return timelineEntry('task', `changed the task “${before.title}” to ${taskText(after)}`, by, at)
}

/** Throws ConflictError `too_many_tasks`. */
export function requireRoomForTask(count: number, caseId: string): void {
  if (count < workBounds.tasks) return
  throw new ConflictError('too_many_tasks', `the case ${caseId} has ${count} tasks`, {
    hint: 'change the title of a task that is done',
  })
}

export const taskNotFound = (): NotFoundError =>
  new NotFoundError('task_not_found', 'the case has no such task', {
    hint: 'GET cases/<case> lists its tasks',
  })

/** Throws ValidationError `same_case`. */
export function requireOtherCase(caseId: string, other: string): void {
  if (caseId !== other) return
  const message = 'is the case itself'
  throw new ValidationError('same_case', `the case ${caseId} cannot be linked with itself`, [
    { pointer: '/case_id', message },
  ])
}

/** Throws ConflictError `too_many_links`. */
export function requireRoomForLink(count: number, caseId: string): void {
  if (count < workBounds.links) return
  throw new ConflictError('too_many_links', `the case ${caseId} has ${count} links`, {
    hint: 'merge the cases, or remove a link',
  })
}

export const linkNotFound = (caseId: string, other: string): NotFoundError =>
  new NotFoundError('link_not_found', `the cases ${caseId} and ${other} are not linked`)

type Named = Pick<Case, 'id' | 'title'>
const nameOf = ({ id, title }: Named): string => `${id} “${title}”`

/** The entries of both cases. */
export const linkEntries = (from: Named, to: Named, kind: CaseLinkKind, by: Actor, at: number) => ({
  from: timelineEntry(
    'link',
    kind === 'related' ? `linked with ${nameOf(to)}` : `marked as a duplicate of ${nameOf(to)}`,
    by,
    at,
  ),
  to: timelineEntry(
    'link',
    kind === 'related'
      ? `linked with ${nameOf(from)}`
      : `${nameOf(from)} was marked as a duplicate of this case`,
    by,
    at,
  ),
})

export const unlinkEntry = (other: Named, by: Actor, at: number): NewCaseEntry =>
  timelineEntry('link', `removed the link with ${nameOf(other)}`, by, at)
