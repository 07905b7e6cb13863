import type { JudgedShadow, QueuedShadow, ShadowOutcome, ShadowResult } from '../../shadow/shadow-result.ts'
import type { WatchedShadow } from '../../shadow/shadow-rules.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

/** Results of a shadow. Times are epoch milliseconds of `queuedAt`. */
export interface ShadowFilter {
  readonly playbookName: string
  /** Only what this version decided, and what no version has judged. Default: all. */
  readonly playbookHash?: string | undefined
  /** From this time on. Default: all. */
  readonly from?: number | undefined
  /** Before this time. Default: all. */
  readonly until?: number | undefined
  /** Default: all, also those that wait. */
  readonly outcome?: ShadowOutcome | undefined
}

/** Alerts on which shadows are judged, with the results. They are deleted with the steps of their run. */
export interface ShadowStore {
  /**
   * From now on, each run of an alert that one of these shadows is judged on is queued in the write that ends the run, and
   * `onQueued` is called during that write.
   */
  watch(shadows: readonly WatchedShadow[], onQueued: () => void): void
  /** The oldest waiting alerts, the organizations in turn. */
  waiting(limit: number): Promise<readonly QueuedShadow[]>
  /** Number of waiting alerts. */
  countWaiting(scope: OrganizationScope, playbookName: string): Promise<number>
  /** Records an attempt, and gives the number of attempts. Undefined: the alert no longer waits. */
  begin(queued: QueuedShadow): Promise<number | undefined>
  /** Does nothing if the alert no longer waits for this run. */
  finish(queued: QueuedShadow, judged: JudgedShadow): Promise<void>
  /** The shadow is not judged on this alert after all. */
  remove(queued: QueuedShadow): Promise<void>
  /** By the end of the run; newest first by default. */
  list(scope: OrganizationScope, page: ListRequest, filter: ShadowFilter): Promise<ListPage<ShadowResult>>
  /** The newest results, at most `limit`. */
  newest(scope: OrganizationScope, filter: ShadowFilter, limit: number): Promise<readonly ShadowResult[]>
  /** The result for an alert, with its `detail`. */
  find(
    scope: OrganizationScope,
    playbookName: string,
    alertId: string,
  ): Promise<{ readonly result: ShadowResult; readonly detail: unknown } | undefined>
}
