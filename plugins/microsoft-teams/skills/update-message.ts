import { defineSkill } from 'tocsin/plugin'
import { cardMessage } from '../card.ts'
import { connection, requireBot } from '../connection.ts'
import { activities, activitySchema, conversationSchema } from '../conversations.ts'

export const updateChannelMessage = defineSkill({
  name: 'update_message',
  title: 'Update a Message',
  description: 'Replaces the content of a message of the bot.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/update-and-delete-bot-messages',
  permissions: ['the app of the bot in the team'],
  effect: 'write',
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['conversation_id', 'message_id', 'text'],
    additionalProperties: false,
    properties: {
      conversation_id: conversationSchema,
      message_id: activitySchema,
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
    required: ['message_id'],
    additionalProperties: false,
    properties: { message_id: { type: 'string' } },
  },
  examples: [
    {
      title: 'A new state',
      synthetic: true,
      input: {
        conversation_id: '19:soc@thread.tacv2;messageid=1',
        message_id: '1',
        text: 'Closed: false positive.',
      },
      output: { message_id: '1' },
    },
  ],
  async run({ conversation_id, message_id, title, text }, { http, settings }) {
    requireBot(settings)
    const activity = { ...cardMessage(text, title), id: message_id }
    await http.request({ method: 'PUT', path: activities(conversation_id, message_id), json: activity })
    return { message_id }
  },
})
