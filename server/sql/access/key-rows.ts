import type { Work } from '../database/work.ts'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { StoredKey } from '../../../core/ports/access/key-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { pick, selectList } from '../context/rows.ts'
import type { StoreContext } from '../context/store-context.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

interface KeyRow extends Omit<
  ApiKey,
  'organizationUuids' | 'createdBy' | 'isOwnerDisabled' | 'allowedAddresses' | 'secretKnownBy'
> {
  readonly isOwnerDisabled: number
  /** JSON. */
  readonly allowedAddresses: string | null
  /** JSON; null: the creator. */
  readonly secretKnownBy: string | null
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
export const keyColumnNames = { id: 'public_id' }

const select = `
  SELECT ${selectList([...stored, ...rotation, 'allOrganizations', 'secretHash', 'allowedAddresses', 'secretKnownBy'], keyColumnNames)},
    (SELECT json_group_array(o.uuid ORDER BY o.id) FROM api_key_organizations ko JOIN organizations o ON o.id = ko.organization_id
      WHERE ko.api_key_id = t.id) AS organizations, w.uuid AS "ownerUuid", w.disabled_at IS NOT NULL AS "isOwnerDisabled",
    (SELECT a.entry -> '$.actor' FROM audit a WHERE a.subject_id = t.public_id AND a.action = 'key.created' LIMIT 1) AS "createdBy"
  FROM api_keys t LEFT JOIN accounts w ON w.id = t.owner_id`

/** By its public id. */
export function* findKey(database: Database, id: string): Work<StoredKey | undefined> {
  const row = yield* database.get<KeyRow>(`${select} WHERE t.public_id = ?`, id)
  return row && toStored(row)
}

/** An audit entry belongs to an organization only if the key has exactly one. */
export function* recordKeyAction(
  context: StoreContext,
  action: AuditAction,
  key: ApiKey,
  by: Actor,
): Work<void> {
  const { id, name, role, organizationUuids, expiresAt, ownerUuid, allowedAddresses, secretKnownBy } = key
  const [only, ...others] = organizationUuids ?? []
  yield* recordAudit(context, {
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
      secret_known_by: secretKnownBy,
    },
  })
}

/** By its public id. Throws NotFoundError `key_not_found`. */
export function* requireKey(database: Database, id: string): Work<ApiKey> {
  const row = yield* database.get<KeyRow>(`${select} WHERE t.public_id = ?`, id)
  if (row === undefined)
    throw new NotFoundError('key_not_found', `there is no key with the id '${id.slice(0, 64)}'`)
  return toKey(row)
}

export function* allKeys(database: Database): Work<readonly ApiKey[]> {
  return (yield* database.all<KeyRow>(`${select} ORDER BY t.id`)).map(toKey)
}

/** Entries of a key that record its owner and who knows its secret. */
const entriesOfKey = `audit a WHERE a.subject_id = t.public_id AND a.action IN ('key.created', 'key.changed', 'key.rotated')`

/** The last entry of each key before a time, or its first one. */
const selectDetails = `
  SELECT t.public_id AS id, e.entry -> '$.details' AS details FROM api_keys t CROSS JOIN audit e ON e.id =
    coalesce((SELECT max(a.id) FROM ${entriesOfKey} AND a.at < ?), (SELECT min(a.id) FROM ${entriesOfKey}))`

interface KeyDetails {
  readonly owner?: string
  readonly secret_known_by?: ApiKey['secretKnownBy']
}

/** See `KeyStore.listBefore`. */
export function* keysBefore(database: Database, at: number): Work<readonly ApiKey[]> {
  const rows = yield* database.all<{ id: string; details: string }>(selectDetails, at)
  const before = new Map(rows.map(({ id, details }) => [id, fromJson<KeyDetails>(details)]))
  return (yield* allKeys(database)).map((key) => {
    const found = before.get(key.id)
    const known = found?.secret_known_by
    return found === undefined || known === undefined
      ? key
      : { ...key, ownerUuid: found.owner ?? null, secretKnownBy: known }
  })
}

function toStored(row: KeyRow): StoredKey {
  const { previousHash, previousUntil } = row
  const previous =
    previousHash === null || previousUntil === null
      ? null
      : { secretHash: new Uint8Array(previousHash), until: previousUntil }
  return { key: toKey(row), secretHash: new Uint8Array(row.secretHash), previous }
}

function toKey(row: KeyRow): ApiKey {
  const createdBy = fromJson<ApiKey['createdBy']>(row.createdBy)
  return {
    ...pick(row, stored),
    ownerUuid: row.ownerUuid,
    isOwnerDisabled: row.isOwnerDisabled === 1,
    allowedAddresses: fromJson<string[]>(row.allowedAddresses),
    createdBy,
    secretKnownBy:
      fromJson<ApiKey['secretKnownBy']>(row.secretKnownBy) ??
      (createdBy === null ? [] : [{ kind: createdBy.kind, id: createdBy.id }]),
    organizationUuids: row.allOrganizations === 1 ? null : fromJson<string[]>(row.organizations),
  }
}
