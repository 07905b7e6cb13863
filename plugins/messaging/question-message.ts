import type { JsonObject } from 'tocsin/plugin'
import { actionId, blockId, toButtonValue } from './button-value.ts'
import { escapeText, oneLine } from './message-text.ts'

/** Limits of the vendor, in characters: https://docs.slack.dev/reference/block-kit/blocks. */
const maxSection = 3_000
const maxButton = 75
const maxContext = 2_000

/** What a question is shown with. */
export interface ShownQuestion {
  readonly message: string
  readonly answers: readonly string[]
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly styles?: Readonly<Record<string, 'primary' | 'danger'>> | undefined
}

/** A message in the words of the Web API: `text` is what notifications show. */
export interface Message {
  readonly text: string
  readonly blocks: readonly JsonObject[]
}

/** What is sent is what was written: no previews of links, which would be fetched from whoever an alert names. */
export const noPreviews = { unfurl_links: false, unfurl_media: false } as const

export function askMessage(question: ShownQuestion, checkpointId: string): Message {
  const section = sectionOf(question)
  const buttons = question.answers.map((answer, index) => {
    const style = ownOf(question.styles, answer)
    return {
      type: 'button',
      action_id: actionId(index),
      text: { type: 'plain_text', text: labelOf(question, answer) },
      value: toButtonValue({ checkpointId, answer }),
      ...(style === undefined ? {} : { style }),
    }
  })
  const row = { type: 'actions', block_id: blockId(checkpointId), elements: buttons }
  const note = `Press a button, or reply with ${wordsOf(question)}.`
  return { text: section.text.text, blocks: [section, row, contextOf(note)] }
}

/** The question without its buttons, and what became of it. */
export function settledMessage(question: ShownQuestion, outcome: string): Message {
  const section = sectionOf(question)
  return { text: section.text.text, blocks: [section, contextOf(outcome)] }
}

/** Whether the message is longer than can be shown. */
export const isCut = ({ message }: Pick<ShownQuestion, 'message'>): boolean =>
  escapeText(message, maxSection).isCut

/** What the button of an answer says. */
export const labelOf = ({ labels }: Pick<ShownQuestion, 'labels'>, answer: string): string =>
  oneLine(ownOf(labels, answer) ?? answer, maxButton)

/** The words that can be replied, escaped. */
export function wordsOf({ answers }: Pick<ShownQuestion, 'answers'>): string {
  const words = answers.map((answer) => `\`${escapeText(answer, 300).text}\``)
  const list = words.length < 2 ? words.join('') : `one of: ${words.join(', ')}`
  return list.length <= maxContext - 100 ? list : 'one of the answers'
}

// `verbatim`: an address in the text does not become a link, and a name no mention.
const sectionOf = ({ message }: Pick<ShownQuestion, 'message'>) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: escapeText(message, maxSection).text, verbatim: true },
})

const contextOf = (text: string) => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text, verbatim: true }],
})

const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
