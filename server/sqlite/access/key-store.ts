import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import type { KeyChanges, KeyStore, NewApiKey, StoredKey } from '../../../core/ports/access/key-store.ts'
import { requireAnotherAdmin, requireRevision, requireUnrevoked } from '../../../core/transitions/access.ts'
import { insertRow, pick, selectList, updateRows } from '../context/rows.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { allAccounts, requireAccount } from './account-rows.ts'
import { requireOrganization } from './organization-store.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

interface KeyRow extends Omit<
  ApiKey,
  'organizationUuids' | 'createdBy' | 'isOwnerDisabled' | 'allowedAddresses'
> {
  readonly isOwnerDisabled: number
  /** JSON. */
  readonly allowedAddresses: string | null
  readonly previousHash: Buffer | null
  readonly previousUntil: number | null
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
  'rotatedAt',
  'revision',
] as const satisfies readonly (keyof ApiKey)[]
const rotation = ['previousHash', 'previousUntil'] as const
const columnNames = { id: 'public_id' }

const select = `
  SELECT ${selectList([...stored, ...rotation, 'allOrganizations', 'secretHash', 'allowedAddresses'], columnNames)},
    (SELECT json_group_array(o.uuid) FROM api_key_organizations ko JOIN organizations o ON o.id = ko.organization_id
      WHERE ko.api_key_id = t.id) AS organizations, w.uuid AS ownerUuid, w.disabled_at IS NOT NULL AS isOwnerDisabled,
    (SELECT a.entry ->> '$.actor' FROM audit a WHERE a.subject_id = t.public_id AND a.action = 'key.created' LIMIT 1) AS createdBy
  FROM api_keys t LEFT JOIN accounts w ON w.id = t.owner_id`

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

  find(id: string): Promise<StoredKey | undefined> {
    return this.database.read(() =>
      this.database.cache.get(`key ${id}`, () => {
        const row = this.database.get<KeyRow>(`${select} WHERE t.public_id = ?`, id)
        return row && toStored(row)
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

  rotate(id: string, secretHash: Uint8Array, previousUntil: number, by: Actor): Promise<ApiKey> {
    return this.commits.writeConfiguration(() => {
      const key = requireKey(this.database, id)
      requireUnrevoked(key)
      this.database.run(
        `UPDATE api_keys SET previous_hash = secret_hash, previous_until = ?, secret_hash = ?, rotated_at = ? WHERE public_id = ?`,
        previousUntil,
        secretHash,
        this.clock.now(),
        id,
      )
      recordKey(this.context, 'key.rotated', key, by)
      return requireKey(this.database, id)
    })
  }

  change(id: string, changes: KeyChanges, seen: SeenRevision, by: Actor): Promise<ApiKey> {
    return this.commits.writeConfiguration(() => {
      const { revision } = requireKey(this.database, id)
      requireRevision(revision, seen)
      const where = { sql: 'public_id = ?', values: [id] }
      updateRows(this.database, 'api_keys', { ...this.#columnsOf(changes), revision: revision + 1 }, where)
      recordKey(this.context, 'key.changed', requireKey(this.database, id), by)
      return requireKey(this.database, id)
    })
  }

  #columnsOf({ ownerUuid, allowedAddresses }: KeyChanges) {
    return {
      ...(ownerUuid !== undefined && {
        ownerId: ownerUuid === null ? null : requireAccount(this.database, ownerUuid).id,
      }),
      ...(allowedAddresses !== undefined && {
        allowedAddresses: allowedAddresses === null ? null : JSON.stringify(allowedAddresses),
      }),
    }
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
      const given = { uuid, id, name, role, allOrganizations, secretHash, createdAt: now, expiresAt }
      const values = { ...given, ...this.#columnsOf(key) }
      return insertRow(this.database, 'api_keys', values, columnNames)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new ConflictError('key_exists', `an API key with the id '${key.id}' already exists`)
    }
  }
}

/** An audit entry belongs to an organization only if the key has exactly one. */
function recordKey(context: StoreContext, action: AuditAction, key: ApiKey, by: Actor): void {
  const { id, name, role, organizationUuids, expiresAt, ownerUuid, allowedAddresses } = key
  const [only, ...others] = organizationUuids ?? []
  recordAudit(context, {
    action,
    by,
    organizationUuid: only !== undefined && others.length === 0 ? only : null,
    subject: { kind: 'api_key', id, name },
    details: {
      role,
      organization_uuids: organizationUuids,
      expires_at: expiresAt,
      ...(ownerUuid !== null && { owner: ownerUuid }),
      ...(allowedAddresses !== null && { allowed_addresses: allowedAddresses }),
    },
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

function toStored(row: KeyRow): StoredKey {
  const { previousHash, previousUntil } = row
  const previous =
    previousHash === null || previousUntil === null
      ? null
      : { secretHash: new Uint8Array(previousHash), until: previousUntil }
  return { key: toKey(row), secretHash: new Uint8Array(row.secretHash), previous }
}

const toKey = (row: KeyRow): ApiKey => ({
  ...pick(row, stored),
  ownerUuid: row.ownerUuid,
  isOwnerDisabled: row.isOwnerDisabled === 1,
  allowedAddresses: fromJson<string[]>(row.allowedAddresses),
  createdBy: fromJson<ApiKey['createdBy']>(row.createdBy),
  organizationUuids: row.allOrganizations === 1 ? null : fromJson<string[]>(row.organizations),
})
