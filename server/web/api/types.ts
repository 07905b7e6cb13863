/** What the API answers, as far as the page shows it (`docs/api.md`, `schemas/`). Times are epoch milliseconds. */

export interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
  readonly total: number
}

export type Role = 'admin' | 'analyst' | 'reader' | 'intake'

export interface Session {
  readonly key_id: string
  readonly key_name: string
  readonly role: Role
  /** Null: all. */
  readonly organization_codes: readonly string[] | null
}

export interface Alert {
  readonly alert_id: string
  readonly alert_uuid: string
  readonly alert_provider: string
  readonly organization_code: string
  readonly alert_type: string | null
  /** Absent in lists that do not ask for it. */
  readonly alert_content?: string
  /** In lists that ask for it: the beginning of the content in one line. */
  readonly content_preview?: string
  /** Text where it is beyond 2^53. */
  readonly created_at_source: number | string | null
  readonly created_at: number
  readonly modified_at: number
  readonly investigation_status: number
  readonly investigation_retry_count: number
  readonly investigator: string | null
  readonly case_id: string | null
  readonly completed_at: number | null
  /** Id of the alert that it repeats, and why it was grouped with it. */
  readonly grouped_with: string | null
  readonly grouped_because: string | null
  readonly runs?: readonly Run[]
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'

export interface StoredError {
  readonly code: string
  readonly message: string
  readonly hint?: string | null
  readonly step?: string | null
}

export interface Run {
  readonly run_uuid: string
  readonly organization_code: string
  readonly playbook: string
  readonly playbook_hash: string
  readonly alert_id: string | null
  readonly case_id: string | null
  readonly status: RunStatus
  readonly created_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly cancellation: { readonly actor: Actor; readonly at: number } | null
  readonly error: StoredError | null
  readonly retry_of: string | null
  /** The run that goes on from this one. */
  readonly retried_by: string | null
  /** When its steps, inputs and output were deleted; null: they are there. */
  readonly pruned_at: number | null
}

export type StepState = 'started' | 'unknown' | 'completed' | 'failed' | 'skipped'

export interface FailedAttempt {
  readonly attempt: number
  readonly started_at: number
  readonly ended_at: number
  readonly retry_at: number | null
  readonly error: StoredError
}

export interface Step {
  readonly path: string
  readonly step_id: string | null
  readonly kind: string
  readonly state: StepState
  readonly attempt: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly input: unknown
  readonly output: unknown
  readonly error: StoredError | null
  readonly resolution: { readonly decision: string; readonly actor: Actor; readonly at: number } | null
  readonly carried_from: string | null
  readonly failed_attempts: readonly FailedAttempt[]
}

export interface RunDetail extends Run {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly output: unknown
  readonly steps: readonly Step[]
  /** More than `steps` has, where they do not fit into one answer. */
  readonly steps_total: number
}

export type Severity = 'informational' | 'low' | 'medium' | 'high' | 'critical'
export type Verdict = 'unknown' | 'benign' | 'suspicious' | 'malicious'
export type CaseStatus = 'open' | 'in_progress' | 'closed'

export interface Case {
  readonly case_id: string
  readonly organization_code: string
  readonly title: string
  readonly summary: string
  readonly status: CaseStatus
  readonly severity: Severity
  readonly verdict: Verdict
  readonly assignee: string | null
  /** Kept no longer. */
  readonly alerts_deleted: number
  readonly runs_deleted: number
  readonly created_at: number
  readonly modified_at: number
}

/** What people may change of a case. */
export type CaseChange = Partial<
  Pick<Case, 'title' | 'summary' | 'status' | 'severity' | 'verdict' | 'assignee'>
>

/** Who did something: what somebody chose as a name says nothing about the kind. */
export interface Actor {
  readonly kind: string
  /** Of an API key empty where it was not kept. */
  readonly id: string
  readonly name: string
}

export interface CaseEntry {
  readonly at: number
  readonly actor: Actor
  readonly kind: string
  readonly text: string
  readonly changes: Readonly<Record<string, unknown>> | null
}

/** One use of a destructive skill. */
export interface CaseAction {
  readonly skill: string
  readonly run_uuid: string
  readonly playbook: string
  readonly path: string
  /** Null where it is too large for a case. */
  readonly input: Readonly<Record<string, unknown>> | null
  readonly outcome: string
  readonly status: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly decisions: readonly ActionDecision[]
  readonly at: number
}

export interface ActionDecision {
  readonly kind: string
  readonly by: Actor
  readonly answer: string | null
  readonly path: string
  readonly at: number
}

export interface Observable {
  readonly kind: string
  readonly value: string
  readonly learned: readonly Learned[]
  readonly used: readonly ObservableUse[]
}

/** Another step that was given the value. */
export interface ObservableUse {
  readonly source: string
  readonly run_uuid: string
  readonly path: string
  readonly at: number
  readonly state: string
  readonly is_question: boolean
}

/** What one look-up said about an observable. */
export interface Learned {
  readonly source: string
  readonly run_uuid: string
  readonly path: string
  readonly at: number
  /** 0 to 100; null where no risk is known. */
  readonly score: number | null
  readonly level: string | null
  readonly summary: string | null
  /** Why it could not be asked. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface CaseDetail extends Case {
  readonly alerts: readonly Alert[]
  readonly runs: readonly Run[]
  readonly actions: readonly CaseAction[]
  readonly actions_total: number
  readonly observables: readonly Observable[]
  readonly timeline: readonly CaseEntry[]
  readonly timeline_total: number
}
