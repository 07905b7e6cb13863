import { personOf, authorOf } from '../domain/audit.ts'
import { type Checkpoint, type Question, labelOf, askedOf } from '../domain/checkpoint.ts'
import type { InboundAnswer } from '../plugin/index.ts'
import type { JudgedAnswer } from '../ports/runs/inbound-store.ts'
import { compileSchema } from '../schema/index.ts'

/** How long after its end late answers to a question are still refused with a message. */
const aftermathMs = 24 * 3_600_000

/** Judges an answer that names its question. The store decides whether it is the first and in time. */
export function judgeById(checkpoint: Checkpoint, answer: InboundAnswer, now: number): JudgedAnswer {
  const value = valueOf(checkpoint.question, answer)
  const given = {
    checkpointId: checkpoint.id,
    value: value ?? null,
    by: authorOf(personOf(answer.by)),
    text: answer.text ?? null,
  }
  if (askedOf(checkpoint) !== answer.by) return { ...given, refused: 'not_asked' }
  return { ...given, refused: value === undefined && waits(checkpoint, now) ? 'not_an_answer' : null }
}

/**
 * Judges a reply without a question id: finds the question to this person over this connection that matches
 * its `message`. If several open questions match, none is answered. Undefined if it answers nothing.
 */
export function judgeReply(
  questions: readonly Checkpoint[],
  answer: InboundAnswer,
  now: number,
): JudgedAnswer | undefined {
  const fitting = questions.filter(({ reference }) => holds(reference, answer.message ?? {}))
  const waiting = fitting.filter((checkpoint) => waits(checkpoint, now))
  const [newest] = waiting
  if (newest !== undefined) {
    const judged = judgeById(newest, answer, now)
    return waiting.length === 1 ? judged : { ...judged, value: null, refused: 'ambiguous' }
  }
  const [last] = fitting
  if (last === undefined || now - endOf(last) > aftermathMs) return undefined
  // Refuses only texts that could have been an answer, so that further chat after an answer is not refused.
  return valueOf(last.question, answer) === undefined ? undefined : judgeById(last, answer, now)
}

const waits = ({ state, timeoutAt }: Checkpoint, now: number): boolean =>
  state === 'waiting' && now < timeoutAt

const endOf = ({ answer, timeoutAt }: Checkpoint): number => answer?.at ?? timeoutAt

/** Undefined if it is not one of the answers. */
function valueOf(question: Question, { value, text }: InboundAnswer): unknown {
  const { answers, form } = question
  if (form !== null) {
    const filledIn = value ?? text
    return compileSchema(form).problems(filledIn).length === 0 ? filledIn : undefined
  }
  const known = answers ?? []
  if (value !== undefined) return known.find((answer) => answer === value)
  if (text === undefined) return undefined
  const shown = (answer: string): string => labelOf(question, answer)
  const alike = known.filter((answer) => [answer, shown(answer)].some((word) => bare(word) === bare(text)))
  const meant = alike.length === 1 ? alike : alike.filter((answer) => shown(answer) === text)
  return meant.length === 1 ? meant[0] : undefined
}

/** Normalizes white space, letter case and variants of characters: phones write ’ for '. */
const bare = (text: string): string =>
  text.normalize('NFKC').replaceAll(/\s/g, '').replaceAll('’', "'").toLowerCase()

/** Whether `whole` contains all of `part`. Lists are compared as a whole. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(whole, part)
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole) !== Array.isArray(part))
    return false
  const names = Object.keys(part)
  if (Array.isArray(part) && part.length !== (whole as readonly unknown[]).length) return false
  return names.every(
    (name) =>
      Object.hasOwn(whole, name) &&
      holds((whole as Record<string, unknown>)[name], (part as Record<string, unknown>)[name]),
  )
}
