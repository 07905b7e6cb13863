import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { escapeText, maxText } from '../message-text.ts'
import { asWritten } from '../question-message.ts'
import { requireSettings } from '../require-settings.ts'
import { checkPosted, refusals } from '../webhook-answer.ts'

export const sendMessage = defineSkill({
  name: 'send_message',
  title: 'Send Messaging Message',
  description: 'Posts a text to the channel that was chosen when the webhook was made.',
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
        description: 'Texts from alerts are safe here. About 4,000 characters are shown.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['channel', 'truncated'],
    additionalProperties: false,
    properties: {
      channel: { type: 'string', description: 'As the connection names it.' },
      truncated: { type: 'boolean', description: 'The text was too long and was cut, with a note.' },
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
    const fitted = escapeText(text, maxText)
    const response = await http.post(webhook_url.reveal(), {
      json: { text: fitted.text, ...asWritten },
      accept: refusals,
    })
    checkPosted(response)
    return { channel: channel_name, truncated: fitted.isCut }
  },
})
