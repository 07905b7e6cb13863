import type { CaseChanges, CaseStatus, Severity, Verdict } from '../plugin/index.ts'
import type { AuditRecord, Author } from './audit.ts'
import type { StoredError } from './run.ts'

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
  readonly kind: 'opened' | 'alert' | 'changed' | 'note' | 'action' | 'run_ended'
  /** The note or a sentence; plain text. */
  readonly text: string
  /** For `changed`: the new values. */
  readonly changes: CaseEdit | null
  /** For `action`: what is known of it by then. */
  readonly action: CaseAction | null
}

/**
 * How the use of a destructive skill ended: the other system accepted it (`status` may say how far it is); it was in effect before; it failed and is known to have changed
 * nothing; or nobody can tell whether it took effect.
 */
export const actionOutcomes = ['accepted', 'unchanged', 'failed', 'unknown'] as const
export type ActionOutcome = (typeof actionOutcomes)[number]

/** One use of a destructive skill, such as an isolation; shown over the API as it is. Without what is sensitive. */
export interface CaseAction {
  readonly skill: string
  /** Of the run that did it, with its playbook and the place of the step. */
  readonly run_uuid: string
  readonly playbook: string
  readonly path: string
  readonly step_id: string | null
  /** What the skill was given; null where it is too large for a case. */
  readonly input: Readonly<Record<string, unknown>> | null
  readonly outcome: ActionOutcome
  /** What the other system calls the state of it, e.g. `Pending`; null where it says none. */
  readonly status: string | null
  readonly error: Pick<StoredError, 'code' | 'message'> | null
  /** What people decided before it, oldest first. */
  readonly decisions: readonly ActionDecision[]
  /** Epoch milliseconds. */
  readonly started_at: number
  /** When its outcome was known, or was found to be unknown; epoch milliseconds. */
  readonly at: number
}

export interface ActionDecision {
  /**
   * `approval`: of this use, where it exceeded a limit; `answer`: to a question that the run asked before it; `resolution`: what became of
   * the step, whose outcome was unknown.
   */
  readonly kind: 'approval' | 'answer' | 'resolution'
  readonly by: Author
  /** In words; null for a form. */
  readonly answer: string | null
  /** Of the step that asked. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
}
