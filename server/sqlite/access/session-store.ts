import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Session, SessionLimits } from '../../../core/domain/session.ts'
import type { NewSession, SessionStore } from '../../../core/ports/access/session-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import type { Database } from '../database/database.ts'
import { requireKey } from './key-store.ts'
import { SqliteStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

/** Maximum of sessions per key, so that repeated sign-ins cannot fill the database. */
const maxOfKey = 100

interface SessionRow extends Omit<Session, 'key'> {
  readonly keyId: string
}

const select = `
  SELECT s.uuid, s.created_at AS createdAt, s.last_used_at AS lastUsedAt, k.public_id AS keyId
  FROM sessions s JOIN api_keys k ON k.id = s.api_key_id`

export class SqliteSessionStore extends SqliteStore implements SessionStore {
  begin({ tokenHash, key, replaces, limits }: NewSession, by: Actor): Promise<Session> {
    return this.commits.write(() => {
      const current = requireKey(this.database, key.id)
      const now = this.clock.now()
      forgetOldSessions(this.database, limits, now, Number.MAX_SAFE_INTEGER)
      const before = replaces && this.#find(replaces)
      if (before !== undefined) this.#remove(before, by)
      const uuid = makeUuid(now)
      this.database.run(
        `INSERT INTO sessions (uuid, token_hash, api_key_id, created_at, last_used_at)
         VALUES (?, ?, (SELECT id FROM api_keys WHERE public_id = ?), ?, ?)`,
        uuid,
        tokenHash,
        key.id,
        now,
        now,
      )
      this.#keepNewest(key.id)
      const session = { uuid, key: current, createdAt: now, lastUsedAt: now }
      this.#record('session.started', session, by)
      return session
    })
  }

  find(tokenHash: Uint8Array): Promise<Session | undefined> {
    return this.database.read(() => this.#find(tokenHash))
  }

  byUuid(uuid: string): Promise<Session | undefined> {
    return this.database.read(() => {
      const row = this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      return row && this.#toSession(row)
    })
  }

  async recordUse(uuid: string, at: number): Promise<void> {
    await this.commits.write(() =>
      this.database.run('UPDATE sessions SET last_used_at = ? WHERE uuid = ?', at, uuid),
    )
  }

  end(uuid: string, by: Actor): Promise<void> {
    return this.commits.write(() => {
      const row = this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      if (row !== undefined) this.#remove(this.#toSession(row), by)
    })
  }

  #find(tokenHash: Uint8Array): Session | undefined {
    const row = this.database.get<SessionRow>(`${select} WHERE s.token_hash = ?`, tokenHash)
    return row && this.#toSession(row)
  }

  #toSession({ keyId, ...row }: SessionRow): Session {
    return { ...row, key: requireKey(this.database, keyId) }
  }

  #remove(session: Session, by: Actor): void {
    this.database.run('DELETE FROM sessions WHERE uuid = ?', session.uuid)
    this.#record('session.ended', session, by)
  }

  #keepNewest(keyId: ApiKey['id']): void {
    this.database.run(
      `DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s JOIN api_keys k ON k.id = s.api_key_id
         WHERE k.public_id = ? ORDER BY s.id DESC LIMIT -1 OFFSET ${maxOfKey})`,
      keyId,
    )
  }

  #record(action: AuditAction, { uuid, key }: Session, by: Actor): void {
    const [only, ...others] = key.organizationUuids ?? []
    recordAudit(this.context, {
      action,
      by,
      organizationUuid: only !== undefined && others.length === 0 ? only : null,
      subject: { kind: 'session', id: uuid, name: key.name },
      details: { key_id: key.id },
    })
  }
}

/** Inside of a write: deletes expired sessions and those of ended keys, at most `atMost`. Gives their number. */
export function forgetOldSessions(
  database: Database,
  { idleMs, maxMs }: SessionLimits,
  now: number,
  atMost: number,
): number {
  return database.run(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at <= ? OR created_at <= ? OR api_key_id IN
       (SELECT id FROM api_keys WHERE revoked_at IS NOT NULL OR expires_at <= ?) LIMIT ?)`,
    now - idleMs,
    now - maxMs,
    now,
    atMost,
  )
}
