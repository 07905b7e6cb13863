import type { Work } from '../database/work.ts'
import { isUsableAdmin, type ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import type {
  KeyChanges,
  KeyRotation,
  KeyStore,
  NewApiKey,
  StoredKey,
} from '../../../core/ports/access/key-store.ts'
import {
  requireAnotherAdmin,
  requireNoEarlierEnd,
  requireRevision,
  requireUnrevoked,
} from '../../../core/transitions/access.ts'
import { insertNewRow, updateRows } from '../context/rows.ts'
import { knownAfterRotation } from '../../../core/access/key-holders.ts'
import { allAccounts, requireAccount } from './account-rows.ts'
import { requireOrganization } from './organization-store.ts'
import { allKeys, findKey, keyColumnNames, keysBefore, recordKeyAction, requireKey } from './key-rows.ts'
import { endSessionsWhere } from './session-store.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

export class SqlKeyStore extends SqlStore implements KeyStore {
  create(key: NewApiKey, by: Actor): Promise<ApiKey> {
    return this.writeConfiguration(() => this.#create(key, by))
  }

  createFirst(key: NewApiKey, by: Actor): Promise<ApiKey | undefined> {
    return this.writeConfiguration(function* () {
      const now = this.clock.now()
      if ((yield* allKeys(this.database)).some((one) => isUsableAdmin(one, now))) return undefined
      return yield* this.#create(key, by)
    })
  }

  *#create(key: NewApiKey, by: Actor): Work<ApiKey> {
    const now = this.clock.now()
    const keyId = yield* this.#insert(key, makeUuid(now), now)
    for (const uuid of new Set(key.organizationUuids)) {
      yield* this.database.run(
        'INSERT INTO api_key_organizations (api_key_id, organization_id) VALUES (?, ?)',
        keyId,
        (yield* requireOrganization(this.database, uuid)).id,
      )
    }
    // Read from the entry that is written here.
    const secretKnownBy = [{ kind: by.kind, id: by.id }]
    const made = { ...(yield* requireKey(this.database, key.id)), secretKnownBy }
    yield* recordKeyAction(this.context, 'key.created', made, by)
    return yield* requireKey(this.database, key.id)
  }

  find(id: string): Promise<StoredKey | undefined> {
    return this.read(() => this.database.cache.get(`key ${id}`, () => findKey(this.database, id)))
  }

  list(): Promise<readonly ApiKey[]> {
    return this.read(() => allKeys(this.database))
  }

  listBefore(at: number): Promise<readonly ApiKey[]> {
    return this.read(() => keysBefore(this.database, at))
  }

  revoke(id: string, by: Actor): Promise<ApiKey> {
    return this.writeConfiguration(function* () {
      const key = yield* requireKey(this.database, id)
      if (key.revokedAt !== null) return key
      const now = this.clock.now()
      // In one transaction: of two revocations at once, the second sees the first.
      const all = { keys: yield* allKeys(this.database), accounts: yield* allAccounts(this.database) }
      requireAnotherAdmin(key, all, now)
      yield* this.database.run('UPDATE api_keys SET revoked_at = ? WHERE public_id = ?', now, id)
      yield* recordKeyAction(this.context, 'key.revoked', key, by)
      return yield* requireKey(this.database, id)
    })
  }

  rotate(
    id: string,
    { secretHash, previousUntil, expiresAt: given }: KeyRotation,
    by: Actor,
  ): Promise<ApiKey> {
    return this.writeConfiguration(function* () {
      const key = yield* requireKey(this.database, id)
      requireUnrevoked(key)
      const expiresAt = given === undefined ? key.expiresAt : given
      requireNoEarlierEnd(key, expiresAt)
      const now = this.clock.now()
      const known = knownAfterRotation(key.secretKnownBy, by, previousUntil > now)
      yield* this.database.run(
        `UPDATE api_keys SET previous_hash = secret_hash, previous_until = ?, secret_hash = ?, rotated_at = ?,
           secret_known_by = ?, expires_at = ? WHERE public_id = ?`,
        previousUntil,
        secretHash,
        now,
        JSON.stringify(known),
        expiresAt,
        id,
      )
      // Whoever signed in with the earlier secret must not keep its permissions.
      if (previousUntil <= now)
        yield* endSessionsWhere(this.context, { sql: 'k.public_id = ?', values: [id] }, by)
      const rotated = yield* requireKey(this.database, id)
      yield* recordKeyAction(this.context, 'key.rotated', rotated, by)
      return rotated
    })
  }

  change(id: string, changes: KeyChanges, seen: SeenRevision, by: Actor): Promise<ApiKey> {
    return this.writeConfiguration(function* () {
      const { revision } = yield* requireKey(this.database, id)
      requireRevision(revision, seen)
      const where = { sql: 'public_id = ?', values: [id] }
      yield* updateRows(
        this.database,
        'api_keys',
        { ...(yield* this.#columnsOf(changes)), revision: revision + 1 },
        where,
      )
      yield* recordKeyAction(this.context, 'key.changed', yield* requireKey(this.database, id), by)
      return yield* requireKey(this.database, id)
    })
  }

  *#columnsOf({ ownerUuid, allowedAddresses }: KeyChanges) {
    return {
      ...(ownerUuid !== undefined && {
        ownerId: ownerUuid === null ? null : (yield* requireAccount(this.database, ownerUuid)).id,
      }),
      ...(allowedAddresses !== undefined && {
        allowedAddresses: allowedAddresses === null ? null : JSON.stringify(allowedAddresses),
      }),
    }
  }

  async recordUse(id: string, at: number): Promise<void> {
    const sql = 'UPDATE api_keys SET last_used_at = ? WHERE public_id = ?'
    await this.writeIn({ row: `key ${id}` }, () => this.database.run(sql, at, id))
  }

  *#insert(key: NewApiKey, uuid: string, now: number): Work<number> {
    const { id, name, role, secretHash, expiresAt } = key
    const allOrganizations = Number(key.organizationUuids === null)
    const given = { uuid, id, name, role, allOrganizations, secretHash, createdAt: now, expiresAt }
    const values = { ...given, ...(yield* this.#columnsOf(key)) }
    const row = yield* insertNewRow(this.database, 'api_keys', values, keyColumnNames)
    if (row !== undefined) return row
    throw new ConflictError('key_exists', `an API key with the id '${id}' already exists`)
  }
}
