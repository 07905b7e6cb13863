import { isUsable, type ApiKey } from '../domain/api-key.ts'

/** Milliseconds before the end of a key in which it is shown as ending soon. */
export const keyWarningMs = 14 * 86_400_000

/** Whether a usable key ends within 14 days of `now`, in epoch milliseconds. */
export const endsSoon = (key: ApiKey, now: number): boolean =>
  isUsable(key, now) && key.expiresAt !== null && key.expiresAt <= now + keyWarningMs

/** Milliseconds from the creation of a key to its end: 365 days. */
export const defaultKeyLifetimeMs = 365 * 86_400_000

interface Lifetime {
  readonly now: number
  /** Lifetime of a key that is created without an end, in milliseconds; null: such a key does not expire. */
  readonly lifetimeMs: number | null
  /** When the key that creates this one ends, in epoch milliseconds; null: never. Default: null. */
  readonly creatorEndsAt?: number | null
}

/**
 * When a new key ends if its creator chooses nothing, in epoch milliseconds; null: never. A key that posts alerts has no end, because the
 * alerts of its source would stop.
 */
export function defaultEnd(
  role: ApiKey['role'],
  { now, lifetimeMs, creatorEndsAt = null }: Lifetime,
): number | null {
  const end = role === 'intake' || lifetimeMs === null ? null : now + lifetimeMs
  if (creatorEndsAt === null) return end
  return Math.min(end ?? Infinity, creatorEndsAt)
}
