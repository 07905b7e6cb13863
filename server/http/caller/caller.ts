import type { Account } from '../../../core/access/account.ts'
import { accessPermissions, type AccessPermission } from '../../../core/access/permissions.ts'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { isInScope } from '../../../core/common/scope.ts'
import type { Session } from '../../../core/domain/session.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { RequestError } from '../request/request-error.ts'

/**
 * Who may call a route: those with a permission; `self`: every caller; `public`: anyone; `sign_in`: credentials in the body, same-site
 * only; `events_token`: the token of a connection; `logout_token`: a token that the identity provider has signed.
 */
export type RouteAccess = AccessPermission | 'self' | 'public' | 'sign_in' | 'events_token' | 'logout_token'

/** The permission that a route needs; undefined: none. */
export const permissionFor = (access: RouteAccess): AccessPermission | undefined =>
  Object.hasOwn(accessPermissions, access) ? (access as AccessPermission) : undefined

/** Whether a route needs an API key or a session. */
export const needsCaller = (access: RouteAccess): boolean =>
  access === 'self' || permissionFor(access) !== undefined

export interface Caller {
  /** Of the API key or the account. */
  readonly uuid: string
  /** Expiry of the key in epoch milliseconds; null: never. */
  readonly expiresAt: number | null
  /** As the audit log records it. */
  readonly actor: Actor
  readonly grants: readonly Grant[]
  /** Organizations in which the caller has the permission of the route. */
  readonly scope: OrganizationScope
  /** Undefined: the request carries an API key. */
  readonly session: Session | undefined
  /** Undefined: an API key calls. */
  readonly account: Account | undefined
  /** As it was when the request began; undefined: a person calls. */
  readonly key?: ApiKey | undefined
}

/** A role and the organizations in which the caller has it. */
export interface Grant {
  /** Built in or custom. */
  readonly role: string
  readonly permissions: readonly AccessPermission[]
  readonly scope: OrganizationScope
}

/** The organizations in which the caller has a permission; undefined: none. */
export const scopeOf = (
  grants: readonly Grant[],
  permission: AccessPermission,
): OrganizationScope | undefined =>
  joinedScope(grants.filter((grant) => grant.permissions.includes(permission)))

/** The names of the caller's roles that have a permission in an organization. */
export const rolesWithPermission =
  ({ grants }: Pick<Caller, 'grants'>, permission: AccessPermission) =>
  (organizationUuid: string): readonly string[] =>
    grants.flatMap(({ role, permissions, scope }) =>
      permissions.includes(permission) && isInScope(scope, organizationUuid) ? [role] : [],
    )

/** The organizations in which the caller has a role; undefined: none. */
export function joinedScope(grants: readonly Grant[]): OrganizationScope | undefined {
  if (grants.length === 0) return undefined
  const lists = grants.map(({ scope }) => scope).filter((scope) => scope !== 'all')
  return lists.length < grants.length ? 'all' : [...new Set(lists.flat())]
}

/**
 * Nobody gives more than they have.
 *
 * @param organizationUuid null: in all organizations
 * @throws RequestError `permission_exceeded`
 */
export function requireMayGive(
  { grants }: Pick<Caller, 'grants'>,
  given: readonly AccessPermission[],
  organizationUuid: string | null,
): void {
  const missing = given.find((permission) => {
    const scope = scopeOf(grants, permission) ?? []
    return scope !== 'all' && (organizationUuid === null || !scope.includes(organizationUuid))
  })
  if (missing === undefined) return
  throw new RequestError('permission_exceeded', `You do not have the permission '${missing}' there.`, {
    hint: 'ask somebody who has it',
  })
}
