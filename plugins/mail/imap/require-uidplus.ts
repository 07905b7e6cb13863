import { SkillError } from 'tocsin/plugin'
import type { ImapFlow } from 'imapflow'

/**
 * Without UIDPLUS, a server can only remove all messages that anybody has marked as deleted.
 *
 * @throws SkillError `not_supported`
 */
export function requireUidPlus(client: ImapFlow): void {
  if (client.capabilities.has('UIDPLUS') || client.capabilities.has('IMAP4rev2')) return
  throw new SkillError('not_supported', 'the IMAP server cannot remove a single message (UIDPLUS)', {
    hint: 'flag the message instead, and let a person remove it',
    effect: 'none',
  })
}
