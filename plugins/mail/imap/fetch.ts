import { SkillError } from 'tocsin/plugin'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { mailboxOf, type MessageRef } from '../message-ref.ts'
import { answered, maxMessage, openMailbox } from './session.ts'

export interface FetchedMessage {
  readonly uid: number
  readonly size: number
  readonly flags: readonly string[]
  /** When it arrived, ISO 8601; null if the server does not tell. */
  readonly receivedAt: string | null
  readonly source: Uint8Array
  /** Only the headers were read, because of its size. */
  readonly isCut: boolean
}

/**
 * A message with its source, or with its headers if it is larger than 15 MB. It stays unread.
 *
 * @throws SkillError `message_not_found`
 */
export async function fetchMessage(client: ImapFlow, ref: MessageRef): Promise<FetchedMessage> {
  await openMailbox(client, mailboxOf(ref), { readOnly: true, uidValidity: ref.uid_validity })
  const about = await fetchUid(client, ref.uid, { uid: true, size: true, flags: true, internalDate: true })
  if (about === undefined) throw notFound(ref)
  const size = about.size ?? 0
  const isCut = size > maxMessage
  const found = await fetchUid(
    client,
    ref.uid,
    isCut ? { uid: true, headers: true } : { uid: true, source: true },
  )
  const source = isCut ? found?.headers : found?.source
  if (source === undefined) throw notFound(ref)
  return {
    uid: ref.uid,
    size,
    flags: [...(about.flags ?? [])].toSorted(),
    receivedAt: timeOf(about.internalDate),
    source,
    isCut,
  }
}

export function timeOf(date: Date | string | undefined): string | null {
  const time = date === undefined ? Number.NaN : new Date(date).getTime()
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

export async function fetchUid(
  client: ImapFlow,
  uid: number,
  query: Parameters<ImapFlow['fetchOne']>[1],
): Promise<FetchMessageObject | undefined> {
  const found = answered(client, await client.fetchOne(String(uid), query, { uid: true }))
  return found?.uid === uid ? found : undefined
}

export const notFound = (ref: MessageRef): SkillError =>
  new SkillError('message_not_found', `the mailbox '${mailboxOf(ref)}' has no message with UID ${ref.uid}`, {
    hint: 'it may have been moved or deleted: search it again',
    effect: 'none',
  })
