import type { QuestionOutcome, RefusalReason } from 'tocsin/plugin'
import { oneLine } from './message-text.ts'
import { labelOf, wordsOf, type Outcome, type ShownQuestion } from './question-message.ts'

/** What a question's message says when it is over. `asked`: user id of the person who was asked. */
export function outcomeText(question: ShownQuestion, asked: string, outcome: QuestionOutcome): Outcome {
  const { state, value, by, byKind, at } = outcome
  if (state === 'withdrawn') return { text: 'This question was withdrawn: no answer is needed any more.' }
  if (state === 'timed_out') return { text: 'Nobody answered in time.', ...when(at) }
  const label = typeof value === 'string' ? labelOf(question, value) : 'a form'
  const isAsked = by === undefined || (byKind === 'person' && by === asked)
  const who = isAsked
    ? 'You answered'
    : `${oneLine(by, 100)}${byKind === 'api_key' ? ' (API key)' : ''} answered`
  return { text: `${who}: ${label}`, ...when(at) }
}

/** A moment in the reader's own time zone: https://docs.slack.dev/messaging/formatting-message-text#date-formatting. */
function when(at: number | undefined): Pick<Outcome, 'moment'> {
  if (at === undefined) return {}
  const fallback = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return { moment: `<!date^${Math.floor(at / 1000)}^{date_short_pretty}, {time}|${fallback}>` }
}

export const reminderText = (question: ShownQuestion): string =>
  `A reminder: the question above still waits for your answer. Press one of its buttons, or reply here with ${wordsOf(question)}.`

export function refusalText(question: ShownQuestion, reason: RefusalReason): string {
  switch (reason) {
    case 'late':
      return 'Thank you, but the time to answer this question was over.'
    case 'second':
      return 'Thank you, but this question was answered already. The first answer counts.'
    case 'not_asked':
      return 'This question was put to somebody else: only their answer counts.'
    case 'not_an_answer':
      return `This is not one of the answers. Press a button, or reply with ${wordsOf(question)}.`
    case 'ambiguous':
      return 'Several questions wait for your answer. Press a button of the one you mean, or reply in its thread.'
  }
}
