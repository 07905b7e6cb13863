import { defineSkill } from 'tocsin/plugin'
import { connection, requireBot } from '../connection.ts'
import { activities, activitySchema, conversationSchema } from '../conversations.ts'

export const deleteChannelMessage = defineSkill({
  name: 'delete_message',
  title: 'Delete a Message',
  description: 'Deletes a message of the bot. It cannot be undone.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/update-and-delete-bot-messages',
  permissions: ['the app of the bot in the team'],
  effect: 'write',
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['conversation_id', 'message_id'],
    additionalProperties: false,
    properties: { conversation_id: conversationSchema, message_id: activitySchema },
  },
  output: {
    type: 'object',
    required: ['existed'],
    additionalProperties: false,
    properties: {
      existed: { type: 'boolean', description: 'false: there is no such message, or no longer.' },
    },
  },
  examples: [
    {
      title: 'A message that is gone',
      synthetic: true,
      input: { conversation_id: '19:soc@thread.tacv2;messageid=1', message_id: '404' },
      output: { existed: false },
    },
  ],
  async run({ conversation_id, message_id }, { http, settings }) {
    requireBot(settings)
    const path = activities(conversation_id, message_id)
    const { status } = await http.request({ method: 'DELETE', path, accept: [404] })
    return { existed: status !== 404 }
  },
})
