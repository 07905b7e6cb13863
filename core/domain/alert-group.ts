/**
 * Decides whether an alert is a repeat: the first alert with a fingerprint opens a group, and later ones
 * within its window join.
 */
export interface GroupOfAlert {
  /** SHA-256 of the organization and the values that repeats share. */
  readonly fingerprint: Uint8Array
  /** Why an alert is a repeat, phrased to follow "because". */
  readonly reason: string
  /** Milliseconds after the first alert. */
  readonly windowMs: number
}

export interface NewGroup extends GroupOfAlert {
  /** Title of the case if the first alert, given by its id, has none yet. */
  readonly caseTitle: (alertId: string) => string
}

/** The current state of a group. */
export interface AlertGroup {
  readonly organizationUuid: string
  /** The first alert of the group. */
  readonly alertId: string
  readonly caseId: string | null
  /** Of the first alert. */
  readonly type: string | null
  /** See `NewGroup`; null if an earlier version began the group. */
  readonly reason: string | null
  /** Number of alerts, including the first. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly beginsAt: number
  readonly endsAt: number
  /** When the newest repeat arrived. */
  readonly lastAt: number
}

/** The default window: an hour. */
export const defaultGroupWindowMs = 3_600_000
