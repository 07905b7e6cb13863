import type { Account } from '../../../core/access/account.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import type { Session } from '../../../core/domain/session.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'

/**
 * Who may call a route: some roles; `public`: anyone; `sign_in`: API key in the body, same-site only;
 * `events_token`: the token of a connection; `logout_token`: a token that the identity provider has signed.
 */
export type RouteAccess = readonly Role[] | 'public' | 'sign_in' | 'events_token' | 'logout_token'

/** For lookups, which alert sources also need. */
export const anyRole: readonly Role[] = ['intake', 'reader', 'analyst', 'admin']

export const posters: readonly Role[] = ['intake', 'analyst', 'admin']

/** Roles that answer checkpoints, and start and cancel runs. */
export const operators: readonly Role[] = ['analyst', 'admin']

export const readers: readonly Role[] = ['reader', 'analyst', 'admin']

export const admins: readonly Role[] = ['admin']

export interface Caller {
  /** Of the API key or the account. */
  readonly uuid: string
  /** Expiry of the key in epoch milliseconds; null: never. */
  readonly expiresAt: number | null
  /** As the audit log records it. */
  readonly actor: Actor
  readonly grants: readonly Grant[]
  /** Organizations in which the caller has a role that the route allows. */
  readonly scope: OrganizationScope
  /** Undefined: the request carries an API key. */
  readonly session: Session | undefined
  /** Undefined: an API key calls. */
  readonly account: Account | undefined
}

/** A role and the organizations in which the caller has it. */
export interface Grant {
  readonly role: Role
  readonly scope: OrganizationScope
}

/** The organizations in which the caller has one of these roles; undefined: none. */
export function scopeOf(grants: readonly Grant[], roles: readonly Role[]): OrganizationScope | undefined {
  const scopes = grants.flatMap(({ role, scope }) => (roles.includes(role) ? [scope] : []))
  if (scopes.length === 0) return undefined
  const lists = scopes.filter((scope) => scope !== 'all')
  return lists.length < scopes.length ? 'all' : [...new Set(lists.flat())]
}
