import type { Author } from './audit.ts'
import { type JsonSchema, type RefusalReason, textAt, valueAt } from '../plugin/index.ts'
import type { ApprovalTerms } from './destructive-use.ts'

/**
 * `withdrawn`: the run no longer waits, because it was cancelled, timed out, or could not ask. `decided`: the answers of other
 * people decided first.
 */
export const checkpointStates = ['waiting', 'answered', 'timed_out', 'withdrawn', 'decided'] as const
export type CheckpointState = (typeof checkpointStates)[number]
/** The end of an unanswered question. */
export type UnansweredState = Exclude<CheckpointState, 'waiting' | 'answered'>

/** A question to a person. */
export interface Question {
  /** The skill that asks, or `operator`. */
  readonly via: string
  /** Input of the skill, without the id and the answers. */
  readonly input: unknown
  /** The answers to choose from; null for a form. */
  readonly answers: readonly string[] | null
  /** JSON Schema of the answer; null for a choice of answers. */
  readonly form: JsonSchema | null
  /** Of an approval of destructive actions: who must approve, and what exactly. Default: one person. */
  readonly approval?: ApprovalTerms | undefined
}

/** What an unanswered question does after its timeout: fail the step, or continue with this answer. */
export type Silence = { readonly fails: true } | { readonly fails: false; readonly answer: unknown }

/** The step that asks several people one question each, and when their answers decide. */
export interface QuestionGroup {
  /** Path of the step in the run's journal. */
  readonly path: string
  /** Place of this question among them, from 0. */
  readonly place: number
  /** Number of people. */
  readonly people: number
  /** Number of people who must give the same answer. */
  readonly needed: number
  /** Whether answers must be the same to count together; false for a form. */
  readonly agree: boolean
  /** Answers that decide alone. */
  readonly veto: readonly string[]
}

/** A durable wait of a run for a person. */
export interface Checkpoint {
  /** Unguessable, so that only the people who were asked know it. */
  readonly id: string
  readonly runUuid: string
  readonly organizationUuid: string
  readonly playbookName: string
  /** Alert and case of the run; null if it has none. */
  readonly alertId: string | null
  readonly caseId: string | null
  /** Path in the run's journal. */
  readonly path: string
  readonly stepId: string | null
  readonly question: Question
  /** Null: its answer decides alone. */
  readonly group: QuestionGroup | null
  /** Name of the connection over which it was sent; null before that, and for questions to operators. */
  readonly connection: string | null
  /** Output of the skill that asked, such as the message id and who was `asked`; null before that. */
  readonly reference: unknown
  readonly state: CheckpointState
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Later answers do not count. Epoch milliseconds. */
  readonly timeoutAt: number
  /** Null if unknown. */
  readonly onTimeout: Silence | null
  /** The accepted answer. */
  readonly answer: CheckpointAnswer | null
  /** Approvals that counted before the one that decided, of a question that needs several. Default: none. */
  readonly counted?: readonly CheckpointAnswer[] | undefined
}

export interface CheckpointAnswer {
  /** One of the answers, or the value of the form. */
  readonly value: unknown
  /** A person over the connection, or an API key. */
  readonly by: Author
  /** Their comment. */
  readonly text: string | null
  /** Epoch milliseconds. */
  readonly at: number
  /** Of an approval: ids that stand for the same person; see `Approver`. */
  readonly sameAs?: readonly string[] | undefined
  /** Of an approval of several actions: the numbers of the refused ones, from 0. Default: none. */
  readonly refusedItems?: readonly number[] | undefined
}

/** Whether an answer decides, counts together with others (`counted`), or why it is recorded without effect. */
export type AnswerVerdict = 'accepted' | 'counted' | RefusalReason

/** The display text of an answer: its label in the input `labels` of the question, else the answer itself. */
export const labelOf = ({ input }: Pick<Question, 'input'>, answer: string): string =>
  textAt(valueAt(input, 'labels'), answer) ?? answer

/** The display text of a given answer; undefined for a form. An approval with refused actions says how many it approves. */
export function labelOfAnswer(
  question: Question,
  { value, refusedItems = [] }: Pick<CheckpointAnswer, 'value' | 'refusedItems'>,
): string | undefined {
  const word = question.answers?.find((each) => each === value)
  const count = valueAt(question.input, 'count')
  if (refusedItems.length > 0 && typeof count === 'number')
    return `Approve ${count - refusedItems.length} of ${count}`
  return word === undefined ? undefined : labelOf(question, word)
}

type Asked = Pick<Checkpoint, 'reference'>

const maxName = 200

/** The other system's id of the person who was asked. */
export const askedOf = ({ reference }: Asked): unknown => valueAt(reference, 'asked')

/**
 * The responder's display name, such as an e-mail address, if the skill that asked provided it; else null.
 * Never taken from an API key, because its name can be anything.
 */
export const nameOfAnswerer = (checkpoint: Asked, { kind, id }: Author): string | null =>
  kind === 'person' && askedOf(checkpoint) === id ? nameOfAsked(checkpoint) : null

/** Display name of the person who was asked; null if unknown. */
export const nameOfAsked = ({ reference }: Asked): string | null =>
  textAt(reference, 'asked_name')?.slice(0, maxName).toWellFormed() ?? null
