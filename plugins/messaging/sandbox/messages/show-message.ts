import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { parseButtonValue } from '../../button-value.ts'
import { botUser } from '../people.ts'
import { shownText, shownTextOf } from './shown-text.ts'
import type { SandboxMessage, Workspace } from '../workspace.ts'

/** A button as a person sees it, and the answer that it stands for where it is one of ours. */
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

/** The message under its number, as a person would read it. */
export function showMessage(workspace: Workspace, message: SandboxMessage): string {
  const { user, channel, edited } = message
  const person = workspace.personIn(channel)?.email ?? channel
  const who = user === botUser.id ? `to ${person}` : `from ${person}`
  const buttons = buttonsOf(message).map(({ label }) => `[${label}]`)
  return [
    `message ${workspace.numberOf(message)} ${who}${edited === true ? ', changed' : ''}`,
    ...linesOf(message).map((line) => `  ${line}`),
    ...(buttons.length === 0 ? [] : [`  ${buttons.join(' ')}`]),
  ].join('\n')
}

/** What the blocks say, or the text of a message that has none. */
function linesOf({ blocks, text, mrkdwn }: SandboxMessage): readonly string[] {
  const said = blocks.flatMap((block) => [valueAt(block, 'text'), ...objectsAt(block, 'elements')])
  const texts = said.filter((one) => textAt(one, 'text') !== null).map(shownTextOf)
  return (texts.length === 0 ? [shownText(text, mrkdwn !== false)] : texts).flatMap((one) => one.split('\n'))
}

/** What was posted by the webhook. */
export const showPost = (post: JsonObject): string =>
  `channel: ${shownText(textAt(post, 'text') ?? '', valueAt(post, 'mrkdwn') !== false).replaceAll('\n', '\n  ')}`
