import { defineSkill } from 'tocsin/plugin'
import { cardMessage } from '../card.ts'
import { connection, requireBot } from '../connection.ts'
import { activities, conversationSchema, requireId } from '../conversations.ts'

export const replyInThread = defineSkill({
  name: 'reply_message',
  title: 'Reply in a Thread',
  description:
    'Posts a reply to a thread or chat, as the bot. delete_message removes it. After an interruption a person decides whether to post it again.',
  docs: 'https://learn.microsoft.com/en-us/azure/bot-service/rest-api/bot-framework-rest-connector-send-and-receive-messages',
  permissions: ['the app of the bot in the team'],
  effect: 'write',
  repeat: 'never',
  undoneBy: {
    skill: 'delete_message',
    input: ({ conversation_id }, { message_id }) => ({ conversation_id, message_id }),
  },
  connection,
  input: {
    type: 'object',
    required: ['conversation_id', 'text'],
    additionalProperties: false,
    properties: {
      conversation_id: conversationSchema,
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
      title: 'A reply',
      synthetic: true,
      input: { conversation_id: '19:soc@thread.tacv2;messageid=1', text: 'Released again.' },
      output: { message_id: '1' },
    },
  ],
  async run({ conversation_id, text }, { http, settings }) {
    requireBot(settings)
    const response = await http.post(activities(conversation_id), { json: cardMessage(text) })
    return { message_id: requireId(response, 'id') }
  },
})
