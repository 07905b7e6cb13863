import type { Author } from './audit.ts'
import { type JsonSchema, type RefusalReason, textAt, valueAt } from '../plugin/index.ts'

/** `withdrawn`: the run stopped waiting: it was cancelled, ran out of time, or could not ask. */
export const checkpointStates = ['waiting', 'answered', 'timed_out', 'withdrawn'] as const
export type CheckpointState = (typeof checkpointStates)[number]

/** What a person is asked. */
export interface Question {
  /** The skill that asks, or `operator`. */
  readonly via: string
  /** What the skill was given, without the id and the answers. */
  readonly input: unknown
  /** The words to choose from; null where there is a form. */
  readonly answers: readonly string[] | null
  /** JSON Schema of the answer; null where there are words to choose from. */
  readonly form: JsonSchema | null
}

/** What becomes of the step when nobody answers in time: it fails, or goes on as if this had been answered. */
export type Silence = { readonly fails: true } | { readonly fails: false; readonly answer: unknown }

/** A durable wait of a run for a person. */
export interface Checkpoint {
  /** Unguessable: whoever knows it was asked. */
  readonly id: string
  readonly runUuid: string
  readonly organizationUuid: string
  readonly playbookName: string
  /** The alert and the case of the run; null for a run without. */
  readonly alertId: string | null
  readonly caseId: string | null
  /** In the run's journal. */
  readonly path: string
  readonly stepId: string | null
  readonly question: Question
  /** Name of the connection that it went out over; null until then, and for an operator. */
  readonly connection: string | null
  /** What the skill answered when it asked, such as the id of a message and who was `asked`; null until then. */
  readonly reference: unknown
  readonly state: CheckpointState
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** From then on an answer comes too late. Epoch milliseconds. */
  readonly timeoutAt: number
  /** Null: not known, in runs that asked before it was kept. */
  readonly onTimeout: Silence | null
  /** The one that counts. */
  readonly answer: CheckpointAnswer | null
}

export interface CheckpointAnswer {
  /** One of the answers, or what was filled in. */
  readonly value: unknown
  /** A person over the connection, or an API key. */
  readonly by: Author
  /** What they wrote besides. */
  readonly text: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** What becomes of an answer: it counts, or is recorded without effect. */
export type AnswerVerdict = 'accepted' | RefusalReason

/** What people read for an answer: its label in the input `labels` of the question, or else the answer itself. */
export const labelOf = ({ input }: Pick<Question, 'input'>, answer: string): string =>
  textAt(valueAt(input, 'labels'), answer) ?? answer

type Asked = Pick<Checkpoint, 'reference'>

const maxName = 200

/** Who was asked, as the other system knows them. */
export const askedOf = ({ reference }: Asked): unknown => valueAt(reference, 'asked')

/**
 * How people know the person who answered, such as an e-mail address, where the skill that asked has said so of them. Null: not
 * known. An API key may have the name of anybody: it is never that person.
 */
export const nameOfAnswerer = (checkpoint: Asked, { kind, id }: Author): string | null =>
  kind === 'person' && askedOf(checkpoint) === id ? nameOfAsked(checkpoint) : null

/** How people know who was asked. Null: not known. */
export const nameOfAsked = ({ reference }: Asked): string | null =>
  textAt(reference, 'asked_name')?.slice(0, maxName).toWellFormed() ?? null
