import type { Actor } from '../../../core/domain/audit.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import type { Session } from '../../../core/domain/session.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'

/**
 * Who may call a route: some roles; `public`: anyone; `sign_in`: API key in the body, same-site only;
 * `events_token`: the token of a connection.
 */
export type RouteAccess = readonly Role[] | 'public' | 'sign_in' | 'events_token'

/** For lookups, which alert sources also need. */
export const anyRole: RouteAccess = ['intake', 'reader', 'analyst', 'admin']

export const posters: readonly Role[] = ['intake', 'analyst', 'admin']

/** Roles that answer checkpoints, and start and cancel runs. */
export const operators: readonly Role[] = ['analyst', 'admin']

export const readers: readonly Role[] = ['reader', 'analyst', 'admin']

export const admins: readonly Role[] = ['admin']

export interface Caller {
  readonly keyUuid: string
  /** Expiry of the key in epoch milliseconds; null: never. */
  readonly expiresAt: number | null
  /** As the audit log records it. */
  readonly actor: Actor
  readonly role: Role
  readonly scope: OrganizationScope
  /** Undefined: the request carries an API key. */
  readonly session: Session | undefined
}
