import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { parseButtonValue } from '../../button-value.ts'
import { botUser } from '../people.ts'

/** The current version of a message. */
export interface SandboxMessage {
  readonly channel: string
  readonly ts: string
  /** The sender. */
  readonly user: string
  readonly text: string
  /** Whether `*bold*` and the like work in the text. Default: true. */
  readonly mrkdwn?: boolean
  readonly blocks: readonly JsonObject[]
  readonly thread_ts?: string
  readonly reply_broadcast?: boolean
  readonly edited?: boolean
}

/** A button as a person sees it, and its answer if it is one of ours. */
export interface ShownButton {
  readonly label: string
  readonly answer: string | undefined
}

export const buttonsOf = ({ blocks }: Pick<SandboxMessage, 'blocks'>): readonly ShownButton[] =>
  blocks
    .flatMap((block) => objectsAt(block, 'elements'))
    .filter((element) => textAt(element, 'type') === 'button')
    .map((button) => ({
      label: textAt(valueAt(button, 'text'), 'text') ?? '',
      answer: parseButtonValue(textAt(button, 'value') ?? '')?.answer,
    }))

/** The workspace's id of a message. */
interface ShownIn {
  /** From 1, in the order of posting. */
  readonly number: number
  /** The person of its direct conversation, or else the channel. */
  readonly person: string
}

/** The message with this number, as a person reads it. */
export function showMessage(message: SandboxMessage, { number, person }: ShownIn): string {
  const { user, edited } = message
  const who = user === botUser.id ? `to ${person}` : `from ${person}`
  const buttons = buttonsOf(message).map(({ label }) => `[${label}]`)
  return [
    `message ${number} ${who}${edited === true ? ', changed' : ''}`,
    ...linesOf(message).map((line) => `  ${line}`),
    ...(buttons.length === 0 ? [] : [`  ${buttons.join(' ')}`]),
  ].join('\n')
}

/** The text of the blocks, or of the message if it has no blocks. */
function linesOf({ blocks, text, mrkdwn }: SandboxMessage): readonly string[] {
  const said = blocks.flatMap((block) => [valueAt(block, 'text'), ...objectsAt(block, 'elements')])
  const texts = said.filter((one) => textAt(one, 'text') !== null).map(shownTextOf)
  return (texts.length === 0 ? [shownText(text, mrkdwn !== false)] : texts).flatMap((one) => one.split('\n'))
}

/** Text posted through the webhook. */
export const showPost = (post: JsonObject): string =>
  `channel: ${shownText(textAt(post, 'text') ?? '', valueAt(post, 'mrkdwn') !== false).replaceAll('\n', '\n  ')}`

/** A text object of a block as a person sees it: mark-up works in one of its two types only. */
const shownTextOf = (object: unknown): string => {
  const text = textAt(object, 'text') ?? ''
  return textAt(object, 'type') === 'mrkdwn' ? withMarkup(text) : text
}

/** A text as a person sees it: mentions and links always work, `*bold*` and the like unless disabled. */
const shownText = (text: string, mrkdwn: boolean): string => (mrkdwn ? withMarkup(text) : unescaped(text))

const withMarkup = (text: string): string =>
  unescaped(text.replaceAll(/([*_~`])(?=\S)([^\n]*?\S)\1/g, '$2').replaceAll(/^&gt; ?/gm, '| '))

/** Decodes angle brackets and the three escapes as the vendor does. */
const unescaped = (text: string): string =>
  text
    .replaceAll(/<([^<>|]*)\|([^<>]*)>/g, '$2')
    .replaceAll(/<!?([^<>]*)>/g, '@$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
