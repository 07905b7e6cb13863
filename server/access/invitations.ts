import { hash, randomBytes } from 'node:crypto'
import type { Actor } from '../../core/domain/audit.ts'
import type { Stores } from '../../core/ports/stores.ts'

export const invitationHours = 72

/** Of the link for the first administrator, who is at hand when the server starts. */
export const firstInvitationHours = 1

/** 32 random bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The hash under which an invitation is stored; undefined for text that is no token. */
export const invitationHash = (token: string): Uint8Array | undefined =>
  tokenPattern.test(token) ? hash('sha256', token, 'buffer') : undefined

export interface InvitationLink {
  /** Shown once. */
  readonly url: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * Makes a link with which a person sets a password. The token is the fragment of the address (after `#`), which browsers do not send.
 *
 * @param accountUuid null: for the first administrator
 * @param publicUrl the address of the page, without trailing slash
 * @throws NotFoundError `account_not_found`
 */
export async function createInvitation(
  { invitations }: Pick<Stores, 'invitations'>,
  accountUuid: string | null,
  publicUrl: string,
  { by, now }: { readonly by: Actor; readonly now: number },
): Promise<InvitationLink> {
  const token = randomBytes(32).toString('base64url')
  const hours = accountUuid === null ? firstInvitationHours : invitationHours
  const expiresAt = now + hours * 3_600_000
  const tokenHash = hash('sha256', token, 'buffer')
  await invitations.create({ accountUuid, tokenHash, expiresAt }, by)
  return { url: `${publicUrl}/invitation#${token}`, expiresAt }
}
