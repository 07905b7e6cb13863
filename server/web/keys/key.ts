import { keyWarningMs } from '../../../core/access/key-expiry.ts'
import type { ListedKey } from '../api/types.ts'

/** A key that expires sooner does not count as a remaining admin key. */
const lastingMs = 7 * 86_400_000

/** Whether this is the last admin key, which the API does not revoke (`DELETE /keys` in `docs/api.md`). */
export function isLastAdmin(key: ListedKey, all: readonly ListedKey[], now: number): boolean {
  const isAdmin = (each: ListedKey): boolean =>
    each.role === 'admin' && each.organization_codes === null && keyState(each, now) === 'Active'
  const isLasting = (each: ListedKey): boolean =>
    isAdmin(each) && (each.expires_at === null || each.expires_at > now + lastingMs)
  const others = all.filter(({ key_id: id }) => id !== key.key_id)
  return isAdmin(key) && !others.some(isLasting) && (isLasting(key) || !others.some(isAdmin))
}

export function keyState(
  { revoked_at: revoked, expires_at: expires }: ListedKey,
  now: number,
): 'Active' | 'Revoked' | 'Expired' {
  if (revoked !== null) return 'Revoked'
  return expires !== null && expires <= now ? 'Expired' : 'Active'
}

/** Whether a key that is in use ends within 14 days. */
export const isEndingSoon = (key: ListedKey, now: number): boolean =>
  keyState(key, now) === 'Active' && key.expires_at !== null && key.expires_at <= now + keyWarningMs
