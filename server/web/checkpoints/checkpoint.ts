import type { Actor } from '../api/types.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { whoText } from '../parts/who-text.ts'
import type { FormSchema } from '../forms/form-fields.ts'

/** A question of a run to a person (`schemas/checkpoint.schema.json`). */
export interface Checkpoint {
  readonly checkpoint_id: string
  readonly run_uuid: string
  readonly organization_code: string
  readonly playbook: string
  readonly alert_id: string | null
  readonly case_id: string | null
  readonly path: string
  readonly step_id: string | null
  readonly kind: string
  readonly via: string
  readonly connection: string | null
  readonly input: unknown
  readonly asked: string | null
  readonly asked_name: string | null
  readonly answers: readonly LabelledAnswer[] | null
  readonly form: FormSchema | null
  /** Null: not known. */
  readonly consequences: readonly AnswerConsequences[] | null
  readonly state: CheckpointState
  readonly created_at: number
  readonly timeout_at: number
  readonly on_timeout: { readonly fails: boolean; readonly answer: unknown } | null
  readonly answer: GivenAnswer | null
}

export interface AnswerConsequences {
  readonly answer: unknown
  readonly actions: readonly { readonly skill: string; readonly title: string }[]
}

export interface LabelledAnswer {
  readonly value: string
  readonly label: string
}

interface GivenAnswer {
  readonly value: unknown
  readonly label: string | null
  readonly by: string
  readonly by_name: string | null
  readonly actor: Actor
  readonly text: string | null
  readonly at: number
}

export const checkpointStates = {
  waiting: { text: 'Waiting', empty: 'No questions are waiting for an answer' },
  answered: { text: 'Answered', empty: 'No answered questions' },
  timed_out: { text: 'Timed out', empty: 'No timed-out questions' },
  withdrawn: { text: 'Withdrawn', empty: 'No withdrawn questions' },
} as const
export type CheckpointState = keyof typeof checkpointStates

/** What became of an answer. */
export type Outcome = 'accepted' | 'second' | 'late'

export const outcomeTexts: Readonly<Record<Outcome, string>> = {
  accepted: 'Answer recorded; run resumed',
  second: 'Already answered; this answer is recorded without effect',
  late: 'Timed out; this answer is recorded without effect',
}

const givenOf = ({ input }: Pick<Checkpoint, 'input'>): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null ? { ...input } : {}

/** The words of the question, where the skill that asks calls them so. */
export function questionOf(checkpoint: Pick<Checkpoint, 'input' | 'step_id' | 'path'>): string {
  const { message, text } = givenOf(checkpoint)
  const words = message ?? text
  return typeof words === 'string' ? words : `Step ${checkpoint.step_id ?? checkpoint.path}`
}

/** What an answer is typed for, for people: many questions of one run may have the same words. */
export const answerPlace = (checkpoint: Checkpoint): string =>
  `Answer to question ${checkpoint.checkpoint_id}: ${showInvisible(questionOf(checkpoint))}`

/** Whom the skill asks: by name where that is known, and before it has found them as the playbook calls them. */
export function askedOf({
  asked_name: name,
  asked: id,
  input,
}: Pick<Checkpoint, 'asked_name' | 'asked' | 'input'>): string | undefined {
  const { user } = givenOf({ input })
  return name ?? id ?? (typeof user === 'string' ? user : undefined)
}

/** Who may answer and what, for those who may not. */
export function whoAnswers(
  checkpoint: Pick<Checkpoint, 'asked' | 'asked_name' | 'input' | 'connection' | 'answers'>,
): string {
  const { connection, answers } = checkpoint
  const asked = askedOf(checkpoint)
  const via = connection === null ? '' : ` via ${connection}`
  return [
    'Answering here requires a key with the role analyst or admin.',
    ...(asked === undefined ? [] : [`Sent to ${asked}${via}, who can answer there.`]),
    ...(answers === null ? [] : [`Answers: ${answers.map(({ label }) => `“${label}”`).join(', ')}.`]),
  ].join(' ')
}

/** Parts of the input that a card shows in their own place, or that say only how a message looks. */
const shownElsewhere = new Set(['message', 'text', 'user', 'labels', 'styles', 'remind_after'])

/** The destructive actions that may follow an answer; a form has one list for whatever is filled in. */
export function actionsAfter({ consequences }: Pick<Checkpoint, 'consequences'>, answer: unknown) {
  return consequences?.find((each) => each.answer === answer)?.actions ?? []
}

/** What may follow an answer, for whoever is about to give it; undefined: nothing destructive. */
export function consequenceText(
  checkpoint: Pick<Checkpoint, 'consequences'>,
  answer: unknown,
): string | undefined {
  const actions = actionsAfter(checkpoint, answer)
  if (actions.length === 0) return undefined
  return `May lead to: ${actions.map(({ title, skill }) => `${title} (${skill})`).join(', ')}`
}

/** How a playbook wants the button of an answer to look. */
export function styleOf(
  checkpoint: Pick<Checkpoint, 'input'>,
  answer: string,
): 'danger' | 'primary' | undefined {
  const { styles } = givenOf(checkpoint)
  const style =
    typeof styles === 'object' && styles !== null ? (styles as Record<string, unknown>)[answer] : undefined
  return style === 'danger' || style === 'primary' ? style : undefined
}

/** What else the question is about. */
export const besides = (checkpoint: Pick<Checkpoint, 'input'>): readonly (readonly [string, unknown])[] =>
  Object.entries(givenOf(checkpoint)).filter(([name, value]) => !shownElsewhere.has(name) && value !== null)

/** What people read for a value: the label of the answer, else the value as it is written. */
export function shownAnswer(value: unknown, answers: Checkpoint['answers']): string {
  const known = answers?.find((answer) => answer.value === value)
  return known?.label ?? (typeof value === 'string' ? value : JSON.stringify(value))
}

/** A key may have the name of anybody: only a person is said to be who was asked. */
export function answererText({
  by,
  by_name: name,
  actor,
}: Pick<GivenAnswer, 'by' | 'by_name' | 'actor'>): string {
  if (actor.kind !== 'person') return whoText(actor)
  return name === null ? by : `${name} (${by})`
}

/** What becomes of a question that nobody answers; undefined where that is not known. */
export function silenceText({ on_timeout: silence, answers, state }: Checkpoint): string | undefined {
  if (silence === null) return undefined
  const isPast = state !== 'waiting'
  if (silence.fails) return `then the step ${isPast ? 'failed' : 'fails'}`
  return `then ${isPast ? 'continued' : 'continues'} as “${shownAnswer(silence.answer, answers)}”`
}
