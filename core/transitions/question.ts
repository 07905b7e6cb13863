import { isSamePerson } from '../destructive/approval-rules.ts'
import {
  labelOfAnswer,
  type AnswerVerdict,
  type Checkpoint,
  type CheckpointAnswer,
  type CheckpointState,
  type Question,
} from '../domain/checkpoint.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import type { RefusalReason } from '../plugin/index.ts'

/** State of a question that can be answered. */
export const openQuestion: CheckpointState = 'waiting'
export const answeredQuestion: CheckpointState = 'answered'

/** Outcome of the answer that counts. */
export const acceptedAnswer: AnswerVerdict = 'accepted'
export const counts = (verdict: AnswerVerdict): boolean => verdict === acceptedAnswer

/** State of a question that the answers of other people decided. */
export const decidedQuestion: CheckpointState = 'decided'

/** The first answer counts if it comes in time, and there is no reason to refuse it (`refused`). */
export function judgeAnswer(
  { state, timeoutAt }: Pick<Checkpoint, 'state' | 'timeoutAt'>,
  at: number,
  refused: RefusalReason | null,
): AnswerVerdict {
  if (refused !== null) return refused
  if (state === openQuestion && at < timeoutAt) return acceptedAnswer
  if (state === decidedQuestion) return 'decided'
  return state === answeredQuestion ? 'second' : 'late'
}

/** An answer and a timeout can come together: the first one counts. */
export const closeQuestion = (state: CheckpointState, to: CheckpointState): CheckpointState =>
  state === openQuestion ? to : state

/** Whether answers may be sensitive, and are encrypted. */
export const hasSensitiveForm = ({ form }: Pick<Question, 'form'>): boolean =>
  form !== null && maskOfSchema(form) !== undefined

/** Answers that approve a destructive action. */
export const approvingAnswers = { once: 'approve', rest: 'approve_rest' } as const

/** Whether the answer approves the use. */
export const isApproval = (answer: unknown): boolean =>
  answer === approvingAnswers.once || answer === approvingAnswers.rest

/** Outcome of an approval that counts while more approvals are missing. */
export const countedApproval: AnswerVerdict = 'counted'

/** An approval that counted when it was given. */
export interface CountedApproval extends CheckpointAnswer {
  /** When the key that gave it was revoked, or the account or the owner of the key disabled; null: it was not. */
  readonly revokedAt: number | null
}

/**
 * The approvals that count: not those of keys that were revoked before the question was decided.
 *
 * @param decidedAt Infinity: it is not decided
 */
export const standingApprovals = (
  counted: readonly CountedApproval[],
  decidedAt = Infinity,
): readonly CheckpointAnswer[] =>
  counted
    .filter(({ revokedAt }) => revokedAt === null || revokedAt > decidedAt)
    .map(({ revokedAt: _, ...answer }) => answer)

/**
 * The verdict about an answer in time to an open question. One refusal decides; approvals decide when enough different
 * people have given one.
 */
export function judgeApproval(
  question: Pick<Question, 'approval'>,
  given: Pick<CheckpointAnswer, 'value' | 'sameAs'>,
  counted: readonly CountedApproval[],
): AnswerVerdict {
  if (question.approval === undefined || !isApproval(given.value)) return acceptedAnswer
  const standing = standingApprovals(counted)
  if (standing.some(({ sameAs }) => isSamePerson(sameAs ?? [], given.sameAs ?? []))) return 'same_person'
  return standing.length + 1 < question.approval.needed ? countedApproval : acceptedAnswer
}

/** Numbers of the items that at least one of these answers refuses, in order. */
export const refusedItems = (answers: readonly Pick<CheckpointAnswer, 'refusedItems'>[]): readonly number[] =>
  [...new Set(answers.flatMap((answer) => answer.refusedItems ?? []))].toSorted((a, b) => a - b)

/** The text of what all answers together decided; undefined for a form, and while nothing is decided. */
export function decisionLabel({
  question,
  answer,
  counted = [],
}: Pick<Checkpoint, 'question' | 'answer' | 'counted'>): string | undefined {
  if (answer === null) return undefined
  const approvals = isApproval(answer.value) ? [...counted, answer] : [answer]
  return labelOfAnswer(question, { value: answer.value, refusedItems: refusedItems(approvals) })
}
