import type { Account } from '../../access/account.ts'
import type { Invitation } from '../../access/credentials.ts'
import type { Actor } from '../../domain/audit.ts'

export interface InvitationStore {
  /** Replaces the unused invitations of the same account. Throws NotFoundError `account_not_found`. */
  create(invitation: NewInvitation, by: Actor): Promise<Invitation>
  /** By the hash of its token. */
  find(tokenHash: Uint8Array): Promise<Invitation | undefined>
  /**
   * Uses an invitation up: the account gets this password as its only way to sign in, its sessions end, and it joins. An invitation
   * without an account creates one, an administrator of all organizations.
   *
   * Throws NotFoundError `invitation_not_found` for an unknown, used or expired one and that of a disabled account, and ConflictError
   * `account_exists`.
   */
  accept(tokenHash: Uint8Array, accepted: AcceptedInvitation, requestId: string | null): Promise<Account>
}

export interface NewInvitation {
  /** Null: for the first administrator. */
  readonly accountUuid: string | null
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface AcceptedInvitation {
  readonly passwordHash: string
  /** For an invitation without an account. */
  readonly person?: { readonly email: string; readonly name: string } | undefined
}
