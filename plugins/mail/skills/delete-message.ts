import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { fetchUid } from '../imap/fetch.ts'
import { requireUidPlus } from '../imap/require-uidplus.ts'
import { answered, openMailbox, withImap } from '../imap/session.ts'
import { mailboxOf, refProperties } from '../message-ref.ts'
import { permissions } from '../permissions.ts'

export const deleteMessage = defineSkill({
  name: 'delete_message',
  title: 'Delete Message',
  description:
    'Removes a message for good. It cannot be undone; move_message to \\Trash or \\Junk can. At Gmail the message may stay in All Mail.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-expunge-command',
  permissions: permissions.imap,
  effect: 'write',
  destructive: 'deletion',
  repeat: 'safe',
  followWith: 'search_messages',
  connection,
  input: {
    type: 'object',
    required: ['uid', 'uid_validity'],
    additionalProperties: false,
    properties: refProperties,
  },
  output: {
    type: 'object',
    required: ['deleted'],
    additionalProperties: false,
    properties: { deleted: { type: 'boolean', description: 'False: the mailbox has no such message.' } },
  },
  examples: [
    {
      title: 'A message',
      synthetic: true,
      input: { uid: 2, uid_validity: '1767225600' },
      output: { deleted: true },
    },
  ],
  changedNothing: ({ deleted }) => !deleted,
  async run(input, context) {
    return await withImap(context, async (client, beforeChange) => {
      await openMailbox(client, mailboxOf(input), { uidValidity: input.uid_validity })
      requireUidPlus(client)
      if ((await fetchUid(client, input.uid, { uid: true })) === undefined) return { deleted: false }
      beforeChange()
      const done = answered(client, await client.messageDelete(String(input.uid), { uid: true }))
      if (done === undefined)
        throw new SkillError('imap_refused', 'the IMAP server did not delete the message', {
          hint: 'check the permissions of the account; the message may be marked as deleted',
          effect: 'unknown',
        })
      return { deleted: true }
    })
  },
})
