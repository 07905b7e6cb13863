import { stepName } from '../../../core/engine/journal/step-name.ts'
import type { CheckpointState } from '../../../core/domain/checkpoint.ts'
import type { ApiCheckpoint, ApiGivenAnswer } from '../api/types.ts'
import { showInvisible, actorText } from '../parts/outside-text.ts'

export const checkpointTabs = {
  waiting: { text: 'Waiting', empty: 'No questions are waiting for an answer' },
  answered: { text: 'Answered', empty: 'No answered questions' },
  timed_out: { text: 'Timed out', empty: 'No timed-out questions' },
  decided: { text: 'Decided by others', empty: 'No questions that others decided' },
  withdrawn: { text: 'Withdrawn', empty: 'No withdrawn questions' },
} as const satisfies Readonly<Record<CheckpointState, { readonly text: string; readonly empty: string }>>

export type AnswerResult = 'accepted' | 'counted' | 'second' | 'late' | 'decided' | 'same_person'

export const outcomeTexts: Readonly<Record<AnswerResult, string>> = {
  accepted: 'Answer recorded; run resumed',
  counted: 'Approval recorded; more approvals are missing',
  second: 'Already answered; this answer is recorded without effect',
  decided: 'Already decided by others; this answer is recorded without effect',
  same_person: 'You answered another question of this step; each person counts once',
  late: 'Timed out; this answer is recorded without effect',
}

const givenOf = ({ input }: Pick<ApiCheckpoint, 'input'>): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null ? { ...input } : {}

/** The text of the question; if it has none, the name of its step. */
export function questionOf(checkpoint: Pick<ApiCheckpoint, 'input' | 'path'>): string {
  const { message, text } = givenOf(checkpoint)
  const words = message ?? text
  return typeof words === 'string' ? words : `Step ${stepName({ path: checkpoint.path, kind: 'checkpoint' })}`
}

/** Names unsaved input. Questions of one run may have the same text. */
export const answerPlace = (checkpoint: ApiCheckpoint): string =>
  `Answer to question ${checkpoint.checkpoint_id}: ${showInvisible(questionOf(checkpoint))}`

/** The recipient: by name if known, else as the playbook names them. */
export function recipientOf({
  asked_name: name,
  asked: id,
  input,
}: Pick<ApiCheckpoint, 'asked_name' | 'asked' | 'input'>): string | undefined {
  const { user } = givenOf({ input })
  return name ?? id ?? (typeof user === 'string' ? user : undefined)
}

/** The progress of a question to several people; undefined for a question to one. */
export function groupText({
  group,
  form,
}: Pick<ApiCheckpoint, 'group'> & Partial<Pick<ApiCheckpoint, 'form'>>): string | undefined {
  if (group === null) return undefined
  const { people, quorum, veto, answered } = group
  const vetoes = veto.map((each) => `“${each}”`).join(' or ')
  const rule = `${people} people can answer. ${quorum} must ${form == null ? 'give the same answer' : 'fill in the form'}${veto.length === 0 ? '' : `; ${vetoes} decides alone`}.`
  const given = answered.map(
    ({ label, by, by_name: name }) => `${name ?? by}${label === null ? '' : `: ${label}`}`,
  )
  return `${rule} ${given.length === 0 ? 'No answers yet.' : `Answers so far (${given.length} of ${people}): ${given.join(', ')}.`}`
}

/** For people who cannot answer here. */
export function howToAnswer(
  checkpoint: Pick<ApiCheckpoint, 'asked' | 'asked_name' | 'input' | 'connection' | 'answers'>,
): string {
  const { connection, answers } = checkpoint
  const asked = recipientOf(checkpoint)
  const via = connection === null ? '' : ` via ${connection}`
  return [
    'Answering here requires a key with the role analyst or admin.',
    ...(asked === undefined ? [] : [`Sent to ${asked}${via}, who can answer there.`]),
    ...(answers === null ? [] : [`Answers: ${answers.map(({ label }) => `“${label}”`).join(', ')}.`]),
  ].join(' ')
}

/** Parts of the input that the card shows elsewhere, or that concern only its style. */
const shownElsewhere = new Set(['message', 'text', 'user', 'labels', 'styles', 'remind_after'])

/** Destructive actions that may follow an answer; null for a form. */
export function actionsAfter({ consequences }: Pick<ApiCheckpoint, 'consequences'>, answer: unknown) {
  return consequences?.find((each) => each.answer === answer)?.actions ?? []
}

/** Undefined if nothing destructive can follow. */
export function consequenceText(
  checkpoint: Pick<ApiCheckpoint, 'consequences'>,
  answer: unknown,
): string | undefined {
  const actions = actionsAfter(checkpoint, answer)
  if (actions.length === 0) return undefined
  return `May lead to: ${actions.map(({ title, skill }) => `${title} (${skill})`).join(', ')}`
}

/** The style of the button, chosen by the playbook. */
export function styleOf(
  checkpoint: Pick<ApiCheckpoint, 'input'>,
  answer: string,
): 'danger' | 'primary' | undefined {
  const { styles } = givenOf(checkpoint)
  const style =
    typeof styles === 'object' && styles !== null ? (styles as Record<string, unknown>)[answer] : undefined
  return style === 'danger' || style === 'primary' ? style : undefined
}

/** Other input of the question. */
export const otherInputs = (
  checkpoint: Pick<ApiCheckpoint, 'input'>,
): readonly (readonly [string, unknown])[] =>
  Object.entries(givenOf(checkpoint)).filter(([name, value]) => !shownElsewhere.has(name) && value !== null)

/** The label of an answer, or the value itself. */
export function shownAnswer(value: unknown, answers: ApiCheckpoint['answers']): string {
  const known = answers?.find((answer) => answer.value === value)
  return known?.label ?? (typeof value === 'string' ? value : JSON.stringify(value))
}

/** An API key can have the name of a person, so it is shown with its kind and id. */
export function answererText({
  by,
  by_name: name,
  actor,
}: Pick<ApiGivenAnswer, 'by' | 'by_name' | 'actor'>): string {
  if (actor.kind !== 'person') return actorText(actor)
  return name === null ? by : `${name} (${by})`
}

/** What happens on timeout; undefined if unknown. */
export function timeoutText({ on_timeout: silence, answers, state }: ApiCheckpoint): string | undefined {
  if (silence === null) return undefined
  const isPast = state !== 'waiting'
  if (silence.fails) return `then the step ${isPast ? 'failed' : 'fails'}`
  return `then ${isPast ? 'continued' : 'continues'} as “${shownAnswer(silence.answer, answers)}”`
}
