import type { Severity } from '../plugin/index.ts'

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

/** Every allowed transition. A retry leads from a final status back to Submitted. */
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

/** The fields that a caller sends. */
export interface NewAlert {
  /** Kept byte for byte. */
  readonly content: string
  readonly provider: string
  readonly organizationUuid: string
  /** Null: the alert is stored but not investigated. */
  readonly type: string | null
  /** Details of an alert, as far as they can be read from its content. */
  readonly createdAtSource: bigint | null
  /** Uuid of the API key. */
  readonly createdBy: string
}

/** Details of an alert, as far as they can be read from its content. */
export interface AlertFacts {
  /** In one line of at most 200 characters. */
  readonly title: string | null
  readonly severity: Severity | null
  /** When it happened at its source, in epoch milliseconds. */
  readonly occurredAt: number | null
  /** The source's own id of the alert, which it repeats if it sends the alert again. */
  readonly sourceId: string | null
}

export const noFacts: AlertFacts = { title: null, severity: null, occurredAt: null, sourceId: null }

/** An incoming event. */
export interface Alert extends NewAlert, AlertFacts {
  /** `<org code>-<provider>-<sequence>`; the sequence counts from 1 per organization and provider, without gaps. */
  readonly id: string
  readonly uuid: string
  readonly organizationCode: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  readonly status: AlertStatus
  readonly retryCount: number
  /** Set by the investigation; null before. */
  readonly investigator: string | null
  readonly caseId: string | null
  readonly completedAt: number | null
  /**
   * For a repeat: the first alert of its group, whose investigation and case it shares. Null if it is not a
   * repeat.
   */
  readonly groupedWith: string | null
  /** Why, phrased to follow "because"; null if it is not a repeat. */
  readonly groupedBecause: string | null
  /** Why it joined the case of earlier alerts, phrased to follow "because"; null if it did not. */
  readonly joinedBecause: string | null
}

/** The fields of the answer to a new alert that its investigation changes. */
export type AlertProgress = Pick<Alert, 'status' | 'retryCount' | 'modifiedAt'>

/**
 * Fields with their names in the API, in its order: those of every alert, and those that reading its content and
 * investigating it add. Stores derive their columns from the names of the fields.
 */
export const alertFields = {
  provider: 'alert_provider',
  organizationCode: 'organization_code',
  type: 'alert_type',
  createdAtSource: 'created_at_source',
  id: 'alert_id',
  uuid: 'alert_uuid',
  createdAt: 'created_at',
  modifiedAt: 'modified_at',
  createdBy: 'created_by',
  organizationUuid: 'organization_uuid',
  retryCount: 'investigation_retry_count',
  status: 'investigation_status',
} as const satisfies Partial<Record<keyof Alert, string>>

export const investigationFields = {
  title: 'title',
  severity: 'severity',
  occurredAt: 'occurred_at',
  sourceId: 'source_id',
  investigator: 'investigator',
  caseId: 'case_id',
  completedAt: 'completed_at',
  groupedWith: 'grouped_with',
  groupedBecause: 'grouped_because',
  joinedBecause: 'joined_because',
} as const satisfies Record<Exclude<keyof Alert, keyof typeof alertFields | 'content'>, string>

/** An alert before its investigation. */
export const notInvestigated = {
  ...noFacts,
  status: alertStatus.created,
  retryCount: 0,
  investigator: null,
  caseId: null,
  completedAt: null,
  groupedWith: null,
  groupedBecause: null,
  joinedBecause: null,
} as const satisfies Partial<Alert>

/** Maximum length of a preview, in characters. */
const shownCharacters = 200

/** Characters of the content that a preview reads; indented content has much white space to skip. */
const readCharacters = 4 * shownCharacters

/** The beginning of an alert's content in one line of at most 200 characters, shown in lists. */
export function contentPreview(content: string): string {
  const line = content.slice(0, readCharacters).replaceAll(/\s+/g, ' ').trim().slice(0, shownCharacters)
  // Removes half of a surrogate pair at the cut.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}
