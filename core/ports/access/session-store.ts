import type { Actor } from '../../domain/audit.ts'
import type { Session, SessionLimits, SignInMethod } from '../../domain/session.ts'

export interface SessionStore {
  /**
   * Starts a session, ends the session that it replaces, and deletes expired ones. Keeps only the newest
   * sessions of a key or account. Throws NotFoundError `key_not_found`, `account_not_found`.
   */
  begin(session: NewSession, by: Actor): Promise<Session>
  /** Finds a session by the hash of its token, including an expired one and one whose key or account has ended. */
  find(tokenHash: Uint8Array): Promise<Session | undefined>
  /** By uuid. */
  byUuid(uuid: string): Promise<Session | undefined>
  /** Records the last use, in epoch milliseconds. */
  recordUse(uuid: string, at: number): Promise<void>
  /** The sessions of an account, newest first, including expired ones. */
  ofAccount(accountUuid: string): Promise<readonly Session[]>
  /** Ends a session; does nothing for an unknown one. */
  end(uuid: string, by: Actor): Promise<void>
  /** Ends the sessions of an account, except one. Gives their number. */
  endOthers(accountUuid: string, except: string | undefined, by: Actor): Promise<number>
}

export interface NewSession {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  /** Public id of the key, or uuid of the account. */
  readonly holder: { readonly keyId: string } | { readonly accountUuid: string }
  readonly method: SignInMethod
  /** The browser, as it names itself. */
  readonly client: string
  /** SHA-256 of the earlier token of the same browser. */
  readonly replaces: Uint8Array | undefined
  readonly limits: SessionLimits
}
