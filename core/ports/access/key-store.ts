import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'

export interface KeyStore {
  /** `secretHash`: SHA-256 of the key's secret part. */
  create(key: NewApiKey, by: Actor): Promise<ApiKey>
  /** By the id inside the key's text, with the stored hash to compare. */
  find(id: string): Promise<{ readonly key: ApiKey; readonly secretHash: Uint8Array } | undefined>
  list(): Promise<readonly ApiKey[]>
  /**
   * Makes the key useless for good; it stays in the list. A revoked key stays as it is. Throws NotFoundError `key_not_found`,
   * and ConflictError `last_admin_key` for the last administrator's key for all organizations that goes on for a week.
   */
  revoke(id: string, by: Actor): Promise<ApiKey>
  /** Remembers when the key was used, in epoch milliseconds. */
  recordUse(id: string, at: number): Promise<void>
}

export interface NewApiKey {
  readonly id: string
  readonly name: string
  readonly role: ApiKey['role']
  readonly organizationUuids: readonly string[] | null
  readonly secretHash: Uint8Array
  /** Epoch milliseconds; null never. */
  readonly expiresAt: number | null
}
