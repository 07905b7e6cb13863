import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Session, SessionLimits } from '../../domain/session.ts'

export interface SessionStore {
  /**
   * Starts a session, ends the session that it replaces, and deletes expired ones. Keeps only the newest
   * sessions of a key. Throws NotFoundError `key_not_found`.
   */
  begin(session: NewSession, by: Actor): Promise<Session>
  /** Finds a session by the hash of its token, including an expired one and one with an expired key. */
  find(tokenHash: Uint8Array): Promise<Session | undefined>
  /** By uuid. */
  byUuid(uuid: string): Promise<Session | undefined>
  /** Records the last use, in epoch milliseconds. */
  recordUse(uuid: string, at: number): Promise<void>
  /** Ends a session; does nothing for an unknown one. */
  end(uuid: string, by: Actor): Promise<void>
}

export interface NewSession {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  readonly key: Pick<ApiKey, 'id'>
  /** SHA-256 of the earlier token of the same browser. */
  readonly replaces: Uint8Array | undefined
  readonly limits: SessionLimits
}
