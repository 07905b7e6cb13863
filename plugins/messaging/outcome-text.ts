import type { QuestionOutcome, RefusalReason } from 'tocsin/plugin'
import { toOneLine } from './message-text.ts'
import { answerLabel, answerWords, type SettledOutcome, type ShownQuestion } from './question-message.ts'

/** The final text of a question's message. `asked`: user id of the responder. */
export function outcomeText(
  question: ShownQuestion,
  asked: string,
  outcome: QuestionOutcome,
): SettledOutcome {
  const { state, value, by, byKind, at } = outcome
  if (state === 'withdrawn') return { text: 'This question was withdrawn. No answer is needed.' }
  if (state === 'decided') return { text: 'Other people have decided. No answer is needed.' }
  if (state === 'timed_out') return { text: 'No answer in time.', ...when(at) }
  const label = typeof value === 'string' ? answerLabel(question, value) : 'a form'
  const isAsked = by === undefined || (byKind === 'person' && by === asked)
  const who = isAsked
    ? 'You answered'
    : `${toOneLine(by, 100)}${byKind === 'api_key' ? ' (API key)' : ''} answered`
  return { text: `${who}: ${label}`, ...when(at) }
}

/**
 * A time, shown in the reader's time zone:
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting.
 */
function when(at: number | undefined): Pick<SettledOutcome, 'moment'> {
  if (at === undefined) return {}
  const fallback = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return { moment: `<!date^${Math.floor(at / 1000)}^{date_short_pretty}, {time}|${fallback}>` }
}

export const reminderText = (question: ShownQuestion): string =>
  `A reminder: the question above is still waiting for your answer. Press one of its buttons, or reply here with ${answerWords(question)}.`

export function refusalText(question: ShownQuestion, reason: RefusalReason): string {
  switch (reason) {
    case 'late':
      return 'Thank you, but the time to answer this question has passed.'
    case 'second':
      return 'Thank you, but this question already has an answer. The first answer counts.'
    case 'decided':
      return 'Thank you, but the other people who were asked have already decided.'
    case 'same_person':
      return 'You have already answered this question. Each person counts once.'
    case 'not_asked':
      return 'This question is for someone else. Only their answer counts.'
    case 'not_an_answer':
      return `This is not a valid answer. Press a button, or reply with ${answerWords(question)}.`
    case 'ambiguous':
      return 'Several questions are waiting for your answer. Press a button of the right one, or reply in its thread.'
  }
}
