import type { AnswerVerdict, Checkpoint, CheckpointState, Question } from '../domain/checkpoint.ts'
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
