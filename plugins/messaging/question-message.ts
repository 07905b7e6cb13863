import type { JsonObject } from 'tocsin/plugin'
import { buttonActionId, blockId, toButtonValue } from './button-value.ts'
import { escapeMessage, toOneLine, plainText } from './message-text.ts'

/** Limits of the vendor, in characters: https://docs.slack.dev/reference/block-kit/blocks. */
const maxSection = 3_000
const maxButton = 75
const maxContext = 2_000

/** Content of a question's message. */
export interface ShownQuestion {
  readonly message: string
  readonly answers: readonly string[]
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly styles?: Readonly<Record<string, 'primary' | 'danger'>> | undefined
}

/** A message for the Web API: `text` is shown in notifications. */
export interface Message {
  readonly text: string
  readonly blocks: readonly JsonObject[]
}

/**
 * Text is sent as written: `*`, `_`, `~` and backticks are no mark-up, and links have no previews, since
 * fetching one would contact an attacker's server.
 */
export const asWritten = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const

/** Outcome of a question. */
export interface SettledOutcome {
  /** Shown unchanged. */
  readonly text: string
  /** In the vendor's mark-up, which shows times in the reader's time zone. */
  readonly moment?: string
}

export function askMessage(question: ShownQuestion, checkpointId: string): Message {
  const buttons = question.answers.map((answer, index) => {
    const style = ownOf(question.styles, answer)
    return {
      type: 'button',
      action_id: buttonActionId(index),
      text: { type: 'plain_text', text: answerLabel(question, answer) },
      value: toButtonValue({ checkpointId, answer }),
      ...(style === undefined ? {} : { style }),
    }
  })
  const row = { type: 'actions', block_id: blockId(checkpointId), elements: buttons }
  const note = `Press a button, or reply with ${answerWords(question)}.`
  return { text: textOf(question), blocks: [sectionOf(question), row, contextOf([plain(note, maxContext)])] }
}

/** The question without its buttons, with its outcome. */
export function settledMessage(question: ShownQuestion, outcome: SettledOutcome): Message {
  const said = plain(outcome.text, maxContext)
  const moment =
    outcome.moment === undefined ? [] : [{ type: 'mrkdwn', text: outcome.moment, verbatim: true }]
  return { text: textOf(question), blocks: [sectionOf(question), contextOf([said, ...moment])] }
}

/** Whether the message exceeds the length limit. */
export const isCut = ({ message }: Pick<ShownQuestion, 'message'>): boolean =>
  plainText(message, maxSection).isCut

/** The label of an answer's button. */
export const answerLabel = ({ labels }: Pick<ShownQuestion, 'labels'>, answer: string): string =>
  toOneLine(ownOf(labels, answer) ?? answer, maxButton)

/** The accepted replies: the labels of the buttons. */
export function answerWords({ answers, labels }: Pick<ShownQuestion, 'answers' | 'labels'>): string {
  const words = answers.map((answer) => `"${toOneLine(ownOf(labels, answer) ?? answer, 300)}"`)
  const list = words.length < 2 ? words.join('') : `one of: ${words.join(', ')}`
  return list.length <= maxContext - 100 ? list : 'one of the answers'
}

const textOf = ({ message }: Pick<ShownQuestion, 'message'>): string =>
  escapeMessage(message, maxSection).text

const sectionOf = ({ message }: Pick<ShownQuestion, 'message'>) => ({
  type: 'section',
  text: plain(message, maxSection),
})

const contextOf = (elements: readonly JsonObject[]) => ({ type: 'context', elements })

/** Plain text: no links, mentions or emoji. */
const plain = (text: string, maxLength: number) => ({
  type: 'plain_text',
  text: plainText(text, maxLength).text,
  emoji: false,
})

const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
