import type { Author } from './audit.ts'

/**
 * The role of a key, one of the built-in roles. `intake` may only post alerts and read the lookups; every later role includes the
 * permissions of `reader`.
 */
export const roles = [
  'intake',
  'reader',
  'responder',
  'author',
  'connection_admin',
  'analyst',
  'admin',
] as const
export type Role = (typeof roles)[number]

/** A key as it is stored: never its value. */
export interface ApiKey {
  readonly uuid: string
  /** The part of the key that is no secret: `toc_<id>_…`. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** Organizations it may act for; null means all, including later ones. */
  readonly organizationUuids: readonly string[] | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** As recorded in the audit log; null if the key is older than the log. */
  readonly createdBy: Author | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  /** Account of the person who answers for the key; null: no owner. */
  readonly ownerUuid: string | null
  /** While the owner is disabled, the key is refused. */
  readonly isOwnerDisabled: boolean
  /** Addresses and ranges from which the key is accepted; null: all. */
  readonly allowedAddresses: readonly string[] | null
  /** When its secret was last replaced, in epoch milliseconds. */
  readonly rotatedAt: number | null
  /** Counts the changes of owner and addresses, from 1. */
  readonly revision: number
  /** Who created a secret of the key that may still be accepted, and so knows it. */
  readonly secretKnownBy: readonly Pick<Author, 'kind' | 'id'>[]
}

/** Neither revoked nor expired at `now`, in epoch milliseconds, nor of a disabled person. */
export function isUsable({ revokedAt, expiresAt, isOwnerDisabled }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now) && !isOwnerDisabled
}

/** Whether the key can create the next one: an active admin key for all organizations. */
export function isUsableAdmin(key: ApiKey, now: number): boolean {
  return isUsable(key, now) && key.role === 'admin' && key.organizationUuids === null
}

/** Milliseconds that an admin key must stay valid before other admin keys may be revoked. */
const lastingMs = 7 * 24 * 60 * 60 * 1_000

/** Whether the key stays valid for at least a week, so that other admin keys may be revoked. */
export function isLastingAdmin(key: ApiKey, now: number): boolean {
  return isUsableAdmin(key, now) && (key.expiresAt === null || key.expiresAt > now + lastingMs)
}
