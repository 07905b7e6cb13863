import type { SessionLimits } from '../domain/session.ts'

/**
 * Deletes data after its retention period in small writes, so that other writes wait for milliseconds only. The same write records
 * the number of deleted runs and alerts of each organization in the audit log.
 */
export interface RetentionStore {
  /**
   * Deletes expired sessions, idempotency keys, received webhook calls, groups of repeats, uses of
   * destructive skills, starts that no rate limit counts any more, contents without a file, and expired
   * entries of states. True: more may be left.
   */
  clearExpired(sessions: SessionLimits): Promise<boolean>
  /**
   * Prunes runs that ended by then: deletes their journals, questions, inputs and outputs, and the run itself unless it has an
   * alert or a case. Also deletes states that were last changed by then, of playbooks that were removed by then. Keeps a run with an open or later changed case, with a step of unknown outcome, or with a retry that is not
   * pruned.
   */
  pruneRuns(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece>
  /**
   * Deletes alerts that were last changed by then, with their runs. Keeps an alert under investigation, with an open or later
   * changed case, with repeats that may join or follow it, or with a run that cannot be pruned. Ids are not reused; cases remain
   * and count what they lost.
   */
  pruneAlerts(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece>
  /**
   * Deletes the contents of files whose case is closed and was last changed by then. The case keeps their names and hashes; a
   * content that another case has stays. `clearExpired` frees the space.
   */
  pruneFiles(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece>
}

/** What to delete. */
export interface RetentionRule {
  /** Epoch milliseconds. */
  readonly before: number
  /** The setting with its value, for the audit log. */
  readonly setting: string
}

/** Position of the work. */
export interface PrunePlace {
  readonly at: number
  readonly row: number
}

export interface PrunedPiece {
  /** Number of pruned runs. */
  readonly runs: number
  /** Number of deleted alerts. */
  readonly alerts: number
  /** Number of deleted files. */
  readonly files: number
  /** Start of the next piece; undefined: nothing is left. */
  readonly next: PrunePlace | undefined
}
