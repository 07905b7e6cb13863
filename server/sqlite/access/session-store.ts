import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Session, SessionHolder, SessionLimits } from '../../../core/domain/session.ts'
import type { NewSession, SessionStore } from '../../../core/ports/access/session-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertRow } from '../context/rows.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireAccount } from './account-rows.ts'
import { requireKey } from './key-store.ts'

/** Maximum of sessions per key or account, so that repeated sign-ins cannot fill the database. */
const maxOfHolder = 100
/** Stored characters of the name of a browser. */
const maxClient = 200

interface SessionRow extends Omit<Session, 'holder'> {
  readonly keyId: string | null
  readonly accountUuid: string | null
}

const select = `
  SELECT s.uuid, s.method, s.client, s.created_at AS createdAt, s.last_used_at AS lastUsedAt, k.public_id AS keyId,
    a.uuid AS accountUuid
  FROM sessions s LEFT JOIN api_keys k ON k.id = s.api_key_id LEFT JOIN accounts a ON a.id = s.account_id`

export class SqliteSessionStore extends SqliteStore implements SessionStore {
  begin({ tokenHash, holder, replaces, limits, method, client }: NewSession, by: Actor): Promise<Session> {
    return this.commits.write(() => {
      const now = this.clock.now()
      forgetOldSessions(this.database, limits, now, Number.MAX_SAFE_INTEGER)
      const before = replaces && this.#find(replaces)
      if (before !== undefined) removeSession(this.context, before, by)
      const uuid = makeUuid(now)
      const owner =
        'keyId' in holder
          ? { apiKeyId: keyRow(this.database, holder.keyId) }
          : { accountId: requireAccount(this.database, holder.accountUuid).id }
      const given = { uuid, tokenHash, method, client: client.slice(0, maxClient).toWellFormed() }
      insertRow(this.database, 'sessions', { ...given, ...owner, createdAt: now, lastUsedAt: now })
      this.#keepNewest(owner)
      const session = toSession(
        this.database,
        this.database.one<SessionRow>(`${select} WHERE s.uuid = ?`, uuid),
      )
      record(this.context, 'session.started', session, by)
      return session
    })
  }

  find(tokenHash: Uint8Array): Promise<Session | undefined> {
    return this.database.read(() => this.#find(tokenHash))
  }

  byUuid(uuid: string): Promise<Session | undefined> {
    return this.database.read(() => {
      const row = this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      return row && toSession(this.database, row)
    })
  }

  async recordUse(uuid: string, at: number): Promise<void> {
    await this.commits.write(() =>
      this.database.run('UPDATE sessions SET last_used_at = ? WHERE uuid = ?', at, uuid),
    )
  }

  ofAccount(accountUuid: string): Promise<readonly Session[]> {
    return this.database.read(() => sessionsOf(this.database, accountUuid))
  }

  end(uuid: string, by: Actor): Promise<void> {
    return this.commits.write(() => {
      const row = this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      if (row !== undefined) removeSession(this.context, toSession(this.database, row), by)
    })
  }

  endOthers(accountUuid: string, except: string | undefined, by: Actor): Promise<number> {
    return this.commits.write(() => endSessionsOf(this.context, accountUuid, except, by))
  }

  #find(tokenHash: Uint8Array): Session | undefined {
    const row = this.database.get<SessionRow>(`${select} WHERE s.token_hash = ?`, tokenHash)
    return row && toSession(this.database, row)
  }

  #keepNewest(owner: { readonly apiKeyId: number } | { readonly accountId: number }): void {
    const [column, id] =
      'apiKeyId' in owner ? ['api_key_id', owner.apiKeyId] : ['account_id', owner.accountId]
    this.database.run(
      `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ${column} = ? ORDER BY id DESC
         LIMIT -1 OFFSET ${maxOfHolder})`,
      id,
    )
  }
}

function keyRow(database: Database, keyId: string): number {
  requireKey(database, keyId)
  return database.one<{ id: number }>('SELECT id FROM api_keys WHERE public_id = ?', keyId).id
}

function toSession(database: Database, { keyId, accountUuid, ...row }: SessionRow): Session {
  const holder: SessionHolder =
    keyId === null
      ? { account: requireAccount(database, accountUuid ?? '').account }
      : { key: requireKey(database, keyId) }
  return { ...row, holder }
}

const sessionsOf = (database: Database, accountUuid: string): readonly Session[] =>
  database
    .all<SessionRow>(`${select} WHERE a.uuid = ? ORDER BY s.id DESC`, accountUuid)
    .map((row) => toSession(database, row))

/** Inside of a write: ends the sessions `s` that match. Gives their number. */
export function endSessionsWhere(
  context: StoreContext,
  where: { readonly sql: string; readonly values: readonly SqlValue[] },
  by: Actor,
): number {
  const { database } = context
  const rows = database.all<SessionRow>(`${select} WHERE ${where.sql}`, ...where.values)
  for (const row of rows) removeSession(context, toSession(database, row), by)
  return rows.length
}

/** Inside of a write: ends the sessions of an account, except one. Gives their number. */
export function endSessionsOf(
  context: StoreContext,
  accountUuid: string,
  except: string | undefined,
  by: Actor,
): number {
  const ended = sessionsOf(context.database, accountUuid).filter(({ uuid }) => uuid !== except)
  for (const session of ended) removeSession(context, session, by)
  return ended.length
}

function removeSession(context: StoreContext, session: Session, by: Actor): void {
  context.database.run('DELETE FROM sessions WHERE uuid = ?', session.uuid)
  record(context, 'session.ended', session, by)
}

function record(
  context: StoreContext,
  action: AuditAction,
  { uuid, holder, method }: Session,
  by: Actor,
): void {
  const uuids =
    'key' in holder
      ? holder.key.organizationUuids
      : holder.account.roles.map(({ organizationUuid }) => organizationUuid)
  const [only = null, ...others] = new Set(uuids)
  const name = 'key' in holder ? holder.key.name : holder.account.name
  recordAudit(context, {
    action,
    by,
    organizationUuid: others.length === 0 ? only : null,
    subject: { kind: 'session', id: uuid, name },
    details: 'key' in holder ? { key_id: holder.key.id } : { account: holder.account.uuid, method },
  })
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
