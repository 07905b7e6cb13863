import { ConnectionError, defineSkill } from 'tocsin/plugin'
import { cardMessage } from '../card.ts'
import { connection, incomplete } from '../connection.ts'

/** The answers of a workflow that is off, deleted, or called with a wrong signature. */
const gone = [400, 401, 403, 404, 410]

export const sendNotification = defineSkill({
  name: 'send_notification',
  title: 'Send a Notification',
  description:
    'Posts a card to the channel of the workflow. The workflow only accepts it: if it fails later, nobody is told. After an interruption a person decides whether to send it again.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using',
  permissions: ['a workflow of the channel'],
  effect: 'write',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 200, 'x-message': true, description: 'The heading.' },
      text: {
        type: 'string',
        minLength: 1,
        'x-message': true,
        description: 'Text from alerts is safe here.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['accepted'],
    additionalProperties: false,
    properties: { accepted: { type: 'boolean', description: 'Always true: the workflow has accepted it.' } },
  },
  implements: {
    notify: { input: ({ text }) => ({ text }), output: () => ({ status: 'pending' }) },
  },
  examples: [
    {
      title: 'A notification',
      synthetic: true,
      input: { title: 'Impossible travel', text: 'kim@example.com: account disabled.' },
      output: { accepted: true },
    },
  ],
  async run({ title, text }, { http, settings }) {
    if (settings.webhook_url === undefined)
      throw incomplete('the connection has no workflow', 'enter webhook_url, or use post_message with a bot')
    const { status } = await http.post(settings.webhook_url.reveal(), {
      json: cardMessage(text, title),
      accept: gone,
    })
    if (!gone.includes(status)) return { accepted: true }
    throw new ConnectionError(`http_${status}`, `the workflow answered ${status}`, {
      hint: 'the workflow is off or was deleted, its owner has left, or its address is not complete: copy the address again',
      effect: 'none',
    })
  },
})
