import { answerLink, defineSkill, SkillError, type HttpClient, type QuestionOutcome } from 'tocsin/plugin'
import { cardMessage } from '../card.ts'
import { connection, incomplete, requireBot } from '../connection.ts'
import { activities, readMembers, requireId } from '../conversations.ts'

export const askInChat = defineSkill({
  name: 'ask',
  title: 'Ask in a Chat',
  description:
    'Asks one person in their chat with the bot, with a button for each answer. A button opens a page where the person confirms the answer. The links work once, for this person and question, until the timeout.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages',
  permissions: ['the app of the bot for the person'],
  effect: 'write',
  repeat: 'never',
  asks: true,
  connection,
  input: {
    type: 'object',
    required: ['user', 'message', 'checkpoint_id', 'answers'],
    additionalProperties: false,
    properties: {
      user: {
        type: 'string',
        maxLength: 320,
        pattern: '^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[^@\\s]{1,64}@[^@\\s]{1,255})$',
        patternErrorMessage: 'must be an e-mail address or an object ID of Entra ID',
        description:
          'The person to ask: an e-mail address or user principal name, or the object ID in Entra ID.',
      },
      message: {
        type: 'string',
        minLength: 1,
        'x-message': true,
        description: 'The question. Text from alerts is safe here.',
      },
      labels: {
        type: 'object',
        'x-message': true,
        additionalProperties: { type: 'string', minLength: 1 },
        description:
          'Labels of the buttons, by answer: { not_mine: "This was not me" }. Default: the answers.',
      },
      remind_after: {
        type: 'string',
        maxLength: 40,
        pattern: '^([0-9]+(d|h|m|s|ms))+$',
        patternErrorMessage: 'must be a duration such as 90s, 15m or 1h30m',
        description: 'Send one reminder if there is no answer after this time, e.g. 15m. Default: never.',
      },
      checkpoint_id: { type: 'string', minLength: 1, maxLength: 200, description: 'Set by the engine.' },
      answers: {
        type: 'array',
        minItems: 1,
        maxItems: 6,
        items: { type: 'string', minLength: 1, maxLength: 200 },
        description: 'Set by the engine: the answers of the checkpoint, at most 6.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['asked', 'asked_name', 'conversation_id', 'message_id'],
    additionalProperties: false,
    properties: {
      asked: { type: 'string', description: 'Object ID of the only person who may answer.' },
      asked_name: { type: 'string', description: 'The person, as given.' },
      conversation_id: { type: 'string', description: 'The chat.' },
      message_id: { type: 'string' },
    },
  },
  implements: { ask: { input: ({ user, message }) => ({ user, message }) } },
  examples: [
    {
      title: 'A question about a sign-in',
      synthetic: true,
      input: {
        user: 'kim@example.com',
        message: 'Sign-in from BR at 08:12. Was this you?',
        labels: { mine: 'Yes, this was me', not_mine: 'No' },
        checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
        answers: ['mine', 'not_mine'],
      },
      output: {
        asked: '0a9c1f6e-3d52-4b7a-9c1e-6f2d8b4a7c10',
        asked_name: 'kim@example.com',
        conversation_id: 'a:chat-29:kim',
        message_id: '1',
      },
    },
  ],
  async run({ user, message, labels = {}, checkpoint_id: checkpointId, answers }, context) {
    const { http, settings } = context
    const { appId, tenantId } = requireBot(settings)
    if (settings.link_secret === undefined)
      throw incomplete(
        'the connection has no link_secret',
        'enter a random text, such as that of `openssl rand -hex 32`: it signs the links of questions',
      )
    const address = context.inboundUrl('answer')
    const secret = settings.link_secret
    const { asked, member } = await findMember(http, settings.team_id, user)
    const links = answers.map((value) => ({
      title: Object.hasOwn(labels, value) ? (labels[value] ?? value) : value,
      url: answerLink(address, { checkpointId, by: asked, value }, secret),
    }))
    const note = `Each button opens a page of ${new URL(address).origin}, where you confirm the answer. Forward this message to nobody: its buttons answer in your name.`
    const chat = await http.post('/v3/conversations', {
      json: {
        isGroup: false,
        bot: { id: `28:${appId}` },
        members: [{ id: member }],
        tenantId,
        channelData: { tenant: { id: tenantId } },
      },
      // Gives the same chat again, without a message.
      reads: true,
    })
    const conversation = requireId(chat, 'id')
    const posted = await http.post(activities(conversation), {
      json: cardMessage(message, 'A question for you', links, note),
    })
    return {
      asked,
      asked_name: user,
      conversation_id: conversation,
      message_id: requireId(posted, 'id'),
    }
  },
  async settle({ input, output: { conversation_id, message_id }, outcome }, { http }) {
    const activity = cardMessage(input.message, 'A question for you', [], endOf(input, outcome))
    const path = activities(conversation_id, message_id)
    await http.request({ method: 'PUT', path, json: { ...activity, id: message_id } })
  },
  async remind({ output: { conversation_id } }, { http }) {
    const text = 'A reminder: the question above is still waiting for your answer.'
    await http.post(activities(conversation_id), { json: cardMessage(text) })
  },
})

/** The person as answers name them, and as the bot addresses them. */
async function findMember(http: HttpClient, team: string | undefined, user: string) {
  if (!user.includes('@')) return { asked: user.toLowerCase(), member: user.toLowerCase() }
  if (team === undefined)
    throw incomplete(
      'the connection has no team in which to find people by address',
      'enter team_id, or give the object ID of the person in Entra ID',
    )
  const wanted = user.toLowerCase()
  const { items } = await readMembers(http, team, 1, ({ email, user_principal_name: name }) =>
    [email, name].some((one) => one?.toLowerCase() === wanted),
  )
  const [found] = items
  if (found !== undefined) return { asked: found.object_id?.toLowerCase() ?? found.id, member: found.id }
  throw new SkillError('teams_user_not_found', `no member of the team has the address ${user}`, {
    hint: 'add the person to the team of the connection, or give their object ID in Entra ID',
    effect: 'none',
  })
}

function endOf(
  { labels }: { readonly labels?: Readonly<Record<string, string>> | undefined },
  outcome: QuestionOutcome,
) {
  const { state, value } = outcome
  if (state === 'withdrawn') return 'This question was withdrawn. No answer is needed.'
  if (state === 'decided') return 'Other people have decided. No answer is needed.'
  if (state === 'timed_out') return 'No answer in time.'
  const answer = typeof value === 'string' ? value : 'a form'
  return `Answered: ${Object.hasOwn(labels ?? {}, answer) ? (labels?.[answer] ?? answer) : answer}`
}
