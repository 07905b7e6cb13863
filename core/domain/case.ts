import type {
  AttachedFile,
  CaseChanges,
  CaseStatus,
  ClosingReason,
  Severity,
  Verdict,
} from '../plugin/index.ts'
import type { Mention } from '../case/mentions.ts'
import type { AuditRecord, Author } from './audit.ts'
import type { StoredError } from './run.ts'

/** Whether the account or API key that has a case or a task can still act. */
export type AssigneeState = 'active' | 'disabled'

/** The record of an investigation. */
export interface Case {
  /** `<org code>-<number>`, the number counting from 1 per organization. */
  readonly id: string
  readonly organizationUuid: string
  readonly title: string
  readonly summary: string
  readonly status: CaseStatus
  readonly severity: Severity
  readonly verdict: Verdict
  /** The present name of the person, or a text; null: not assigned. */
  readonly assignee: string | null
  /** Uuid of the account, or public id of the API key; null: `assignee` is a text. */
  readonly assigneeId: string | null
  /** Null: `assigneeId` is null. */
  readonly assigneeState: AssigneeState | null
  /** Null while it is not closed, and if nobody gave one. */
  readonly closingReason: ClosingReason | null
  /** What was done; empty while it is not closed. */
  readonly resolution: string
  /** Starts at 1 and rises with every change of the fields above. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  /** When it was last closed, in epoch milliseconds; null: it is not closed. */
  readonly closedAt: number | null
  /** When a person first acted on it or it was first closed, in epoch milliseconds; null: not yet. */
  readonly respondedAt: number | null
  /** When a person has to have acted on it, in epoch milliseconds; null: there is no target. See `CaseTargets`. */
  readonly respondDueAt: number | null
  /** When it has to be closed, in epoch milliseconds; null: there is no target. */
  readonly resolveDueAt: number | null
  /** The case into which a person merged it; null if it was not merged. */
  readonly mergedInto: string | null
  /** The case from which it was split; null if it was not split from a case. */
  readonly splitFrom: string | null
  /** Alerts and runs of the case that the retention policy deleted. */
  readonly alertsDeleted: number
  readonly runsDeleted: number
}

/** How a case can change, for waits of playbooks. */
export const caseChanges = [
  'opened',
  'closed',
  'reopened',
  'status_changed',
  'severity_changed',
  'verdict_changed',
  'assignee_changed',
] as const

/** What can happen to a case, for triggers of playbooks. `overdue`: it missed its next target time. */
export const caseEvents = [...caseChanges, 'mentioned', 'overdue'] as const
export type CaseEvent = (typeof caseEvents)[number]

/** A file of a case with its origin. */
export interface CaseAttachment extends AttachedFile {
  /** Epoch milliseconds. */
  readonly addedAt: number
  readonly addedBy: Author
  /** The type that its first bytes say; null: unknown. Attackers choose it, as they choose the name and the content type. */
  readonly detectedType: string | null
  /** When the content was withdrawn, or deleted by the retention policy, in epoch milliseconds; null: it is there. */
  readonly deletedAt: number | null
  /** Who withdrew it, and why; null: it was not withdrawn. */
  readonly deletedBy: Author | null
  readonly deletedReason: string | null
}

/** A person's changes; absent fields keep their values. */
export interface CaseEdit extends Omit<CaseChanges, 'assignee' | 'closingReason'> {
  /** Null removes the assignee. */
  readonly assignee?: string | null | undefined
  /** The person of `assignee`; absent: `assignee` is a text. */
  readonly assigneeId?: string | null | undefined
  readonly closingReason?: ClosingReason | null | undefined
}

/** Fields that people and playbooks change, with their names in the API. */
export const caseFieldNames = {
  title: 'title',
  summary: 'summary',
  status: 'status',
  severity: 'severity',
  verdict: 'verdict',
  assignee: 'assignee',
  closingReason: 'closing_reason',
  resolution: 'resolution',
} as const satisfies Readonly<Record<Exclude<keyof CaseEdit, 'assigneeId'>, string>>
type CaseField = keyof typeof caseFieldNames

/** Changed fields in the API. */
export type ApiCaseChanges = {
  readonly [Field in CaseField as (typeof caseFieldNames)[Field]]?: CaseEdit[Field]
} & { readonly assignee_id?: CaseEdit['assigneeId'] }

/** Targets of response times by severity, in milliseconds from the opening of a case; absent: none. */
export type CaseTargets = {
  readonly [Level in Severity]?: {
    /** Until a person first acts on it. */
    readonly respondMs?: number | undefined
    /** Until it is closed. */
    readonly resolveMs?: number | undefined
  }
}

export const caseEntryKinds = [
  'opened',
  'alert',
  'changed',
  'note',
  'decision',
  'action',
  'file',
  'run_ended',
  'merged',
  'split',
  'task',
  'link',
] as const
export type CaseEntryKind = (typeof caseEntryKinds)[number]

/** An entry of a case's timeline, also its form in the API. */
export interface CaseEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** Who, as in the audit log. Names are chosen by people; the kind and the id are not. */
  readonly actor: Author
  /** As in the audit log. */
  readonly request_id: AuditRecord['request_id']
  /**
   * `note`: of a person or playbook, or a remark of the server; `decision`: a person answered a question, decided about a step with
   * unknown outcome or extended a containment.
   */
  readonly kind: CaseEntryKind
  /** The note, or a sentence about the event; plain text. */
  readonly text: string
  /** For `changed`: the new values. */
  readonly changes: ApiCaseChanges | null
  /** For `action`: the action as known at this time. */
  readonly action: CaseAction | null
  /** For `note`: the people it mentions. */
  readonly mentions: readonly Mention[]
}

/**
 * The outcome of a destructive action: accepted by the other system (`status` may tell its progress), already
 * in effect before, failed without any change, or unknown.
 */
export const actionOutcomes = ['accepted', 'unchanged', 'failed', 'unknown'] as const
export type ActionOutcome = (typeof actionOutcomes)[number]

/** A destructive action, such as an isolation, also its form in the API. Without sensitive values. */
export interface CaseAction {
  readonly skill: string
  /** The run, its playbook and the path of the step. */
  readonly run_uuid: string
  readonly playbook: string
  readonly path: string
  readonly step_id: string | null
  /** Input of the skill; null if it is too large for a case. */
  readonly input: Readonly<Record<string, unknown>> | null
  /** An id in the input, with the name that the other system has for it, such as the name of a machine; undefined: not known. */
  readonly target?: { readonly id: string; readonly name: string } | undefined
  readonly outcome: ActionOutcome
  /** The other system's word for its state, e.g. `Pending`; null if it gives none. */
  readonly status: string | null
  readonly error: Pick<StoredError, 'code' | 'message'> | null
  /** Decisions of people before the action, oldest first. */
  readonly decisions: readonly ActionDecision[]
  /** Epoch milliseconds. */
  readonly started_at: number
  /** When its outcome became known or was found to be unknown, in epoch milliseconds. */
  readonly at: number
}

export interface ActionDecision {
  /**
   * `approval`: of this action, because it exceeded a limit; `answer`: to an earlier question of the run;
   * `resolution`: a person's decision about the unknown outcome of the step.
   */
  readonly kind: 'approval' | 'answer' | 'resolution'
  readonly by: Author
  /** The chosen answer; null for a form. */
  readonly answer: string | null
  /** Path of the step that asked. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Something to do in a case. */
export interface CaseTask {
  readonly uuid: string
  readonly title: string
  /** Null: not assigned yet. */
  readonly owner: string | null
  /** As `assigneeId` and `assigneeState` of a case. */
  readonly ownerId: string | null
  readonly ownerState: AssigneeState | null
  /** Epoch milliseconds; null: any time. */
  readonly dueAt: number | null
  /** Starts at 1 and rises with each edit. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdBy: Author
  /** Epoch milliseconds; null: to do. */
  readonly doneAt: number | null
  readonly doneBy: Author | null
}

/** The kinds of links that people make, and what each is called from the other case. */
export const caseLinkKinds = ['related', 'duplicate_of'] as const
export type CaseLinkKind = (typeof caseLinkKinds)[number]

/** Another case that is linked with this one, also its form in the API. */
export interface CaseLink {
  readonly case_id: string
  readonly title: string
  readonly status: CaseStatus
  readonly severity: Severity
  /** `duplicated_by`: the other case was said to be a duplicate of this one. */
  readonly kind: CaseLinkKind | 'duplicated_by'
  /** Epoch milliseconds. */
  readonly at: number
  readonly by: Author
}
