import type { CaseChanges, CaseStatus, Severity, Verdict } from '../plugin/index.ts'
import type { AuditRecord, Author } from './audit.ts'

/** What an investigation opens. */
export interface Case {
  /** `<org code>-<number>`, the number counting from 1 per organization. */
  readonly id: string
  readonly organizationUuid: string
  readonly title: string
  readonly summary: string
  readonly status: CaseStatus
  readonly severity: Severity
  readonly verdict: Verdict
  readonly assignee: string | null
  /** From 1; rises with every change of the fields above. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  /** How many of its alerts and runs are kept no longer. */
  readonly alertsDeleted: number
  readonly runsDeleted: number
}

/** What a person changes; absent fields stay as they are. */
export interface CaseEdit extends Omit<CaseChanges, 'assignee'> {
  /** Null: nobody. */
  readonly assignee?: string | null | undefined
}

/** One line of a case's timeline; shown over the API as it is. */
export interface CaseEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** Who, as in the audit log. A name is what somebody chose; the kind and the id are not. The id of an API key is empty where an earlier version did not keep it. */
  readonly actor: Author
  /** As in the audit log. */
  readonly request_id: AuditRecord['request_id']
  readonly kind: 'opened' | 'alert' | 'changed' | 'note' | 'run_ended'
  /** The note or a sentence; plain text. */
  readonly text: string
  /** For `changed`: the new values. */
  readonly changes: CaseEdit | null
}
