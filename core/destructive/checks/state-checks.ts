import type { StoredError } from '../../domain/run.ts'

/**
 * What a check of the other system says about a containment: it is in effect, it is not, or neither, e.g. because the other system
 * is still working on it.
 */
export const seenStates = ['contained', 'released', 'unclear'] as const
export type SeenState = (typeof seenStates)[number]

/**
 * Who ended a containment: a call of Tocsin, somebody outside of Tocsin, or one of the two, because a call with unknown outcome may
 * have undone it.
 */
export const endings = ['call', 'outside', 'unknown'] as const
export type EndedBy = (typeof endings)[number]

/** What the checks of a containment found. */
export interface StateChecks {
  /** What the last successful check says; null: none was successful. */
  readonly stateSeen: SeenState | null
  /** When the first of the consecutive checks began that say so. */
  readonly seenSince: number | null
  /** When the last check ended, successful or not; null: never. */
  readonly stateCheckedAt: number | null
  /** Why the last check failed; null: it did not. */
  readonly stateError: Pick<StoredError, 'code' | 'message'> | null
}

/** The result of a check. */
export type StateCheck = { readonly startedAt: number } & (
  { readonly seen: SeenState } | { readonly error: Pick<StoredError, 'code' | 'message'> }
)

/** The containing call of a containment. */
export interface ContainingCall {
  readonly input: unknown
  /** Absent: unknown. */
  readonly output?: unknown
}
