import type { Account } from '../../access/account.ts'
import type { Actor } from '../../domain/audit.ts'
import type { ProviderSession, SignOnAttempt } from '../../identity/provider-session.ts'
import type { NewAccount } from './account-store.ts'

/** Sign-ins with an identity provider: attempts, whose account an identity is, and the provider's side of sessions. */
export interface SingleSignOnStore {
  /** Records an attempt, and forgets expired ones and the oldest beyond 10,000. */
  begin(attempt: NewSignOnAttempt): Promise<void>
  /** Takes the attempt of a browser, once. Undefined: there is none, or it has expired. */
  take(browserHash: Uint8Array): Promise<SignOnAttempt | undefined>
  /** The account of an identity. */
  accountOf(identity: IdentityKey): Promise<Account | undefined>
  /** Whether an account belongs to an identity of this issuer. */
  isOfIssuer(accountUuid: string, issuer: string): Promise<boolean>
  /**
   * Creates an account that belongs to an identity and has joined. Throws ConflictError `account_exists` for a known e-mail address,
   * `identity_linked`, NotFoundError `organization_not_found`.
   */
  createAccount(identity: IdentityKey, account: NewAccount, by: Actor): Promise<Account>
  /**
   * Lets an invited account belong to an identity, and join. An unused invitation also invites an account in use, and is used up. Throws
   * ConflictError `identity_linked` if the identity belongs to an account, `account_not_invited` if the account has no invitation or is
   * disabled; NotFoundError `account_not_found`.
   */
  linkInvited(identity: IdentityKey, accountUuid: string, by: Actor): Promise<Account>
  /** Records the provider's side of a session. */
  attach(sessionUuid: string, session: NewProviderSession): Promise<void>
  /** Undefined: the session is not of single sign-on, or has ended. */
  providerSession(sessionUuid: string): Promise<ProviderSession | undefined>
  /** Records that the provider has confirmed the person. */
  confirm(sessionUuid: string, confirmed: Confirmation): Promise<void>
  /** Ends the sessions of a provider's session; without its id, of a person. Gives their number. */
  endSessions(of: EndedAtProvider, by: Actor): Promise<number>
  /**
   * Claims a logout token, which is accepted once, or the recheck of a session. False: another request, on this or another node, has the claim.
   *
   * @param until epoch milliseconds when the claim ends by itself
   */
  claim(hash: Uint8Array, until: number): Promise<boolean>
  /** Ends a claim. */
  release(hash: Uint8Array): Promise<void>
}

export interface NewSignOnAttempt extends SignOnAttempt {
  /** SHA-256 of the value in the cookie of the browser. */
  readonly browserHash: Uint8Array
}

/** What identifies a person at all providers. */
export interface IdentityKey {
  readonly issuer: string
  readonly subject: string
}

export interface NewProviderSession extends ProviderSession {
  /** Of the provider; null: it has none. */
  readonly sessionId: string | null
}

export type Confirmation = Pick<ProviderSession, 'sealedTokens' | 'isRenewable' | 'checkedAt'>

export interface EndedAtProvider {
  readonly issuer: string
  readonly subject: string | null
  readonly sessionId: string | null
}
