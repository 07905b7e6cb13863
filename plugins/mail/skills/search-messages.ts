import { defineSkill, SkillError } from 'tocsin/plugin'
import type { SearchObject } from 'imapflow'
import { connection } from '../connection.ts'
import { timeOf } from '../imap/fetch.ts'
import { answered, openMailbox, withImap } from '../imap/session.ts'
import { mailboxOf, refProperties } from '../message-ref.ts'
import { parseHeaders, type ParsedMessage } from '../parse/parse-message.ts'
import { permissions } from '../permissions.ts'
import { plainLine } from '../text.ts'

const word = (description: string) => ({ type: 'string', minLength: 1, maxLength: 500, description }) as const

export const searchMessages = defineSkill({
  name: 'search_messages',
  title: 'Search Messages',
  description: 'Searches one mailbox. Several conditions must all be met. Messages stay unread.',
  docs: 'https://www.rfc-editor.org/rfc/rfc9051#name-search-command',
  permissions: permissions.imap,
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      mailbox: refProperties.mailbox,
      from: word('Part of the sender: an address, a domain or a name.'),
      to: word('Part of a recipient.'),
      subject: word('Part of the subject.'),
      text: word('Part of headers or text.'),
      message_id: word('Message-ID, with its angle brackets.'),
      since: {
        type: 'string',
        format: 'date-time',
        description: 'Only messages that arrived at this time or later, such as 2026-11-01T08:00:00Z.',
      },
      unread: {
        type: 'boolean',
        description: 'True: only unread messages. False: only read ones. Default: both.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Default 50, newest first.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['messages', 'total', 'truncated'],
    additionalProperties: false,
    properties: {
      messages: {
        type: 'array',
        description: 'Newest first.',
        items: {
          type: 'object',
          required: [
            'mailbox',
            'uid',
            'uid_validity',
            'message_id',
            'from',
            'subject',
            'received_at',
            'size',
            'flags',
          ],
          additionalProperties: false,
          properties: {
            mailbox: { type: 'string', description: 'As given.' },
            uid: { type: 'integer', description: 'Number of the message in its mailbox.' },
            uid_validity: { type: 'string', description: 'Until it changes, a UID means the same message.' },
            message_id: { type: ['string', 'null'], description: 'Chosen by the sender.' },
            from: { type: 'string', description: 'Address that the message claims; empty if there is none.' },
            subject: { type: 'string', description: 'Subject.' },
            received_at: { type: ['string', 'null'], description: 'When it arrived.' },
            size: { type: 'integer', description: 'Bytes.' },
            flags: { type: 'array', items: { type: 'string' }, description: 'Such as \\Seen.' },
          },
        },
      },
      total: { type: 'integer', description: 'How many match; with `since`, those of that day.' },
      truncated: { type: 'boolean', description: 'There are more than `limit`.' },
    },
  },
  examples: [
    {
      title: 'Reports of a user',
      synthetic: true,
      input: { from: 'ana.silva@example.com' },
      output: {
        messages: [
          {
            mailbox: 'INBOX',
            uid: 2,
            uid_validity: '1767225600',
            message_id: '<report-2@example.com>',
            from: 'ana.silva@example.com',
            subject: 'Fwd: Your parcel is waiting',
            received_at: '2026-11-02T09:15:00.000Z',
            size: 1_677,
            flags: [],
          },
        ],
        total: 1,
        truncated: false,
      },
    },
    {
      title: 'Nothing found',
      synthetic: true,
      input: { message_id: '<unknown@example.com>' },
      output: { messages: [], total: 0, truncated: false },
    },
  ],
  async run(input, context) {
    const { limit = 50 } = input
    const since = input.since === undefined ? undefined : Date.parse(input.since)
    return await withImap(context, async (client) => {
      const uidValidity = await openMailbox(client, mailboxOf(input), { readOnly: true })
      const found = answered(client, await client.search(queryOf(input), { uid: true }))
      if (found === undefined)
        throw new SkillError('imap_refused', 'the IMAP server refused the search', {
          hint: 'it may not support one of the conditions: try fewer',
        })
      const uids = found.toSorted((a, b) => b - a)
      // Servers compare only the day of `since`.
      const chosen = uids.slice(0, limit)
      const fetched =
        chosen.length === 0
          ? []
          : await client.fetchAll(
              chosen.join(','),
              { uid: true, size: true, flags: true, internalDate: true, headers: [...shownHeaders] },
              { uid: true },
            )
      const messages = []
      for (const one of fetched.toSorted((a, b) => b.uid - a.uid)) {
        const receivedAt = timeOf(one.internalDate)
        if (since !== undefined && receivedAt !== null && Date.parse(receivedAt) < since) continue
        const parsed = await headersOf(one.headers)
        messages.push({
          mailbox: mailboxOf(input),
          uid: one.uid,
          uid_validity: uidValidity,
          message_id: parsed?.message_id ?? null,
          from: parsed?.from[0]?.address ?? '',
          subject: parsed?.subject ?? '',
          received_at: receivedAt,
          size: one.size ?? 0,
          flags: [...(one.flags ?? [])].toSorted(),
        })
      }
      return { messages, total: uids.length, truncated: uids.length > limit }
    })
  },
})

const shownHeaders = ['from', 'subject', 'message-id'] as const

/** Undefined if they cannot be read: one strange message must not hide the others. */
async function headersOf(source: Uint8Array | undefined): Promise<ParsedMessage | undefined> {
  try {
    return source && (await parseHeaders(source))
  } catch {
    return undefined
  }
}

interface Conditions {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly subject?: string | undefined
  readonly text?: string | undefined
  readonly message_id?: string | undefined
  readonly since?: string | undefined
  readonly unread?: boolean | undefined
}

/** The library quotes values, so none can become a command. Control characters cannot be quoted. */
function queryOf(given: Conditions): SearchObject {
  const { from, to, subject, text, message_id, since, unread } = given
  const quotable = (value: string): string => plainLine(value, 500)
  const query: SearchObject = {
    ...(from !== undefined && { from: quotable(from) }),
    ...(to !== undefined && { to: quotable(to) }),
    ...(subject !== undefined && { subject: quotable(subject) }),
    ...(text !== undefined && { text: quotable(text) }),
    ...(message_id !== undefined && { header: { 'message-id': quotable(message_id) } }),
    // The day of a server may begin earlier or later than ours.
    ...(since !== undefined && { since: new Date(Date.parse(since) - 86_400_000) }),
    ...(unread !== undefined && { seen: !unread }),
  }
  return Object.keys(query).length === 0 ? { all: true } : query
}
