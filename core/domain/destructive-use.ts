import type { DestructiveClass } from '../plugin/index.ts'

/** The default limit: destructive actions of one class per hour and organization that need no approval. */
export const defaultDestructivePerHour = 10
export const maxDestructivePerHour = 1_000_000

/** The window in which actions are counted: an hour. */
export const destructiveWindowMs = 3_600_000

/** Actions of each class per hour that need no approval. */
export type DestructiveLimits = Readonly<Record<DestructiveClass, number>>

/** An organization's own limits; the server's limits apply to all other classes. */
export type OwnDestructiveLimits = Readonly<Partial<DestructiveLimits>>

/** Why actions wait: together with those of the last hour they exceed the limit. */
export interface ExceededLimit {
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** Actions that wait to begin. */
  readonly wanted: number
  readonly limit: number
}

/** An organization's use of one class of destructive skills. */
export interface DestructiveUses {
  readonly organizationUuid: string
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** Uses that wait for an approval. */
  readonly held: number
}
