import { isLastingAdmin, isUsableAdmin, type ApiKey } from '../domain/api-key.ts'
import { ConflictError } from '../errors/errors.ts'
import type { SeenRevision } from '../ports/common.ts'

/** Throws ConflictError `revision_changed`. */
export function requireRevision(current: number, seen: SeenRevision): void {
  if (seen === undefined || seen === current) return
  throw new ConflictError('revision_changed', 'it has changed since you read it', {
    hint: 'read it again, and repeat the change with its new ETag',
  })
}

/** Throws ConflictError `last_admin_key` when no other key could then create keys. */
export function requireAnotherAdmin(revoked: ApiKey, all: readonly ApiKey[], now: number): void {
  if (!isUsableAdmin(revoked, now)) return
  const others = all.filter(({ id }) => id !== revoked.id)
  if (others.some((key) => isLastingAdmin(key, now))) return
  // If no key stays valid long enough, revoking one of them changes nothing.
  if (!isLastingAdmin(revoked, now) && others.some((key) => isUsableAdmin(key, now))) return
  throw new ConflictError('last_admin_key', `the key '${revoked.id}' is the last active administrator key`, {
    hint: 'create another administrator key for all organizations that is valid for more than a week, and revoke this one with it',
  })
}
