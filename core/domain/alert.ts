/** Values of `investigation_status` (spec section 3). */
export const alertStatus = { created: 0, submitted: 5, inProgress: 10, completed: 15, failed: 20 } as const
export type AlertStatus = (typeof alertStatus)[keyof typeof alertStatus]

/** Names shown for the values (spec section 3). */
export const alertStatusNames: Readonly<Record<AlertStatus, string>> = {
  0: 'Created',
  5: 'Submitted',
  10: 'InProgress',
  15: 'Completed',
  20: 'Failed',
}

/** Every move there is. A retry leads from an end back to Submitted. */
export const alertStatusMoves: Readonly<Record<AlertStatus, readonly AlertStatus[]>> = {
  0: [5],
  5: [10],
  10: [15, 20],
  15: [5],
  20: [5],
}

export function mayMove(from: AlertStatus, to: AlertStatus): boolean {
  return alertStatusMoves[from].includes(to)
}

/** What a caller gives. */
export interface NewAlert {
  /** Kept byte for byte. */
  readonly content: string
  readonly provider: string
  readonly organizationUuid: string
  /** Absent: the alert is stored and not investigated. */
  readonly type: string | null
  /** Exactly as the source wrote it, an int64; its unit is the source's. */
  readonly createdAtSource: bigint | null
  /** Uuid of the API key. */
  readonly createdBy: string
}

/** An incoming event. */
export interface Alert extends NewAlert {
  /** `<org code>-<provider>-<sequence>`; the sequence counts from 1 per organization and provider, without gaps. */
  readonly id: string
  readonly uuid: string
  readonly organizationCode: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  readonly status: AlertStatus
  readonly retryCount: number
  /** What the investigation adds; null until it has. */
  readonly investigator: string | null
  readonly caseId: string | null
  readonly completedAt: number | null
  /** Of a repeat, the alert whose investigation and case are its own too; null for one that stands for itself. */
  readonly groupedWith: string | null
  /** Why, in words that go on from "because"; null where it is no repeat. */
  readonly groupedBecause: string | null
}

/** Characters of a preview, at most. */
const shownCharacters = 200

/** Characters of a content that are looked at: one that is indented has much blank space between what is shown. */
const readCharacters = 4 * shownCharacters

/** The beginning of an alert's content in one line of 200 characters at most, to recognize it by in a list. */
export function contentPreview(content: string): string {
  const line = content.slice(0, readCharacters).replaceAll(/\s+/g, ' ').trim().slice(0, shownCharacters)
  // The first half of a character that was cut in two.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}
