import type { Work } from '../database/work.ts'
import type { Mention } from '../../../core/case/mentions.ts'
import type { ContainmentState } from '../../../core/destructive/containment.ts'
import type { Actor, Author } from '../../../core/domain/audit.ts'
import type { Case, CaseAction, CaseTask } from '../../../core/domain/case.ts'
import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { Run, RunEnd } from '../../../core/domain/run.ts'
import {
  assigneeNotifications,
  containmentNotification,
  mentionNotifications,
  questionNotifications,
  runFailureNotification,
  tellsRunEnd,
  sentQuestionNotifications,
  emailOfAsked,
  taskNotifications,
} from '../../../core/notification/notifications-of.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { noteNotifications, personByName, assignedPerson } from './note-notifications.ts'

function* organizationRow(database: Database, uuid: string): Work<number> {
  return (yield* database.one<{ id: number }>('SELECT id FROM organizations WHERE uuid = ?', uuid)).id
}

/** Who started or retried the run, as in the audit log; null: an alert or an event started it. */
function* requesterOf(database: Database, runUuid: string): Work<Author | null> {
  return fromJson<Author | null>(
    (yield* database.get<{ actor: string }>(
      `SELECT entry -> '$.actor' AS actor FROM audit WHERE subject_id = ? AND action IN ('run.started', 'run.retried')
       ORDER BY id DESC LIMIT 1`,
      runUuid,
    ))?.actor ?? null,
  )
}

/** All of these: inside of the write of what they tell. */
export function* noteQuestion(database: Database, checkpoint: Checkpoint, now: number): Work<void> {
  const requester = checkpoint.question.approval && (yield* requesterOf(database, checkpoint.runUuid))
  const told = questionNotifications(checkpoint, requester ?? null)
  yield* noteNotifications(database, yield* organizationRow(database, checkpoint.organizationUuid), told, now)
}

export function* noteSentQuestion(database: Database, checkpoint: Checkpoint, now: number): Work<void> {
  const email = emailOfAsked(checkpoint)
  const person = email === undefined ? undefined : yield* personByName(database, email)
  const told = sentQuestionNotifications(checkpoint, person, now)
  yield* noteNotifications(database, yield* organizationRow(database, checkpoint.organizationUuid), told, now)
}

export function* noteRunEnd(
  database: Database,
  run: Omit<Run, 'output'>,
  end: RunEnd,
  now: number,
): Work<void> {
  if (!tellsRunEnd(end)) return
  const found = yield* database.get<{ publisher: string | null }>(
    'SELECT put_in_force_by AS publisher FROM playbooks WHERE hash = ? AND name = ? ORDER BY id LIMIT 1',
    run.playbookHash,
    run.playbookName,
  )
  const told = runFailureNotification(run, end, fromJson<Author | null>(found?.publisher ?? null), now)
  yield* noteNotifications(database, yield* organizationRow(database, run.organizationUuid), [told], now)
}

export function* noteAssignee(
  database: Database,
  before: Case | undefined,
  after: Case,
  by: Actor,
  at: number,
): Work<void> {
  if (
    after.assignee === null ||
    (after.assignee === before?.assignee && after.assigneeId === before.assigneeId)
  )
    return
  const work = { case: after, by, at, change: `${after.id} ${after.revision}` }
  const told = assigneeNotifications(yield* assignedPerson(database, after.assignee, after.assigneeId), work)
  yield* noteNotifications(database, yield* organizationRow(database, after.organizationUuid), told, at)
}

export function* noteMentions(
  database: Database,
  of: Case,
  mentions: readonly Mention[],
  work: { readonly by: Actor; readonly at: number; readonly change: string },
): Work<void> {
  const told = mentionNotifications(mentions, { case: of, ...work })
  yield* noteNotifications(database, yield* organizationRow(database, of.organizationUuid), told, work.at)
}

export function* noteOwner(
  database: Database,
  of: Case,
  before: CaseTask | undefined,
  after: CaseTask,
  by: Actor,
  at: number,
): Work<void> {
  if (after.owner === null || (after.owner === before?.owner && after.ownerId === before.ownerId)) return
  const work = { case: of, by, at, change: `${after.uuid} ${after.revision}` }
  const told = taskNotifications(
    yield* assignedPerson(database, after.owner, after.ownerId),
    after.title,
    work,
  )
  yield* noteNotifications(database, yield* organizationRow(database, of.organizationUuid), told, at)
}

interface ContainmentKey {
  readonly uuid: string
  readonly organization: number
  readonly code: string
  readonly number: number | null
  readonly action: string
}

export function* noteContainmentState(
  database: Database,
  row: number,
  before: ContainmentState,
  after: ContainmentState,
  at: number,
): Work<void> {
  const found = yield* database.one<ContainmentKey>(
    `SELECT t.uuid, t.organization_id AS organization, o.code, c.number, t.action FROM containments t
       JOIN organizations o ON o.id = t.organization_id LEFT JOIN cases c ON c.id = t.case_id WHERE t.id = ?`,
    row,
  )
  const caseId = found.number === null ? null : composeCaseId(found.code, found.number)
  const { skill } = fromJson<CaseAction>(found.action)
  const told = containmentNotification({ id: found.uuid, caseId, skill }, before, after, at)
  if (told !== undefined) yield* noteNotifications(database, found.organization, [told], at)
}
