export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const verdicts = ['unknown', 'benign', 'suspicious', 'malicious'] as const
export type Verdict = (typeof verdicts)[number]

export const caseStatuses = ['open', 'in_progress', 'closed'] as const
export type CaseStatus = (typeof caseStatuses)[number]

/** What can be changed in a case. Absent fields stay as they are. */
export interface CaseChanges {
  readonly title?: string | undefined
  readonly summary?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly severity?: Severity | undefined
  readonly verdict?: Verdict | undefined
  readonly assignee?: string | undefined
}

/** What a new case has; without them: severity medium, verdict unknown, status open. */
export interface NewCase extends CaseChanges {
  readonly title: string
}

/** A case as it is now. */
export interface CaseView {
  /** `<org code>-<number>`. */
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly status: CaseStatus
  readonly severity: Severity
  readonly verdict: Verdict
  readonly assignee: string | null
}

/**
 * Access to the cases of one organization. Every write carries the step's idempotency key: a repeat with the same key
 * changes nothing and answers as the first time.
 */
export interface CaseAccess {
  /**
   * Id of the case of the present run, `<org code>-<number>`, which is opened where the run did without one so far; `undefined` where
   * it cannot have one.
   */
  own(): Promise<string | undefined>
  /** Opens a case and returns its id. */
  create(made: NewCase, key: string): Promise<string>
  /**
   * Opens the organization's one case for a reference, such as the id of an incident elsewhere, and returns its id. Where one was
   * opened for it before, in whatever run, it is left as it is.
   */
  open(reference: string, made: NewCase): Promise<string>
  /** The case that was opened for a reference; `undefined` where there is none. */
  find(reference: string): Promise<CaseView | undefined>
  /** Throws SkillError `case_not_found`. */
  update(id: string, changes: CaseChanges, key: string): Promise<void>
  /** Adds a note to the timeline. Throws SkillError `case_not_found`. */
  comment(id: string, text: string, key: string): Promise<void>
}
