import { ConnectionError, defineSkill, type Secret } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import type { MailContext } from '../credentials.ts'
import { permissions } from '../permissions.ts'
import { askedBy, questionContent, type LinkMaker, type MailedQuestion } from '../question-mail.ts'
import { messageIdOf } from '../smtp/compose.ts'
import { sendOnce } from '../smtp/send.ts'

export const askByMail = defineSkill({
  name: 'ask',
  title: 'Ask by Mail',
  description:
    'Asks one person by mail, with a link for each answer. A link opens a page where the person confirms the answer, so programs that open links do not answer. Links work once, for this person and question, until the timeout. After an interruption the same mail may arrive twice.',
  docs: 'https://www.rfc-editor.org/rfc/rfc5321#section-3.3',
  permissions: permissions.smtp,
  effect: 'write',
  repeat: 'safe',
  asks: true,
  connection,
  input: {
    type: 'object',
    required: ['to', 'message', 'checkpoint_id', 'answers'],
    additionalProperties: false,
    properties: {
      to: {
        type: 'string',
        format: 'email',
        maxLength: 320,
        description: 'The person to ask: one e-mail address, without a name.',
      },
      subject: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        'x-message': true,
        description: 'Default: A question for you.',
      },
      message: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        'x-message': true,
        description: 'The question. Text from alerts is safe here.',
      },
      labels: {
        type: 'object',
        'x-message': true,
        additionalProperties: { type: 'string', minLength: 1 },
        description: 'Texts of the links, by answer: { not_mine: "This was not me" }. Default: the answers.',
      },
      remind_after: {
        type: 'string',
        maxLength: 40,
        pattern: '^([0-9]+(d|h|m|s|ms))+$',
        patternErrorMessage: 'must be a duration such as 90s, 15m or 1h30m',
        description: 'Send one reminder if there is no answer after this time, e.g. 4h. Default: never.',
      },
      checkpoint_id: { type: 'string', minLength: 1, maxLength: 200, description: 'Set by the engine.' },
      answers: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: { type: 'string', minLength: 1, maxLength: 200 },
        description: 'Set by the engine: the answers of the checkpoint, at most 10.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['asked', 'asked_name', 'message_id'],
    additionalProperties: false,
    properties: {
      asked: { type: 'string', description: 'Address of the only person who may answer, in lower case.' },
      asked_name: { type: 'string', description: 'The address, as given.' },
      message_id: { type: 'string', description: 'Message-ID of the mail.' },
    },
  },
  examples: [
    {
      title: 'A question about a sign-in',
      synthetic: true,
      input: {
        to: 'Ana.Silva@example.com',
        message: 'Sign-in from Lisbon at 08:12. Was this you?',
        labels: { mine: 'Yes, this was me', not_mine: 'No' },
        checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
        answers: ['mine', 'not_mine'],
      },
      output: {
        asked: 'ana.silva@example.com',
        asked_name: 'Ana.Silva@example.com',
        message_id: '<tocsin.5f2561de69486470dd592d8acf8cd5d17c418ec9@example.com>',
      },
    },
  ],
  implements: { ask: { input: ({ user, message }) => ({ to: user, message }) } },
  async run(input, context) {
    const { message_id } = await mailQuestion(input, context, 'question')
    return { asked: askedBy(input), asked_name: input.to, message_id }
  },
  async remind({ input }, context) {
    await mailQuestion(input, context, 'reminder')
  },
})

type AskContext = MailContext & {
  readonly settings: { readonly link_secret?: Secret | undefined }
  readonly idempotencyKey: string
  inboundUrl(route: string): string
}

async function mailQuestion(asked: MailedQuestion, context: AskContext, kind: 'question' | 'reminder') {
  const { settings, idempotencyKey } = context
  const first = messageIdOf(asked.checkpoint_id, settings.from_address)
  const content = questionContent(asked, linksOf(context), kind === 'reminder')
  const own =
    kind === 'question'
      ? { messageId: first }
      : { messageId: messageIdOf(idempotencyKey, settings.from_address), inReplyTo: first }
  return await sendOnce(context, { to: [asked.to], ...content, ...own })
}

/** @throws ConnectionError `connection_incomplete` */
function linksOf({ settings, ...context }: AskContext): LinkMaker {
  const { link_secret: secret } = settings
  if (secret !== undefined) return { address: context.inboundUrl('answer'), secret }
  throw new ConnectionError('connection_incomplete', 'the connection has no link_secret', {
    hint: 'enter a random text, such as that of `openssl rand -hex 32`: it signs the links of questions',
    effect: 'none',
  })
}
