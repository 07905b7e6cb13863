import { defineSkill } from 'tocsin/plugin'
import { cardMessage } from '../card.ts'
import { connection, requireBot } from '../connection.ts'
import { channelSchema, requireId } from '../conversations.ts'

export const postChannelMessage = defineSkill({
  name: 'post_message',
  title: 'Post a Message',
  description:
    'Begins a thread in a channel, as the bot. reply_message answers in it. delete_message removes it. After an interruption a person decides whether to post it again.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages',
  permissions: ['the app of the bot in the team'],
  effect: 'write',
  repeat: 'never',
  undoneBy: {
    skill: 'delete_message',
    input: (_, { conversation_id, message_id }) => ({ conversation_id, message_id }),
  },
  connection,
  input: {
    type: 'object',
    required: ['channel_id', 'text'],
    additionalProperties: false,
    properties: {
      channel_id: channelSchema,
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
    required: ['conversation_id', 'message_id'],
    additionalProperties: false,
    properties: {
      conversation_id: { type: 'string', description: 'The thread.' },
      message_id: { type: 'string' },
    },
  },
  examples: [
    {
      title: 'A message',
      synthetic: true,
      input: {
        channel_id: '19:soc@thread.tacv2',
        title: 'Case DEMO-1',
        text: 'kim@example.com was contained.',
      },
      output: { conversation_id: '19:soc@thread.tacv2;messageid=1', message_id: '1' },
    },
  ],
  async run({ channel_id, title, text }, { http, settings }) {
    const { tenantId } = requireBot(settings)
    const response = await http.post('/v3/conversations', {
      json: {
        isGroup: true,
        tenantId,
        channelData: { channel: { id: channel_id }, tenant: { id: tenantId } },
        activity: cardMessage(text, title),
      },
    })
    return { conversation_id: requireId(response, 'id'), message_id: requireId(response, 'activityId') }
  },
})
