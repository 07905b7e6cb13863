import type { SessionLimits } from '../domain/session.ts'

/**
 * Deletes what is kept no longer: with each call a little, in one write, so that whoever writes meanwhile waits for milliseconds. The same write
 * records in the audit log, for each organization, how many runs and alerts it was, with the rule.
 */
export interface RetentionStore {
  /**
   * What is over and nobody has cleared away: sessions, answers and alerts of requests with an idempotency key, calls of other systems that were
   * taken, groups of repeats, uses of destructive skills. True: more may be left.
   */
  clearOutlived(sessions: SessionLimits): Promise<boolean>
  /**
   * Prunes runs that ended by then: their journals, questions with answers, inputs and outputs are deleted. A run stays,
   * marked, where it has an alert or a case. None is pruned with an open case, or one that was changed since; with a step whose outcome is unknown;
   * or while a run that goes on from it is not.
   */
  pruneRuns(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece>
  /**
   * Deletes alerts that were last changed by then and are not under investigation, with their runs. None is deleted with an
   * open case, or one that was changed since; while repeats may still join it or follow it; or with a run that could not be pruned. Ids are not
   * given again, and cases stay, which count what they lost.
   */
  pruneAlerts(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece>
}

/** What is kept no longer. */
export interface RetentionRule {
  /** By then it was over, in epoch milliseconds. */
  readonly before: number
  /** Who says so: the setting with its value, for the audit log. */
  readonly setting: string
}

/** How far the work has come. */
export interface PrunePlace {
  readonly at: number
  readonly row: number
}

export interface PrunedPiece {
  /** How many runs were pruned. */
  readonly runs: number
  /** How many alerts were deleted. */
  readonly alerts: number
  /** Where to go on; undefined: this was all. */
  readonly next: PrunePlace | undefined
}
