import { isLastingAdmin, isUsableAdmin, type ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { KeyStore, NewApiKey } from '../../../core/ports/access/key-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization } from './organization-store.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

interface KeyRow extends Omit<ApiKey, 'organizationUuids' | 'createdBy'> {
  /** JSON. */
  readonly createdBy: string | null
  readonly allOrganizations: number
  /** JSON list of uuids. */
  readonly organizations: string
  readonly secretHash: Buffer
}

const select = `
  SELECT k.uuid, k.public_id AS id, k.name, k.role, k.all_organizations AS allOrganizations, k.secret_hash AS secretHash,
    k.created_at AS createdAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt, k.last_used_at AS lastUsedAt,
    (SELECT json_group_array(o.uuid) FROM api_key_organizations ko JOIN organizations o ON o.id = ko.organization_id
      WHERE ko.api_key_id = k.id) AS organizations,
    (SELECT a.entry ->> '$.actor' FROM audit a WHERE a.subject_id = k.public_id AND a.action = 'key.created' LIMIT 1) AS createdBy
  FROM api_keys k`

export class SqliteKeyStore implements KeyStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  create(key: NewApiKey, by: Actor): Promise<ApiKey> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      const now = clock.now()
      const keyId = this.#insert(key, makeUuid(now), now)
      for (const uuid of new Set(key.organizationUuids)) {
        database.run(
          'INSERT INTO api_key_organizations (api_key_id, organization_id) VALUES (?, ?)',
          keyId,
          requireOrganization(database, uuid).id,
        )
      }
      recordKey(this.#context, 'key.created', requireKey(database, key.id), by)
      return requireKey(database, key.id)
    })
  }

  find(id: string): Promise<{ readonly key: ApiKey; readonly secretHash: Uint8Array } | undefined> {
    const { database } = this.#context
    return database.read(() =>
      database.cache.get(`key ${id}`, () => {
        const row = database.get<KeyRow>(`${select} WHERE k.public_id = ?`, id)
        return row && { key: toKey(row), secretHash: new Uint8Array(row.secretHash) }
      }),
    )
  }

  list(): Promise<readonly ApiKey[]> {
    const { database } = this.#context
    return database.read(() => database.all<KeyRow>(`${select} ORDER BY k.id`).map(toKey))
  }

  revoke(id: string, by: Actor): Promise<ApiKey> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      const key = requireKey(database, id)
      if (key.revokedAt !== null) return key
      const now = clock.now()
      if (isUsableAdmin(key, now)) requireAnotherAdmin(database, key, now)
      database.run('UPDATE api_keys SET revoked_at = ? WHERE public_id = ?', now, id)
      recordKey(this.#context, 'key.revoked', key, by)
      return requireKey(database, id)
    })
  }

  async recordUse(id: string, at: number): Promise<void> {
    const { database, commits } = this.#context
    await commits.writeConfiguration(() =>
      database.run('UPDATE api_keys SET last_used_at = ? WHERE public_id = ?', at, id),
    )
  }

  #insert(key: NewApiKey, uuid: string, now: number): number {
    try {
      return this.#context.database.insert(
        `INSERT INTO api_keys (uuid, public_id, name, role, all_organizations, secret_hash, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        uuid,
        key.id,
        key.name,
        key.role,
        key.organizationUuids === null ? 1 : 0,
        key.secretHash,
        now,
        key.expiresAt,
      )
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new ConflictError('key_exists', `there is a key with the id '${key.id}' already`)
    }
  }
}

/** A key for several organizations, or for all, concerns no single one. */
function recordKey(context: StoreContext, action: AuditAction, key: ApiKey, by: Actor): void {
  const { id, name, role, organizationUuids, expiresAt } = key
  const [only, ...others] = organizationUuids ?? []
  recordAudit(context, {
    action,
    by,
    organizationUuid: only !== undefined && others.length === 0 ? only : null,
    subject: { kind: 'api_key', id, name },
    details: { role, organization_uuids: organizationUuids, expires_at: expiresAt },
  })
}

/** By its public id. Throws NotFoundError `key_not_found`. */
export function requireKey(database: Database, id: string): ApiKey {
  const row = database.get<KeyRow>(`${select} WHERE k.public_id = ?`, id)
  if (row === undefined)
    throw new NotFoundError('key_not_found', `there is no key with the id '${id.slice(0, 64)}'`)
  return toKey(row)
}

/** In the transaction of the revocation: of two that come at once, the second one sees the first. */
function requireAnotherAdmin(database: Database, revoked: ApiKey, now: number): void {
  const others = database
    .all<KeyRow>(select)
    .map(toKey)
    .filter(({ id }) => id !== revoked.id)
  if (others.some((key) => isLastingAdmin(key, now))) return
  // Where none lasts, this one does not either: nothing becomes worse.
  if (!isLastingAdmin(revoked, now) && others.some((key) => isUsableAdmin(key, now))) return
  throw new ConflictError(
    'last_admin_key',
    `the key '${revoked.id}' is the last administrator's key that goes on`,
    {
      hint: "make another administrator's key for all organizations first, one that does not end within a week, and use it to revoke this one",
    },
  )
}

function toKey(row: KeyRow): ApiKey {
  const { allOrganizations, organizations, createdBy, secretHash: _, ...key } = row
  return {
    ...key,
    createdBy: fromJson<ApiKey['createdBy']>(createdBy),
    organizationUuids: allOrganizations === 1 ? null : fromJson<string[]>(organizations),
  }
}
