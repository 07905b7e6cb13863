import type {
  Containment,
  ContainmentState,
  Extension,
  ExpiryOutcome,
  StandingState,
} from '../../destructive/containment.ts'
import type { DueCheck } from '../../destructive/checks/containment-state.ts'
import type { StateCheck } from '../../destructive/checks/state-checks.ts'
import type { Actor } from '../../domain/audit.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

export interface ContainmentFilter {
  /** Default: all. */
  readonly states?: readonly ContainmentState[] | undefined
  /** Id of a case; its letter case is ignored. */
  readonly caseId?: string | undefined
  /** Uuid of the run that contains. */
  readonly runUuid?: string | undefined
}

/** Counts of the containments that stand. */
export interface StandingContainments {
  readonly byState: Readonly<Record<StandingState, number>>
  /** Age of the oldest in milliseconds; 0 if there is none. */
  readonly oldestMs: number
  /** Those whose last check failed. */
  readonly failedChecks: number
}

/** Actions that stay in effect until they are undone. The journal store records them with the outcomes of calls. */
export interface ContainmentStore {
  /** Newest first by default. */
  list(scope: OrganizationScope, page: ListRequest, filter: ContainmentFilter): Promise<ListPage<Containment>>
  find(scope: OrganizationScope, id: string): Promise<Containment | undefined>
  /** The input of the call that undoes it; undefined if it is unknown. */
  undoInput(id: string): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Containments that expired at this time or before and are not being undone, oldest expiry first. */
  due(now: number, limit: number): Promise<readonly Containment[]>
  /** The earliest expiry of a containment that is to be undone then; undefined: none. */
  nextExpiry(): Promise<number | undefined>
  /** Calls this whenever `nextExpiry` may have become earlier. */
  watchExpiry(onChanged: () => void): void
  /**
   * Records that a containment was not undone at its expiry, also in the timeline of its case. False: it no longer expires at
   * that time, and nothing changed.
   */
  settleExpiry(id: string, expiresAt: number, outcome: ExpiryOutcome): Promise<boolean>
  /** Counts of the containments that stand, of all organizations. */
  standing(): Promise<StandingContainments>
  /** Containments whose state is to be read at this time, the most overdue first. */
  dueChecks(now: number, limit: number): Promise<readonly DueCheck[]>
  /**
   * Records a check, and its end in the timeline of its case. Has no effect if the containment has changed since `changedAt`, or had
   * not settled when the check began (see `mayCount`).
   *
   * @param periodMs time until the next check
   */
  noteCheck(id: string, changedAt: number, check: StateCheck, periodMs: number): Promise<void>
  /** Changes the expiry; audited. Throws what `afterExtension` throws. */
  extend(id: string, extension: Extension, by: Actor): Promise<Containment>
}
