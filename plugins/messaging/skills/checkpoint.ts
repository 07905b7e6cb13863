import { defineSkill, objectsAt, textAt, SkillError, valueAt, type HttpClient } from 'tocsin/plugin'
import { blockId } from '../button-value.ts'
import { connection } from '../connection.ts'
import { escapeMessage, maxText } from '../message-text.ts'
import { outcomeText, refusalText, reminderText } from '../outcome-text.ts'
import { askMessage, isCut, asWritten, settledMessage } from '../question-message.ts'
import { requireSettings } from '../require-settings.ts'
import { callWebApi, requireText } from '../web-api.ts'

/** An e-mail address, or a user id of the messaging system. */
const personPattern = '^([UW][A-Z0-9]{2,30}|[^@\\s]{1,64}@[^@\\s]{1,255})$'

export const checkpoint = defineSkill({
  name: 'checkpoint',
  title: 'Messaging Checkpoint',
  description:
    'Asks a person in a direct message, with a button for each answer; only this person can answer. After the timeout, the ' +
    'playbook continues as declared.',
  docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  effect: 'write',
  repeat: 'verify',
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
        pattern: personPattern,
        patternErrorMessage: 'must be an e-mail address, or a user id such as U024BE7LH',
        description: 'The person to ask: an e-mail address, or a user id such as U024BE7LH.',
      },
      message: {
        type: 'string',
        minLength: 1,
        'x-message': true,
        description: 'The question. Text from alerts is safe here. About 3,000 characters are shown.',
      },
      labels: {
        type: 'object',
        'x-message': true,
        additionalProperties: { type: 'string', minLength: 1 },
        description:
          'Labels of the buttons, by answer: { not_mine: "This was not me" }. Default: the answers.',
      },
      styles: {
        type: 'object',
        additionalProperties: { type: 'string', enum: ['primary', 'danger'] },
        description: 'Colours of the buttons, by answer: { not_mine: danger }. Default: plain.',
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
        maxItems: 25,
        items: { type: 'string', minLength: 1, maxLength: 500 },
        description: 'Set by the engine: the answers of the checkpoint, at most 25.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['asked', 'channel', 'ts', 'truncated'],
    additionalProperties: false,
    properties: {
      asked: { type: 'string', description: 'User id of the only person who may answer.' },
      asked_name: {
        type: 'string',
        description: 'Their e-mail address; absent if `user` is a user id.',
      },
      channel: { type: 'string', description: 'The direct conversation.' },
      ts: {
        type: 'string',
        description: 'Id of the message within the conversation. A string, not a number.',
      },
      truncated: { type: 'boolean', description: 'The message was too long and was cut, with a note.' },
    },
  },
  implements: { ask: { input: ({ user, message }) => ({ user, message }) } },
  examples: [
    {
      title: 'A question about a sign-in',
      input: {
        user: 'ana.silva@example.com',
        message: 'Sign-in from Lisbon at 08:12. Was this you?',
        labels: { mine: 'Yes, this was me', not_mine: 'No' },
        styles: { not_mine: 'danger' },
        checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
        answers: ['mine', 'not_mine'],
      },
      output: {
        asked: 'U0ANASILVA',
        asked_name: 'ana.silva@example.com',
        channel: 'D0ANASILVA',
        ts: '1767225600.000100',
        truncated: false,
      },
    },
  ],
  async run(input, { http, settings }) {
    requireSettings(settings, ['bot_token', 'signing_secret'])
    const person = await findPerson(http, input.user)
    const channel = await openConversation(http, person.asked)
    const method = 'chat.postMessage'
    const message = askMessage(input, input.checkpoint_id)
    const posted = await callWebApi(http, method, { channel, ...message, ...asWritten })
    return { ...person, channel, ts: requireText(method, posted, 'ts'), truncated: isCut(input) }
  },
  async verify(input, { http }) {
    const person = await findPerson(http, input.user)
    const channel = await openConversation(http, person.asked)
    const history = await callWebApi(http, 'conversations.history', { channel, limit: 100 })
    const isAsked = (block: unknown) => textAt(block, 'block_id') === blockId(input.checkpoint_id)
    const found = objectsAt(history, 'messages').find((message) => objectsAt(message, 'blocks').some(isAsked))
    const ts = textAt(found, 'ts')
    return ts === null ? undefined : { ...person, channel, ts, truncated: isCut(input) }
  },
  async settle({ input, output: { asked, channel, ts }, outcome }, { http }) {
    const message = settledMessage(input, outcomeText(input, asked, outcome))
    await callWebApi(http, 'chat.update', { channel, ts, ...message })
  },
  async remind({ input, output: { channel, ts } }, { http }) {
    // In the question's thread, to be part of it, and in the conversation, to be seen.
    const place = { channel, thread_ts: ts, reply_broadcast: true }
    await callWebApi(http, 'chat.postMessage', {
      ...place,
      text: escapeMessage(reminderText(input), maxText).text,
      ...asWritten,
    })
  },
  async refuse({ input, output: { asked, channel, ts } }, { by, reason }, { http }) {
    const place = by === asked ? { channel, thread_ts: ts } : { channel: await openConversation(http, by) }
    await callWebApi(http, 'chat.postMessage', {
      ...place,
      text: escapeMessage(refusalText(input, reason), maxText).text,
      ...asWritten,
    })
  },
})

/** A responder. */
interface FoundPerson {
  /** User id. */
  readonly asked: string
  /** E-mail address; absent for responders given by user id. */
  readonly asked_name?: string
}

async function findPerson(http: HttpClient, user: string): Promise<FoundPerson> {
  if (!user.includes('@')) return { asked: user }
  const method = 'users.lookupByEmail'
  const answer = await callWebApi(http, method, { email: user })
  const found = valueAt(answer, 'user')
  if (valueAt(found, 'is_bot') === true || valueAt(found, 'deleted') === true) {
    throw new SkillError('messaging_user_disabled', 'the account of this address is a bot or deactivated', {
      hint: 'ask another person',
    })
  }
  const email = textAt(valueAt(found, 'profile'), 'email') ?? user
  return { asked: requireText(method, found, 'id'), asked_name: email }
}

/** The id of the direct conversation with a person; opens it if there is none. */
async function openConversation(http: HttpClient, userId: string): Promise<string> {
  const method = 'conversations.open'
  const answer = await callWebApi(http, method, { users: userId })
  return requireText(method, valueAt(answer, 'channel'), 'id')
}
