import { askedOf, labelOf, type AnswerVerdict, type Checkpoint } from '../domain/checkpoint.ts'
import type { Connection } from '../domain/connection.ts'
import { textAt, type LinkedQuestion } from '../plugin/index.ts'
import type { CheckpointStore } from '../ports/runs/checkpoint-store.ts'

/** The page behind a link to a question. */
export interface QuestionPage {
  /**
   * `open`: the person can confirm the answer of the link. `accepted`: this request answered. `answered`: an earlier
   * answer counts. `decided`: the answers of other people decided. `repeated`: the person has answered for another person. `pending`: the question is still being sent. `unknown`: the link fits no question.
   */
  readonly state:
    'open' | 'accepted' | 'answered' | 'decided' | 'repeated' | 'late' | 'withdrawn' | 'pending' | 'unknown'
  /** The question; empty if it is unknown. */
  readonly message: string
  /** Label of the answer that the link gives or, if there is one, of the answer that counts; empty if it is unknown. */
  readonly answer: string
  /** Whether the answer that counts came from this person. */
  readonly isOwn: boolean
  /** Until when the question can be answered, in epoch milliseconds; null if it is unknown. */
  readonly timeoutAt: number | null
}

export const unknownQuestion: QuestionPage = {
  state: 'unknown',
  message: '',
  answer: '',
  isOwn: false,
  timeoutAt: null,
}

/**
 * The page of a question as it is now. A question of another connection is treated as not existing.
 *
 * @param verdict on the answer of this request; undefined: it gave none
 */
export async function findQuestionPage(
  checkpoints: Pick<CheckpointStore, 'find'>,
  connection: Connection,
  { checkpointId, by, value }: LinkedQuestion,
  verdict: AnswerVerdict | undefined,
  now: number,
): Promise<QuestionPage> {
  const checkpoint = await checkpoints.find([connection.organizationUuid], checkpointId)
  if (checkpoint === undefined || !isOfConnection(checkpoint, connection)) return unknownQuestion
  const asked = askedOf(checkpoint)
  const { question, timeoutAt, answer } = checkpoint
  if (asked === undefined && checkpoint.state === 'waiting') return { ...unknownQuestion, state: 'pending' }
  if (asked !== by || question.answers?.includes(value) !== true) return unknownQuestion
  const counts = typeof answer?.value === 'string' ? answer.value : value
  return {
    state: verdictState(verdict) ?? stateOf(checkpoint, now),
    message: textAt(question.input, 'message') ?? '',
    answer: labelOf(question, counts),
    isOwn: answer?.by.kind === 'person' && answer.by.id === by,
    timeoutAt,
  }
}

function verdictState(verdict: AnswerVerdict | undefined): QuestionPage['state'] | undefined {
  if (verdict === 'accepted') return 'accepted'
  return verdict === 'same_person' ? 'repeated' : undefined
}

function stateOf({ state, timeoutAt }: Checkpoint, now: number): QuestionPage['state'] {
  if (state === 'answered') return 'answered'
  if (state === 'withdrawn' || state === 'decided') return state
  return state === 'timed_out' || now >= timeoutAt ? 'late' : 'open'
}

export const isOfConnection = (checkpoint: Checkpoint, { name, plugin }: Connection): boolean =>
  checkpoint.connection === name && isOf(plugin)(checkpoint)

export const isOf =
  (plugin: string) =>
  ({ question }: Checkpoint): boolean =>
    question.via.startsWith(`${plugin}.`)
