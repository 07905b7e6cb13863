import type { JsonObject } from 'tocsin/plugin'
import { actionId, blockId, toButtonValue } from './button-value.ts'
import { escapeText, oneLine, plainText } from './message-text.ts'

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

/**
 * What is sent is what was written: `*`, `_`, `~` and backticks are no mark-up, and there are no previews of links, which would be fetched
 * from whoever an alert names.
 */
export const asWritten = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const

/** What became of a question. */
export interface Outcome {
  /** Shown as it is. */
  readonly text: string
  /** In the mark-up of the messaging system: it alone knows the time zone of the reader. */
  readonly moment?: string
}

export function askMessage(question: ShownQuestion, checkpointId: string): Message {
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
  return { text: textOf(question), blocks: [sectionOf(question), row, contextOf([plain(note, maxContext)])] }
}

/** The question without its buttons, and what became of it. */
export function settledMessage(question: ShownQuestion, outcome: Outcome): Message {
  const said = plain(outcome.text, maxContext)
  const moment =
    outcome.moment === undefined ? [] : [{ type: 'mrkdwn', text: outcome.moment, verbatim: true }]
  return { text: textOf(question), blocks: [sectionOf(question), contextOf([said, ...moment])] }
}

/** Whether the message is longer than can be shown. */
export const isCut = ({ message }: Pick<ShownQuestion, 'message'>): boolean =>
  plainText(message, maxSection).isCut

/** What the button of an answer says. */
export const labelOf = ({ labels }: Pick<ShownQuestion, 'labels'>, answer: string): string =>
  oneLine(ownOf(labels, answer) ?? answer, maxButton)

/** The words that can be replied: what the buttons say. */
export function wordsOf({ answers, labels }: Pick<ShownQuestion, 'answers' | 'labels'>): string {
  const words = answers.map((answer) => `"${oneLine(ownOf(labels, answer) ?? answer, 300)}"`)
  const list = words.length < 2 ? words.join('') : `one of: ${words.join(', ')}`
  return list.length <= maxContext - 100 ? list : 'one of the answers'
}

const textOf = ({ message }: Pick<ShownQuestion, 'message'>): string => escapeText(message, maxSection).text

const sectionOf = ({ message }: Pick<ShownQuestion, 'message'>) => ({
  type: 'section',
  text: plain(message, maxSection),
})

const contextOf = (elements: readonly JsonObject[]) => ({ type: 'context', elements })

/** No address in it becomes a link, no name a mention, and no `:word:` a picture. */
const plain = (text: string, maxLength: number) => ({
  type: 'plain_text',
  text: plainText(text, maxLength).text,
  emoji: false,
})

const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
