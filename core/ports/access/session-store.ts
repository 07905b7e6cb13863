import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Session, SessionLimits } from '../../domain/session.ts'

export interface SessionStore {
  /**
   * Begins a session, ends the one it takes the place of, and forgets all that are over. Of one key, the sessions that were begun last are kept.
   * Throws NotFoundError `key_not_found`.
   */
  begin(session: NewSession, by: Actor): Promise<Session>
  /** By the hash of its token, also one that is over or whose key is. */
  find(tokenHash: Uint8Array): Promise<Session | undefined>
  /** The same, of one that is known. */
  byUuid(uuid: string): Promise<Session | undefined>
  /** Remembers when the session was used, in epoch milliseconds. */
  recordUse(uuid: string, at: number): Promise<void>
  /** Forgets it; one that is not there changes nothing. */
  end(uuid: string, by: Actor): Promise<void>
}

export interface NewSession {
  /** SHA-256 of its token. */
  readonly tokenHash: Uint8Array
  readonly key: Pick<ApiKey, 'id'>
  /** SHA-256 of the token that the same browser had before. */
  readonly replaces: Uint8Array | undefined
  readonly limits: SessionLimits
}
