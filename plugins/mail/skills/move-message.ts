import { defineSkill, SkillError } from 'tocsin/plugin'
import type { ImapFlow } from 'imapflow'
import { connection } from '../connection.ts'
import { fetchUid, notFound } from '../imap/fetch.ts'
import { plainLine } from '../text.ts'
import { answered, findMailbox, openMailbox, withImap } from '../imap/session.ts'
import { mailboxOf, refProperties } from '../message-ref.ts'
import { permissions } from '../permissions.ts'
import { requireUidPlus } from '../imap/require-uidplus.ts'

export const moveMessage = defineSkill({
  name: 'move_message',
  title: 'Move Message',
  description:
    'Moves a message to another mailbox. Undo: move it back, with the uid and uid_validity of the output.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-move-command',
  permissions: permissions.imap,
  effect: 'write',
  repeat: 'verify',
  connection,
  input: {
    type: 'object',
    required: ['uid', 'uid_validity', 'to'],
    additionalProperties: false,
    properties: {
      ...refProperties,
      to: {
        type: 'string',
        minLength: 1,
        maxLength: 1_000,
        description: 'Path of the target, or its special use such as \\Junk.',
      },
      message_id: {
        type: ['string', 'null'],
        maxLength: 1_000,
        description:
          'Message-ID of the message. After an interruption, Tocsin searches for it in the target. Without it, a person decides.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['mailbox', 'uid', 'uid_validity'],
    additionalProperties: false,
    properties: {
      mailbox: { type: 'string', description: 'Path of the target.' },
      uid: { type: ['integer', 'null'], description: 'There; null if the server does not tell.' },
      uid_validity: {
        type: ['string', 'null'],
        description: 'Of the target; null if the server does not tell.',
      },
    },
  },
  examples: [
    {
      title: 'A handled report',
      synthetic: true,
      input: { uid: 2, uid_validity: '1767225600', to: 'Handled', message_id: '<report-2@example.com>' },
      output: { mailbox: 'Handled', uid: 1, uid_validity: '1767225601' },
    },
  ],
  async run(input, context) {
    return await withImap(context, async (client, beforeChange) => {
      const target = await findMailbox(client, input.to)
      await openMailbox(client, mailboxOf(input), { uidValidity: input.uid_validity })
      if ((await fetchUid(client, input.uid, { uid: true })) === undefined) throw notFound(input)
      if (!client.capabilities.has('MOVE')) requireUidPlus(client)
      beforeChange()
      const moved = answered(client, await client.messageMove(String(input.uid), target, { uid: true }))
      if (moved === undefined)
        throw new SkillError('imap_refused', 'the IMAP server did not move the message', {
          hint: 'check the permissions of the account on both mailboxes',
          effect: 'none',
        })
      return {
        mailbox: target,
        uid: moved.uidMap?.get(input.uid) ?? null,
        uid_validity: moved.uidValidity === undefined ? null : String(moved.uidValidity),
      }
    })
  },
  async verify(input, context) {
    return await withImap(context, async (client) => {
      const target = await findMailbox(client, input.to)
      await openMailbox(client, mailboxOf(input), { readOnly: true, uidValidity: input.uid_validity })
      if ((await fetchUid(client, input.uid, { uid: true })) !== undefined) return undefined
      const found = input.message_id ? await inTarget(client, target, input.message_id) : undefined
      if (found !== undefined) return found
      throw new SkillError(
        'not_verifiable',
        `the message left '${mailboxOf(input)}', and is not found in '${target}'`,
        {
          hint: 'look for it: another program may have moved it. Give message_id so that it can be found',
          effect: 'unknown',
        },
      )
    })
  },
})

async function inTarget(client: ImapFlow, mailbox: string, messageId: string) {
  const uid_validity = await openMailbox(client, mailbox, { readOnly: true })
  const found = await client.search({ header: { 'message-id': plainLine(messageId, 1_000) } }, { uid: true })
  const uid = answered(client, found)?.at(-1)
  return uid === undefined ? undefined : { mailbox, uid, uid_validity }
}
