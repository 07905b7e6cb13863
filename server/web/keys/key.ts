import type { Actor, Role } from '../api/types.ts'

/** An API key, without its value. */
export interface Key {
  readonly key_uuid: string
  readonly key_id: string
  readonly name: string
  readonly role: Role
  /** Null: all. */
  readonly organization_codes: readonly string[] | null
  readonly created_at: number
  readonly created_by: Actor | null
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

/** A key that ends sooner leaves nobody who could make others. */
const lastingMs = 7 * 86_400_000

/** Whether the API leaves this key, since nobody could administrate without it (`DELETE /keys` in `docs/api.md`). */
export function isLastAdmin(key: Key, all: readonly Key[], now: number): boolean {
  const isAdmin = (each: Key): boolean =>
    each.role === 'admin' && each.organization_codes === null && keyState(each, now) === 'Active'
  const isLasting = (each: Key): boolean =>
    isAdmin(each) && (each.expires_at === null || each.expires_at > now + lastingMs)
  const others = all.filter(({ key_id: id }) => id !== key.key_id)
  return isAdmin(key) && !others.some(isLasting) && (isLasting(key) || !others.some(isAdmin))
}

export function keyState(
  { revoked_at: revoked, expires_at: expires }: Key,
  now: number,
): 'Active' | 'Revoked' | 'Expired' {
  if (revoked !== null) return 'Revoked'
  return expires !== null && expires <= now ? 'Expired' : 'Active'
}
