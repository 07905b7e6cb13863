import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { withImap } from '../imap/session.ts'
import { permissions } from '../permissions.ts'
import { plainLine } from '../text.ts'

const maxMailboxes = 1_000

export const listMailboxes = defineSkill({
  name: 'list_mailboxes',
  title: 'List Mailboxes',
  description: 'Lists the mailboxes of the account, also called folders or labels.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-list-command',
  permissions: permissions.imap,
  effect: 'read',
  connection,
  input: { type: 'object', additionalProperties: false, properties: {} },
  output: {
    type: 'object',
    required: ['mailboxes', 'truncated'],
    additionalProperties: false,
    properties: {
      mailboxes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'special_use'],
          additionalProperties: false,
          properties: {
            path: { type: 'string', description: 'Name, in the language of the account.' },
            special_use: {
              type: ['string', 'null'],
              description: 'Such as \\Junk, \\Sent or \\Trash: skills accept it in place of the path.',
            },
          },
        },
      },
      truncated: { type: 'boolean', description: 'There are more than 1,000.' },
    },
  },
  examples: [
    {
      title: 'An account with five mailboxes',
      synthetic: true,
      input: {},
      output: {
        mailboxes: [
          { path: 'INBOX', special_use: '\\Inbox' },
          { path: 'Gesendet', special_use: '\\Sent' },
          { path: 'Spam', special_use: '\\Junk' },
          { path: 'Papierkorb', special_use: '\\Trash' },
          { path: 'Handled', special_use: null },
        ],
        truncated: false,
      },
    },
  ],
  async run(_input, context) {
    const all = await withImap(context, (client) => client.list())
    const mailboxes = all.slice(0, maxMailboxes).map(({ path, specialUse }) => ({
      path: plainLine(path, 1_000),
      special_use: specialUse === undefined ? null : plainLine(specialUse, 100),
    }))
    return { mailboxes, truncated: all.length > maxMailboxes }
  },
})
