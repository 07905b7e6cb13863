import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'
import type { SeenRevision } from '../common.ts'

export interface KeyStore {
  /** `secretHash`: SHA-256 of the secret part of the key. */
  create(key: NewApiKey, by: Actor): Promise<ApiKey>
  /** Creates a key unless an administrator key for all organizations is usable: another node may have been first. Undefined: one is. */
  createFirst(key: NewApiKey, by: Actor): Promise<ApiKey | undefined>
  /** By the id in the key, with the stored hash to compare. `lastUsedAt` may be that of an earlier moment. */
  find(id: string): Promise<StoredKey | undefined>
  list(): Promise<readonly ApiKey[]>
  /** All keys, with the owner and those who knew the secret just before a time, in epoch milliseconds; of later keys, when they were created. */
  listBefore(at: number): Promise<readonly ApiKey[]>
  /**
   * Revokes a key permanently; it stays in the list. Does nothing for a revoked key. Throws NotFoundError `key_not_found`, and
   * ConflictError `last_admin_key` if no other administrator key for all organizations stays valid for 7 days.
   */
  revoke(id: string, by: Actor): Promise<ApiKey>
  /**
   * Replaces the secret of a key. Throws NotFoundError `key_not_found`, ConflictError `key_revoked`, `key_end_earlier` if it would end
   * earlier.
   */
  rotate(id: string, rotation: KeyRotation, by: Actor): Promise<ApiKey>
  /**
   * Changes the owner or the addresses. Throws NotFoundError `key_not_found`, `account_not_found`, ConflictError
   * `revision_changed`.
   */
  change(id: string, changes: KeyChanges, seen: SeenRevision, by: Actor): Promise<ApiKey>
  /** Records the last use, in epoch milliseconds. */
  recordUse(id: string, at: number): Promise<void>
}

export interface StoredKey {
  readonly key: ApiKey
  readonly secretHash: Uint8Array
  /** The secret before the last rotation, and until when it is accepted. */
  readonly previous: { readonly secretHash: Uint8Array; readonly until: number } | null
}

export interface KeyRotation {
  /** SHA-256 of the new secret. */
  readonly secretHash: Uint8Array
  /** Until when the earlier secret is accepted, in epoch milliseconds. */
  readonly previousUntil: number
  /** When the key then ends, in epoch milliseconds; null: never. Default: as before. */
  readonly expiresAt?: number | null | undefined
}

export type KeyChanges = Partial<Pick<ApiKey, 'ownerUuid' | 'allowedAddresses'>>

export interface NewApiKey extends KeyChanges {
  readonly id: string
  readonly name: string
  readonly role: ApiKey['role']
  readonly organizationUuids: readonly string[] | null
  readonly secretHash: Uint8Array
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null
}
