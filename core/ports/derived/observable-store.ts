import type { ObservableKey } from '../../observable/normalize-observable.ts'
import type { CountedInCases } from '../../observable/related-cases.ts'
import type { IndexedFinding, RunObservables } from '../../observable/run-observables.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

/** An alert that is not indexed yet. */
export interface UnindexedAlert {
  readonly row: number
  readonly content: string
}

/** A run whose journal is not indexed yet, or has more steps since. */
export interface UnindexedRun {
  readonly row: number
  readonly uuid: string
}

/** An observable in one organization. */
export interface SeenObservable extends ObservableKey {
  readonly organizationUuid: string
  readonly organizationCode: string
  /** Times of its first and last alert or run, in epoch milliseconds. The retention policy may have deleted the first ones. */
  readonly firstAt: number
  readonly lastAt: number
  readonly alerts: number
  readonly cases: number
  /** Runs that extracted it or looked it up. */
  readonly runs: number
}

export interface ObservableFilter {
  readonly kind?: ObservableKey['kind'] | undefined
  /** Exactly this value, as the index spells it. */
  readonly value?: string | undefined
  /** Beginning of the value. */
  readonly prefix?: string | undefined
}

/** A finding with its run. */
export interface SeenFinding extends IndexedFinding {
  readonly runUuid: string
  readonly organizationUuid: string
  readonly caseId: string | null
}

/** Another case of the organization with the same observables. */
export interface RelatedCase {
  readonly caseId: string
  readonly title: string
  readonly status: string
  readonly severity: string
  readonly verdict: string
  readonly createdAt: number
  /** The rarest of them, and the number of all. */
  readonly shared: readonly ObservableKey[]
  readonly sharedTotal: number
}

/**
 * The observables of alerts and runs. They are indexed in the background, after the write that stores the alert or the run: each is
 * counted once, also after a crash, and an index from before is completed at the start.
 */
export interface ObservableStore {
  /** The next alerts, oldest first. Fewer if they are large, but at least one if any is left. */
  nextAlerts(limit: number): Promise<readonly UnindexedAlert[]>
  indexAlerts(
    found: readonly { readonly row: number; readonly observables: readonly ObservableKey[] }[],
  ): Promise<void>
  /** The next runs: first those that are not indexed, oldest first, then those that have ended since they were indexed. */
  nextRuns(limit: number): Promise<readonly UnindexedRun[]>
  indexRun(row: number, found: RunObservables): Promise<void>
  /** Corrects the counts of cases for alerts and runs that belong to another case now. Gives their number, at most `limit`. */
  followMoves(limit: number): Promise<number>
  /** Alerts and runs that are not indexed. */
  countUnindexed(): Promise<number>
  /** In the order in which they were first indexed, newest first. */
  list(
    scope: OrganizationScope,
    filter: ObservableFilter,
    page: ListRequest,
  ): Promise<ListPage<SeenObservable>>
  /** Newest first; of all observables in the order in which they were indexed. */
  findings(
    scope: OrganizationScope,
    observable: ObservableKey | undefined,
    page: ListRequest,
  ): Promise<ListPage<SeenFinding>>
  /** How many cases have each of these, in their order. */
  countCases(scope: OrganizationScope, observables: readonly ObservableKey[]): Promise<readonly number[]>
  /** The observables of an alert (uuid) or a case (id), in the order in which they were indexed. */
  ofAlert(uuid: string): Promise<readonly ObservableKey[]>
  ofCase(organizationUuid: string, caseId: string, limit: number): Promise<readonly ObservableKey[]>
  /**
   * Cases with the most observables in common, then the newest.
   *
   * @param relating chooses the observables that relate cases
   */
  related(
    organizationUuid: string,
    caseId: string,
    relating: <T extends CountedInCases>(observables: readonly T[]) => readonly T[],
    limit: number,
  ): Promise<readonly RelatedCase[]>
}
