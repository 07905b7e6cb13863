import type { Actor } from '../../../core/domain/audit.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import type { Session } from '../../../core/domain/session.ts'
import type { Scope } from '../../../core/ports/common.ts'

/**
 * Who may call a route: some roles; `public`: anyone; `sign_in`: a caller with an API key in the body, not from another web site;
 * `events_token`: a caller with the token of a connection.
 */
export type Access = readonly Role[] | 'public' | 'sign_in' | 'events_token'

/** For lookups, which alert sources need too. */
export const anyRole: Access = ['intake', 'reader', 'analyst', 'admin']

export const posters: readonly Role[] = ['intake', 'analyst', 'admin']

/** They answer checkpoints, and start and cancel runs. */
export const operators: readonly Role[] = ['analyst', 'admin']

export const readers: readonly Role[] = ['reader', 'analyst', 'admin']

export const admins: readonly Role[] = ['admin']

/** Who calls. */
export interface Caller {
  readonly keyUuid: string
  /** When the key ends, in epoch milliseconds; null: never. */
  readonly expiresAt: number | null
  /** As records say it. */
  readonly actor: Actor
  readonly role: Role
  readonly scope: Scope
  /** Of a person who has signed in; undefined: the request carries the key itself. */
  readonly session: Session | undefined
}
