import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { KeyStore, NewApiKey } from '../../../core/ports/access/key-store.ts'
import { requireAnotherAdmin } from '../../../core/transitions/access.ts'
import { insertRow, pick, selectList } from '../context/rows.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { allAccounts } from './account-rows.ts'
import { requireOrganization } from './organization-store.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

interface KeyRow extends Omit<ApiKey, 'organizationUuids' | 'createdBy'> {
  /** JSON. */
  readonly createdBy: string | null
  readonly allOrganizations: number
  /** JSON list of uuids. */
  readonly organizations: string
  readonly secretHash: Buffer
}

/** Fields that have their own column. */
const stored = [
  'uuid',
  'id',
  'name',
  'role',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
] as const satisfies readonly (keyof ApiKey)[]
const columnNames = { id: 'public_id' }

const select = `
  SELECT ${selectList([...stored, 'allOrganizations', 'secretHash'], columnNames)},
    (SELECT json_group_array(o.uuid) FROM api_key_organizations ko JOIN organizations o ON o.id = ko.organization_id
      WHERE ko.api_key_id = t.id) AS organizations,
    (SELECT a.entry ->> '$.actor' FROM audit a WHERE a.subject_id = t.public_id AND a.action = 'key.created' LIMIT 1) AS createdBy
  FROM api_keys t`

export class SqliteKeyStore extends SqliteStore implements KeyStore {
  create(key: NewApiKey, by: Actor): Promise<ApiKey> {
    return this.commits.writeConfiguration(() => {
      const now = this.clock.now()
      const keyId = this.#insert(key, makeUuid(now), now)
      for (const uuid of new Set(key.organizationUuids)) {
        this.database.run(
          'INSERT INTO api_key_organizations (api_key_id, organization_id) VALUES (?, ?)',
          keyId,
          requireOrganization(this.database, uuid).id,
        )
      }
      recordKey(this.context, 'key.created', requireKey(this.database, key.id), by)
      return requireKey(this.database, key.id)
    })
  }

  find(id: string): Promise<{ readonly key: ApiKey; readonly secretHash: Uint8Array } | undefined> {
    return this.database.read(() =>
      this.database.cache.get(`key ${id}`, () => {
        const row = this.database.get<KeyRow>(`${select} WHERE t.public_id = ?`, id)
        return row && { key: toKey(row), secretHash: new Uint8Array(row.secretHash) }
      }),
    )
  }

  list(): Promise<readonly ApiKey[]> {
    return this.database.read(() => allKeys(this.database))
  }

  revoke(id: string, by: Actor): Promise<ApiKey> {
    return this.commits.writeConfiguration(() => {
      const key = requireKey(this.database, id)
      if (key.revokedAt !== null) return key
      const now = this.clock.now()
      // In one transaction: of two revocations at once, the second sees the first.
      const all = { keys: allKeys(this.database), accounts: allAccounts(this.database) }
      requireAnotherAdmin(key, all, now)
      this.database.run('UPDATE api_keys SET revoked_at = ? WHERE public_id = ?', now, id)
      recordKey(this.context, 'key.revoked', key, by)
      return requireKey(this.database, id)
    })
  }

  async recordUse(id: string, at: number): Promise<void> {
    await this.commits.writeConfiguration(() =>
      this.database.run('UPDATE api_keys SET last_used_at = ? WHERE public_id = ?', at, id),
    )
  }

  #insert(key: NewApiKey, uuid: string, now: number): number {
    try {
      const { id, name, role, secretHash, expiresAt } = key
      const allOrganizations = Number(key.organizationUuids === null)
      const values = { uuid, id, name, role, allOrganizations, secretHash, createdAt: now, expiresAt }
      return insertRow(this.database, 'api_keys', values, columnNames)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new ConflictError('key_exists', `an API key with the id '${key.id}' already exists`)
    }
  }
}

/** An audit entry belongs to an organization only if the key has exactly one. */
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
  const row = database.get<KeyRow>(`${select} WHERE t.public_id = ?`, id)
  if (row === undefined)
    throw new NotFoundError('key_not_found', `there is no key with the id '${id.slice(0, 64)}'`)
  return toKey(row)
}

export const allKeys = (database: Database): readonly ApiKey[] =>
  database.all<KeyRow>(`${select} ORDER BY t.id`).map(toKey)

const toKey = (row: KeyRow): ApiKey => ({
  ...pick(row, stored),
  createdBy: fromJson<ApiKey['createdBy']>(row.createdBy),
  organizationUuids: row.allOrganizations === 1 ? null : fromJson<string[]>(row.organizations),
})
