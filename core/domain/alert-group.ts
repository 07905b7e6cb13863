/** What an alert may be a repeat of: the first alert with the same fingerprint opens a group, and those that follow in time join it. */
export interface NewGroup {
  /** SHA-256 of what repeats have in common, of one organization. */
  readonly fingerprint: Uint8Array
  /** Why a repeat is one, in words that go on from "because". */
  readonly reason: string
  /** Milliseconds, from the first alert on. */
  readonly windowMs: number
  /** Of the case of the first alert, by the id of that, where it has none yet. */
  readonly caseTitle: (alertId: string) => string
}

/** A group as it is now. */
export interface AlertGroup {
  readonly organizationUuid: string
  /** The alert that its repeats are grouped with. */
  readonly alertId: string
  readonly caseId: string | null
  /** Alerts, the first one included. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly beginsAt: number
  readonly endsAt: number
  /** When the newest repeat came. */
  readonly lastAt: number
}

/** Where a group is not told otherwise: an hour. */
export const defaultGroupWindowMs = 3_600_000
