import type { Author } from './audit.ts'

/** What a key may do. `intake` only posts alerts and reads the lookups; each later role may also do what `reader` may. */
export const roles = ['intake', 'reader', 'analyst', 'admin'] as const
export type Role = (typeof roles)[number]

/** A key as it is stored: never its value. */
export interface ApiKey {
  readonly uuid: string
  /** The part of the key that is no secret: `toc_<id>_…`. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** Organizations it may act for; null stands for all, also later ones. */
  readonly organizationUuids: readonly string[] | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** As the audit log has it; null: it has nothing of a key that was made before there was one. */
  readonly createdBy: Author | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** Neither revoked nor expired at `now`, in epoch milliseconds. */
export function isUsable({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

/** One that can make the next key: an administrator's for all organizations. */
export function isUsableAdmin(key: ApiKey, now: number): boolean {
  return isUsable(key, now) && key.role === 'admin' && key.organizationUuids === null
}

/** How long a key must go on to be one that others are revoked in reliance on, in milliseconds. */
const lastingMs = 7 * 24 * 60 * 60 * 1_000

/** Whether it can be relied on to make the next key, when others are revoked: it does not end within a week. */
export function isLastingAdmin(key: ApiKey, now: number): boolean {
  return isUsableAdmin(key, now) && (key.expiresAt === null || key.expiresAt > now + lastingMs)
}
