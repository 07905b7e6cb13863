import { emailKey } from '../access/account.ts'
import type { Mention } from '../case/mentions.ts'
import { kindOf, skillToApprove } from '../checkpoint/kind.ts'
import type { ContainmentState } from '../destructive/containment.ts'
import type { Actor, Author } from '../domain/audit.ts'
import type { Case } from '../domain/case.ts'
import { nameOfAsked, type Checkpoint } from '../domain/checkpoint.ts'
import type { Run, RunEnd } from '../domain/run.ts'
import { viaOperator } from '../playbook/language/constants.ts'
import { notificationBounds, type NewNotification, type NotificationFacts } from './notification.ts'
import { identitiesOf } from './notification-reader.ts'

/** Failed runs with the same playbook and cause make one notification in each of these periods; questions of one kind likewise. */
const gatherMs = 3_600_000

const periodOf = (at: number): number => Math.floor(at / gatherMs)

const shortened = (text: string): string => text.slice(0, notificationBounds.text).toWellFormed()

/** Uuid of the account of an actor; null: it is not a person with an account. */
const accountOf = (actor: Pick<Author, 'kind' | 'id'> | null): string | null =>
  actor?.kind === 'account' ? actor.id : null

interface Told extends Pick<NewNotification, 'kind' | 'event' | 'subject' | 'facts' | 'at'> {
  readonly account?: string | null
  readonly among?: readonly string[] | null
  readonly causedBy?: string | null
  readonly questionKind?: string
}

const told = ({ facts, ...given }: Told): NewNotification => ({
  account: null,
  among: null,
  publisher: null,
  causedBy: null,
  questionKind: null,
  isNewEachTime: given.questionKind !== undefined,
  ...given,
  facts: Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, shortened(value)] as const] : [],
    ),
  ),
})

type Person = { readonly uuid: string; readonly name: string; readonly email: string }

/** The person whom an assignee or an owner names, by e-mail address or by name; undefined: none, or several. */
export function personNamed(people: readonly Person[], text: string): Person | undefined {
  const wanted = emailKey(text)
  const byEmail = people.find(({ email }) => emailKey(email) === wanted)
  if (byEmail !== undefined) return byEmail
  const [first, ...others] = people.filter(({ name }) => emailKey(name) === wanted)
  return others.length === 0 ? first : undefined
}

const factsOfCheckpoint = (checkpoint: Checkpoint): NotificationFacts => ({
  playbook: checkpoint.playbookName,
  runUuid: checkpoint.runUuid,
  step: checkpoint.stepId ?? undefined,
  skill: skillToApprove(checkpoint),
  caseId: checkpoint.caseId ?? undefined,
})

/**
 * A question was asked: those who may answer it are told. A question that a skill sends to a person is only told to that person, see
 * {@link sentQuestionNotifications}. An escalated approval tells the other people at its time, unless it is answered before.
 *
 * @param requester who started the run, and cannot approve its actions
 */
export function questionNotifications(
  checkpoint: Checkpoint,
  requester: Pick<Author, 'kind' | 'id'> | null,
): readonly NewNotification[] {
  const { id, question, createdAt } = checkpoint
  if (question.via !== viaOperator) return []
  const questionKind = kindOf(checkpoint)
  const asked = {
    subject: { kind: 'checkpoint', id },
    facts: factsOfCheckpoint(checkpoint),
    questionKind,
  } as const
  const { approval } = question
  if (approval === undefined) {
    const event = `question ${questionKind} ${periodOf(createdAt)}`
    return [told({ kind: 'question_asked', event, ...asked, at: createdAt })]
  }
  const causedBy = accountOf(requester)
  const ask = (kind: 'approval_wanted' | 'approval_escalated', by: typeof approval.by, at: number) => {
    const among = identitiesOf(by)
    const event = JSON.stringify([kind, questionKind, among, causedBy, periodOf(at)])
    return told({ kind, event, ...asked, among, causedBy, at })
  }
  const { escalation } = approval
  return [
    ask('approval_wanted', approval.by, createdAt),
    ...(escalation === null ? [] : [ask('approval_escalated', escalation.by, escalation.atMs)]),
  ]
}

/** The e-mail address of the person to whom a skill has sent a question; undefined: it is known by another name. */
export function emailOfAsked(checkpoint: Checkpoint): string | undefined {
  const name = nameOfAsked(checkpoint)
  return name?.includes('@') === true ? name : undefined
}

/** A skill has sent a question to a person with an account. */
export function sentQuestionNotifications(
  checkpoint: Checkpoint,
  person: Person | undefined,
  at: number,
): readonly NewNotification[] {
  if (person === undefined) return []
  const { id } = checkpoint
  return [
    told({
      kind: 'question_asked',
      event: `sent ${id}`,
      account: person.uuid,
      subject: { kind: 'checkpoint', id },
      facts: factsOfCheckpoint(checkpoint),
      questionKind: kindOf(checkpoint),
      at,
    }),
  ]
}

type NamedCase = Pick<Case, 'id' | 'title'>

interface CaseWork {
  readonly case: NamedCase
  readonly by: Actor
  readonly at: number
  /** Distinguishes this change from others of the case. */
  readonly change: string
}

const forPerson = (
  kind: 'case_assigned' | 'task_assigned' | 'mentioned',
  account: string,
  { case: of, by, at, change }: CaseWork,
  title = of.title,
): readonly NewNotification[] =>
  accountOf(by) === account
    ? []
    : [
        told({
          kind,
          event: `${kind} ${change} ${account}`,
          account,
          causedBy: accountOf(by),
          subject: { kind: 'case', id: of.id },
          facts: { caseId: of.id, title, by: by.name },
          at,
        }),
      ]

/** The assignee of a case changed. */
export const assigneeNotifications = (
  person: Person | undefined,
  work: CaseWork,
): readonly NewNotification[] => (person === undefined ? [] : forPerson('case_assigned', person.uuid, work))

/** The owner of a task changed. */
export const taskNotifications = (
  person: Person | undefined,
  title: string,
  work: CaseWork,
): readonly NewNotification[] =>
  person === undefined ? [] : forPerson('task_assigned', person.uuid, work, title)

export const mentionNotifications = (
  mentions: readonly Mention[],
  work: CaseWork,
): readonly NewNotification[] =>
  mentions.flatMap(({ account_id: account }) => forPerson('mentioned', account, work))

/** A case missed its next target: its assignee is told, or everyone who may take it if nobody with an account has it. */
export function overdueNotification(
  of: NamedCase & Pick<Case, 'respondedAt' | 'respondDueAt'>,
  dueAt: number,
  assignee: Person | undefined,
  at: number,
): NewNotification {
  const target = of.respondedAt === null && of.respondDueAt === dueAt ? 'respond' : 'resolve'
  return told({
    kind: 'case_overdue',
    event: `overdue ${of.id} ${dueAt}`,
    account: assignee?.uuid ?? null,
    subject: { kind: 'case', id: of.id },
    facts: { caseId: of.id, title: of.title, target },
    at,
  })
}

/** Whether people are told that a run has ended. */
export const tellsRunEnd = ({ status }: Pick<RunEnd, 'status'>): boolean => status === 'failed'

/** A run failed. */
export function runFailureNotification(
  run: Pick<Run, 'uuid' | 'playbookName' | 'caseId'>,
  { error }: Pick<RunEnd, 'error'>,
  publisher: Author | null,
  at: number,
): NewNotification {
  const code = error?.code ?? 'unknown'
  return {
    ...told({
      kind: 'run_failed',
      event: `failed ${run.playbookName} ${code} ${periodOf(at)}`,
      subject: { kind: 'run', id: run.uuid },
      facts: { playbook: run.playbookName, code, caseId: run.caseId ?? undefined },
      at,
    }),
    publisher: accountOf(publisher),
  }
}

/** The state of a containment changed; undefined: nobody has to know. */
export function containmentNotification(
  of: { readonly id: string; readonly caseId: string | null; readonly skill: string },
  before: ContainmentState,
  after: ContainmentState,
  at: number,
): NewNotification | undefined {
  if (before === after || (after !== 'overdue' && after !== 'failed' && after !== 'unknown')) return undefined
  return told({
    kind: after === 'overdue' ? 'containment_overdue' : 'undo_failed',
    event: `containment ${of.id} ${after} ${at}`,
    subject: { kind: 'containment', id: of.id },
    facts: { skill: of.skill, caseId: of.caseId ?? undefined, code: after },
    at,
  })
}
