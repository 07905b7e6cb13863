import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { fetchUid, notFound } from '../imap/fetch.ts'
import { answered, openMailbox, withImap } from '../imap/session.ts'
import { mailboxOf, refProperties } from '../message-ref.ts'
import { permissions } from '../permissions.ts'

/** The names of people, and those of IMAP. */
const flagOf = { read: '\\Seen', important: '\\Flagged', answered: '\\Answered' } as const

export const flagMessage = defineSkill({
  name: 'flag_message',
  title: 'Flag Message',
  description: 'Marks a message as read, important or answered. Undo: the same with `set: false`.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-store-command',
  permissions: permissions.imap,
  effect: 'write',
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['uid', 'uid_validity', 'flag'],
    additionalProperties: false,
    properties: {
      ...refProperties,
      flag: { type: 'string', enum: ['read', 'important', 'answered'], description: 'Which mark.' },
      set: { type: 'boolean', default: true, description: 'False removes the mark. Default true.' },
    },
  },
  output: {
    type: 'object',
    required: ['flags'],
    additionalProperties: false,
    properties: {
      flags: { type: 'array', items: { type: 'string' }, description: 'All flags after the change.' },
    },
  },
  examples: [
    {
      title: 'Mark a report as read',
      synthetic: true,
      input: { uid: 2, uid_validity: '1767225600', flag: 'read' },
      output: { flags: ['\\Seen'] },
    },
  ],
  async run(input, context) {
    const { uid, flag, set = true } = input
    return await withImap(context, async (client, beforeChange) => {
      await openMailbox(client, mailboxOf(input), { uidValidity: input.uid_validity })
      if ((await fetchUid(client, uid, { uid: true })) === undefined) throw notFound(input)
      beforeChange()
      const flags = [flagOf[flag]]
      const done = answered(
        client,
        await (set
          ? client.messageFlagsAdd(String(uid), flags, { uid: true })
          : client.messageFlagsRemove(String(uid), flags, { uid: true })),
      )
      if (done === undefined)
        throw new SkillError('imap_refused', 'the IMAP server did not change the flags', {
          hint: 'check the permissions of the account on the mailbox',
          effect: 'none',
        })
      const after = await fetchUid(client, uid, { uid: true, flags: true })
      return { flags: [...(after?.flags ?? [])].toSorted() }
    })
  },
})
