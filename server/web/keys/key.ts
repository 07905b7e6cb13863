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

export function keyState(
  { revoked_at: revoked, expires_at: expires }: Key,
  now: number,
): 'Usable' | 'Revoked' | 'Expired' {
  if (revoked !== null) return 'Revoked'
  return expires !== null && expires <= now ? 'Expired' : 'Usable'
}
