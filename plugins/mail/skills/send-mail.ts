import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { permissions } from '../permissions.ts'
import { messageIdOf } from '../smtp/compose.ts'
import { sendOnce } from '../smtp/send.ts'

const recipients = (description: string) =>
  ({
    type: 'array',
    maxItems: 50,
    items: { type: 'string', format: 'email', maxLength: 320 },
    description,
  }) as const

export const sendMail = defineSkill({
  name: 'send_mail',
  title: 'Send Mail',
  description:
    'Sends a text from the address of the connection. It cannot be undone. If it is interrupted, a person decides: search the message_id in \\Sent, if the server keeps a copy.',
  docs: 'https://www.rfc-editor.org/rfc/rfc5321#section-3.3',
  permissions: permissions.smtp,
  effect: 'write',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['to', 'subject', 'text'],
    additionalProperties: false,
    properties: {
      to: { ...recipients('E-mail addresses, without names.'), minItems: 1 },
      cc: recipients('Further recipients. Default: none.'),
      subject: { type: 'string', minLength: 1, maxLength: 500, 'x-message': true, description: 'One line.' },
      text: {
        type: 'string',
        minLength: 1,
        maxLength: 100_000,
        'x-message': true,
        description: 'Sent as plain text. Text from alerts is safe here.',
      },
      in_reply_to: {
        type: ['string', 'null'],
        pattern: '^<[^<>\\s]{1,900}>$',
        patternErrorMessage: 'must be a Message-ID with angle brackets',
        description: 'Message-ID of the message that this one answers. Default: none.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['message_id', 'accepted', 'rejected', 'response'],
    additionalProperties: false,
    properties: {
      message_id: {
        type: 'string',
        description: 'Follows from run and step, unless the server replaces it.',
      },
      accepted: {
        type: 'array',
        items: { type: 'string' },
        description: 'Recipients that the server accepted; it may still fail to deliver.',
      },
      rejected: {
        type: 'array',
        items: { type: 'string' },
        description: 'Recipients that the server refused at once. If it refuses all, the step fails.',
      },
      response: { type: 'string', description: 'What the server said.' },
    },
  },
  examples: [
    {
      title: 'An answer to a report',
      synthetic: true,
      input: {
        to: ['ana.silva@example.com'],
        subject: 'Thank you for your report',
        text: 'It was phishing. Delete it.',
      },
      output: {
        message_id: '<tocsin.fd82e48dacae709082f2f634634dd9eda11e4ef4@example.com>',
        accepted: ['ana.silva@example.com'],
        rejected: [],
        response: '250 2.0.0 queued',
      },
    },
  ],
  async run({ to, cc, subject, text, in_reply_to }, context) {
    const messageId = messageIdOf(context.idempotencyKey, context.settings.from_address)
    const inReplyTo = in_reply_to ?? undefined
    return await sendOnce(context, { to, cc, subject, text, inReplyTo, messageId })
  },
})
