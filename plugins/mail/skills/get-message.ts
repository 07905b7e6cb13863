import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { fetchMessage } from '../imap/fetch.ts'
import { withImap } from '../imap/session.ts'
import { mailboxOf, refProperties } from '../message-ref.ts'
import { innerSchema, messageSchema } from '../parse/message-schema.ts'
import { parseMail } from '../parse/parse-message.ts'
import { permissions } from '../permissions.ts'
import { reportExample } from './report-example.ts'

export const getMessage = defineSkill({
  name: 'get_message',
  title: 'Get Message',
  description:
    'Reads a message: headers, sender checks, text, links, attachments with hashes, and the messages attached to it. Nothing is rendered or opened, and it stays unread.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-fetch-command',
  permissions: permissions.imap,
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['uid', 'uid_validity'],
    additionalProperties: false,
    properties: refProperties,
  },
  output: {
    type: 'object',
    required: [
      'mailbox',
      'uid',
      'uid_validity',
      'received_at',
      'size',
      'flags',
      'headers_only',
      'message',
      'inner',
    ],
    additionalProperties: false,
    properties: {
      mailbox: { type: 'string', description: 'As given.' },
      uid: { type: 'integer', description: 'As given.' },
      uid_validity: { type: 'string', description: 'As given.' },
      received_at: { type: ['string', 'null'], description: 'When it arrived.' },
      size: { type: 'integer', description: 'Bytes.' },
      flags: { type: 'array', items: { type: 'string' }, description: 'Such as \\Seen.' },
      headers_only: {
        type: 'boolean',
        description: 'Larger than 15 MB: text and attachments were not read.',
      },
      message: messageSchema,
      inner: innerSchema,
    },
  },
  examples: [reportExample],
  async run(input, context) {
    const fetched = await withImap(context, (client) => fetchMessage(client, input))
    const { message, inner } = await parseMail(fetched.source, context.settings.authserv_id)
    return {
      mailbox: mailboxOf(input),
      uid: fetched.uid,
      uid_validity: input.uid_validity,
      received_at: fetched.receivedAt,
      size: fetched.size,
      flags: fetched.flags,
      headers_only: fetched.isCut,
      message,
      inner,
    }
  },
})
