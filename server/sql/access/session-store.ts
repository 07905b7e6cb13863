import { eachTogether, type Work } from '../database/work.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Session, SessionHolder, SessionLimits } from '../../../core/domain/session.ts'
import type { NewSession, SessionStore } from '../../../core/ports/access/session-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertRow } from '../context/rows.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireAccount } from './account-rows.ts'
import { requireKey } from './key-rows.ts'

/** Maximum of sessions per key or account, so that repeated sign-ins cannot fill the database. */
const maxOfHolder = 100
/** Stored characters of the name of a browser. */
const maxClient = 200

interface SessionRow extends Omit<Session, 'holder'> {
  readonly keyId: string | null
  readonly accountUuid: string | null
}

const select = `
  SELECT s.uuid, s.method, s.client, s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt", k.public_id AS "keyId",
    a.uuid AS "accountUuid"
  FROM sessions s LEFT JOIN api_keys k ON k.id = s.api_key_id LEFT JOIN accounts a ON a.id = s.account_id`

export class SqlSessionStore extends SqlStore implements SessionStore {
  begin({ tokenHash, holder, replaces, limits, method, client }: NewSession, by: Actor): Promise<Session> {
    return this.write(function* () {
      const now = this.clock.now()
      yield* forgetOldSessions(this.database, limits, now, Number.MAX_SAFE_INTEGER)
      const before = replaces && (yield* this.#find(replaces))
      if (before !== undefined) yield* removeSession(this.context, before, by)
      const uuid = makeUuid(now)
      const owner =
        'keyId' in holder
          ? { apiKeyId: yield* keyRow(this.database, holder.keyId) }
          : { accountId: (yield* requireAccount(this.database, holder.accountUuid)).id }
      const given = { uuid, tokenHash, method, client: client.slice(0, maxClient).toWellFormed() }
      yield* insertRow(this.database, 'sessions', { ...given, ...owner, createdAt: now, lastUsedAt: now })
      yield* this.#keepNewest(owner)
      const session = yield* toSession(
        this.database,
        yield* this.database.one<SessionRow>(`${select} WHERE s.uuid = ?`, uuid),
      )
      yield* record(this.context, 'session.started', session, by)
      return session
    })
  }

  find(tokenHash: Uint8Array): Promise<Session | undefined> {
    return this.read(() => this.#find(tokenHash))
  }

  byUuid(uuid: string): Promise<Session | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      return row && (yield* toSession(this.database, row))
    })
  }

  async recordUse(uuid: string, at: number): Promise<void> {
    const sql = 'UPDATE sessions SET last_used_at = ? WHERE uuid = ?'
    await this.writeIn({ row: `session ${uuid}` }, () => this.database.run(sql, at, uuid))
  }

  ofAccount(accountUuid: string): Promise<readonly Session[]> {
    return this.read(() => sessionsOf(this.database, accountUuid))
  }

  end(uuid: string, by: Actor): Promise<void> {
    return this.write(function* () {
      const row = yield* this.database.get<SessionRow>(`${select} WHERE s.uuid = ?`, uuid)
      if (row !== undefined) yield* removeSession(this.context, yield* toSession(this.database, row), by)
    })
  }

  endOthers(accountUuid: string, except: string | undefined, by: Actor): Promise<number> {
    return this.write(() => endSessionsOf(this.context, accountUuid, except, by))
  }

  *#find(tokenHash: Uint8Array): Work<Session | undefined> {
    const row = yield* this.database.get<SessionRow>(`${select} WHERE s.token_hash = ?`, tokenHash)
    return row && (yield* toSession(this.database, row))
  }

  *#keepNewest(owner: { readonly apiKeyId: number } | { readonly accountId: number }): Work<void> {
    const [column, id] =
      'apiKeyId' in owner ? ['api_key_id', owner.apiKeyId] : ['account_id', owner.accountId]
    yield* this.database.run(
      `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ${column} = ? ORDER BY id DESC
         LIMIT 9223372036854775807 OFFSET ${maxOfHolder})`,
      id,
    )
  }
}

function* keyRow(database: Database, keyId: string): Work<number> {
  yield* requireKey(database, keyId)
  return (yield* database.one<{ id: number }>('SELECT id FROM api_keys WHERE public_id = ?', keyId)).id
}

function* toSession(database: Database, { keyId, accountUuid, ...row }: SessionRow): Work<Session> {
  const holder: SessionHolder =
    keyId === null
      ? { account: (yield* requireAccount(database, accountUuid ?? '')).account }
      : { key: yield* requireKey(database, keyId) }
  return { ...row, holder }
}

function* sessionsOf(database: Database, accountUuid: string): Work<readonly Session[]> {
  return yield* eachTogether(
    yield* database.all<SessionRow>(`${select} WHERE a.uuid = ? ORDER BY s.id DESC`, accountUuid),
    (row) => toSession(database, row),
  )
}

/** Inside of a write: ends the sessions `s` that match. Gives their number. */
export function* endSessionsWhere(
  context: StoreContext,
  where: { readonly sql: string; readonly values: readonly SqlValue[] },
  by: Actor,
): Work<number> {
  const { database } = context
  const rows = yield* database.all<SessionRow>(`${select} WHERE ${where.sql} ORDER BY s.id`, ...where.values)
  for (const row of rows) yield* removeSession(context, yield* toSession(database, row), by)
  return rows.length
}

/** Inside of a write: ends the sessions of an account, except one. Gives their number. */
export function* endSessionsOf(
  context: StoreContext,
  accountUuid: string,
  except: string | undefined,
  by: Actor,
): Work<number> {
  const ended = (yield* sessionsOf(context.database, accountUuid)).filter(({ uuid }) => uuid !== except)
  for (const session of ended) yield* removeSession(context, session, by)
  return ended.length
}

function* removeSession(context: StoreContext, session: Session, by: Actor): Work<void> {
  yield* context.database.run('DELETE FROM sessions WHERE uuid = ?', session.uuid)
  yield* record(context, 'session.ended', session, by)
}

function* record(
  context: StoreContext,
  action: AuditAction,
  { uuid, holder, method }: Session,
  by: Actor,
): Work<void> {
  const uuids =
    'key' in holder
      ? holder.key.organizationUuids
      : holder.account.roles.map(({ organizationUuid }) => organizationUuid)
  const [only = null, ...others] = new Set(uuids)
  const name = 'key' in holder ? holder.key.name : holder.account.name
  yield* recordAudit(context, {
    action,
    by,
    organizationUuid: others.length === 0 ? only : null,
    subject: { kind: 'session', id: uuid, name },
    details: 'key' in holder ? { key_id: holder.key.id } : { account: holder.account.uuid, method },
  })
}

/** Inside of a write: deletes expired sessions and those of ended keys, at most `atMost`. Gives their number. */
export function* forgetOldSessions(
  database: Database,
  { idleMs, maxMs }: SessionLimits,
  now: number,
  atMost: number,
): Work<number> {
  return yield* database.run(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at <= ? OR created_at <= ? OR api_key_id IN
       (SELECT id FROM api_keys WHERE revoked_at IS NOT NULL OR expires_at <= ?) LIMIT ?)`,
    now - idleMs,
    now - maxMs,
    now,
    atMost,
  )
}
