import type { DestructiveClass } from '../plugin/index.ts'

/** Uses of one class of destructive skills in an organization within an hour that begin without an approval, if nothing else is set. */
export const defaultDestructivePerHour = 10
export const maxDestructivePerHour = 1_000_000

/** Uses are counted over an hour. */
export const destructiveWindowMs = 3_600_000

/** How many uses of each class may begin within an hour without an approval. */
export type DestructiveLimits = Readonly<Record<DestructiveClass, number>>

/** What an organization sets for itself; the server's limit holds for every other class. */
export type OwnDestructiveLimits = Readonly<Partial<DestructiveLimits>>

/** Why uses did not begin: together with those of the last hour they exceed the limit. */
export interface HeldUse {
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** That would have begun now. */
  readonly wanted: number
  readonly limit: number
}

/** How the destructive skills of one class are used in an organization. */
export interface DestructiveUses {
  readonly organizationUuid: string
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** Uses that wait for an approval. */
  readonly held: number
}
