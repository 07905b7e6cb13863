import { defineSkill, ConnectionError, SkillError, type HttpResponse } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { escapeMessage, maxText } from '../message-text.ts'
import { asWritten } from '../question-message.ts'
import { requireSettings } from '../require-settings.ts'

export const sendMessage = defineSkill({
  name: 'send_message',
  title: 'Send Messaging Message',
  description: 'Posts a message to the channel of the webhook.',
  docs: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  effect: 'write',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      text: {
        type: 'string',
        minLength: 1,
        'x-message': true,
        description: 'Text from alerts is safe here. About 4,000 characters are shown.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['channel', 'truncated'],
    additionalProperties: false,
    properties: {
      channel: { type: 'string', description: 'As named in the connection.' },
      truncated: { type: 'boolean', description: 'The text was too long and was cut, with a note.' },
    },
  },
  implements: {
    notify: {
      input: ({ text }) => ({ text }),
      output: () => ({ status: 'done' }),
    },
  },
  examples: [
    {
      title: 'News for the team',
      input: { text: 'Impossible travel for ana.silva@example.com: completed.' },
      output: { channel: '#security-alerts', truncated: false },
    },
  ],
  async run({ text }, { http, settings }) {
    const { webhook_url, channel_name } = requireSettings(settings, ['webhook_url'])
    const fitted = escapeMessage(text, maxText)
    const response = await http.post(webhook_url.reveal(), {
      json: { text: fitted.text, ...asWritten },
      accept: refusals,
    })
    checkPosted(response)
    return { channel: channel_name, truncated: fitted.isCut }
  },
})

const another =
  'create an incoming webhook on the page "Incoming Webhooks" of the app, and enter its address in the connection'

/** Statuses whose one-word body says why nothing was posted. */
const hints: Readonly<Record<number, string>> = {
  400: 'The webhook rejected the text; see the response for the reason.',
  403: `An administrator blocks the webhook from its channel, or its address is wrong: ${another}.`,
  404: `The webhook or its channel no longer exists: ${another}.`,
  410: `The channel of the webhook was archived: ${another}.`,
}

const refusals: readonly number[] = Object.keys(hints).map(Number)

/**
 * Reads the response of a webhook:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors. Only the plain
 * text `ok` means that the message was posted.
 *
 * @throws ConnectionError if the webhook is invalid, SkillError for a refused text or a response from another
 * server
 */
function checkPosted({ status, text }: HttpResponse): void {
  const hint = hints[status]
  if (hint !== undefined) {
    const [word] = /^[a-z_]{1,60}$/.exec(text.trim()) ?? ['no reason']
    const message = `the webhook answered ${status}: ${word}`
    if (status === 400) throw new SkillError('http_400', message, { hint })
    throw new ConnectionError(`http_${status}`, message, { hint })
  }
  if (text.trim() === 'ok') return
  const what = text.trimStart().startsWith('<') ? 'is an HTML page' : "is not 'ok'"
  throw new SkillError('bad_response', `the response is not from the webhook: it ${what}`, {
    hint: 'check webhook_url: it must lead to the webhook itself, not to a sign-in page, a proxy or another system',
  })
}
