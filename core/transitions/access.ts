import { accountState, isAdministrator, type Account, type AccountRole } from '../access/account.ts'
import type { AccessPermission } from '../access/permissions.ts'
import { isLastingAdmin, isUsableAdmin, type ApiKey } from '../domain/api-key.ts'
import { ConflictError } from '../errors/errors.ts'
import { maxSharedFilters } from '../ports/access/shared-filter-store.ts'
import type { SeenRevision } from '../ports/common.ts'

/** Throws ConflictError `revision_changed`. */
export function requireRevision(current: number, seen: SeenRevision): void {
  if (seen === undefined || seen === current) return
  throw new ConflictError('revision_changed', 'it has changed since you read it', {
    hint: 'read it again, and repeat the change with its new ETag',
  })
}

/** Everyone who can create keys and accounts. */
interface Administrators {
  readonly keys: readonly ApiKey[]
  readonly accounts: readonly Account[]
}

/** Throws ConflictError `last_admin_key` when nobody else could then create keys. */
export function requireAnotherAdmin(revoked: ApiKey, { keys, accounts }: Administrators, now: number): void {
  if (!isUsableAdmin(revoked, now) || accounts.some(isAdministrator)) return
  const others = keys.filter(({ id }) => id !== revoked.id)
  if (others.some((key) => isLastingAdmin(key, now))) return
  // If no key stays valid long enough, revoking one of them changes nothing.
  if (!isLastingAdmin(revoked, now) && others.some((key) => isUsableAdmin(key, now))) return
  throw new ConflictError('last_admin_key', `the key '${revoked.id}' is the last active administrator key`, {
    hint: 'create another administrator key for all organizations that is valid for more than a week, and revoke this one with it',
  })
}

/**
 * Throws ConflictError `last_admin_account` when nobody could then manage accounts.
 *
 * @param changed the account after the change
 */
export function requireAnotherAdministrator(
  changed: Account,
  { keys, accounts }: Administrators,
  now: number,
): void {
  if (isAdministrator(changed)) return
  const before = accounts.find(({ uuid }) => uuid === changed.uuid)
  if (before === undefined || !isAdministrator(before)) return
  if (accounts.some((other) => other.uuid !== changed.uuid && isAdministrator(other))) return
  if (keys.some((key) => isLastingAdmin(key, now))) return
  throw new ConflictError('last_admin_account', `${changed.email} is the last active administrator`, {
    hint: 'first give another person the role admin for all organizations',
  })
}

/**
 * Whether a change of roles gives a new one. Open invitations then end: whoever made or holds a link for a person with few permissions
 * must not get more with it.
 */
export const givesMore = (before: readonly AccountRole[], after: readonly AccountRole[]): boolean =>
  after.some(
    ({ role, organizationUuid }) =>
      !before.some((held) => held.role === role && held.organizationUuid === organizationUuid),
  )

/** Whether a change of a role gives a new permission. Open invitations of the people who have the role then end, too. */
export const allowsMore = (
  before: readonly AccessPermission[],
  after: readonly AccessPermission[],
): boolean => after.some((permission) => !before.includes(permission))

/** Passkeys of one account. */
const maxPasskeys = 20

/** Throws ConflictError `too_many_passkeys`. */
export function requirePasskeyRoom(held: number): void {
  if (held < maxPasskeys) return
  throw new ConflictError('too_many_passkeys', `an account has at most ${maxPasskeys} passkeys`, {
    hint: 'remove one first',
  })
}

/** One-time codes of an account; undefined: not offered yet. */
type Totp = { readonly confirmedAt: number | null } | undefined

/** Throws ConflictError `totp_exists`. */
export function requireNoTotp(totp: Totp): void {
  if ((totp?.confirmedAt ?? null) === null) return
  throw new ConflictError('totp_exists', 'one-time codes are set up already', {
    hint: 'remove them first, to set up another device',
  })
}

/** Throws ConflictError `totp_not_offered`. */
export function requireTotp(isThere: boolean): void {
  if (isThere) return
  throw new ConflictError('totp_not_offered', 'one-time codes are not set up', {
    hint: 'begin with POST me/totp',
  })
}

/** Throws ConflictError `too_many_filters`. */
export function requireFilterRoom(held: number): void {
  if (held < maxSharedFilters) return
  throw new ConflictError('too_many_filters', `the organization has ${held} shared filters`, {
    hint: 'delete one first',
  })
}

/** Throws ConflictError `key_revoked`. */
export function requireUnrevoked({ id, revokedAt }: Pick<ApiKey, 'id' | 'revokedAt'>): void {
  if (revokedAt !== null) throw new ConflictError('key_revoked', `the key '${id}' is revoked`)
}

/** A rotation renews a key; to end it earlier is to revoke it, which keeps the last administrator key. Throws ConflictError `key_end_earlier`. */
export function requireNoEarlierEnd(
  { id, expiresAt: before }: Pick<ApiKey, 'id' | 'expiresAt'>,
  after: number | null,
): void {
  if ((after ?? Infinity) >= (before ?? Infinity)) return
  throw new ConflictError('key_end_earlier', `the key '${id}' would end earlier than now`, {
    hint: 'leave the end unchanged, or choose a later one; revoke the key to end it',
  })
}

/** Throws ConflictError `role_in_use` if people have the role. */
export function requireUnusedRole(name: string, held: number): void {
  if (held === 0) return
  const who = held === 1 ? 'one person has' : `${held} people have`
  throw new ConflictError('role_in_use', `${who} the role '${name}'`, { hint: 'give them other roles first' })
}

/** Whether a use of a passkey follows the last one. An authenticator that does not count always says 0. */
export const passkeyCounterGrew = (last: number, now: number): boolean =>
  now > last || (now === 0 && last === 0)

/**
 * Whether an identity can begin to belong to an account. Throws ConflictError `identity_linked`, `account_not_invited`.
 *
 * @param owner of the identity so far
 * @param invited undefined: an account that is created for it
 * @param hasInvitation whether the account has an unused invitation, which an admin can also make for an account in use
 */
export function requireLinkable(
  owner: Account | undefined,
  invited: Account | undefined,
  hasInvitation: boolean,
): void {
  if (owner !== undefined)
    throw new ConflictError('identity_linked', `this identity belongs to the account ${owner.email}`)
  if (invited === undefined) return
  const state = accountState(invited)
  if (state === 'disabled' || (state === 'active' && !hasInvitation))
    throw new ConflictError('account_not_invited', `the account ${invited.email} is in use or disabled`)
}
