export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const verdicts = ['unknown', 'benign', 'suspicious', 'malicious'] as const
export type Verdict = (typeof verdicts)[number]

export const caseStatuses = ['open', 'in_progress', 'closed'] as const
export type CaseStatus = (typeof caseStatuses)[number]

/** The changeable fields of a case. Absent fields stay unchanged. */
export interface CaseChanges {
  readonly title?: string | undefined
  readonly summary?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly severity?: Severity | undefined
  readonly verdict?: Verdict | undefined
  readonly assignee?: string | undefined
}

/** Fields of a new case. Defaults: severity medium, verdict unknown, status open. */
export interface NewCase extends CaseChanges {
  readonly title: string
}

/** The current state of a case. */
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
 * The cases of one organization. Every write has the step's idempotency key: repeating it changes nothing and
 * returns the first answer.
 */
export interface CaseAccess {
  /**
   * Id of the case of this run, `<org code>-<number>`; opens one if the run has none yet. `undefined` if the run
   * cannot have a case.
   */
  own(): Promise<string | undefined>
  /** Opens a case and returns its id. */
  create(made: NewCase, key: string): Promise<string>
  /**
   * Opens the organization's only case for a reference, such as the id of an incident elsewhere, and returns its
   * id. If any run opened it before, it stays unchanged.
   */
  open(reference: string, made: NewCase): Promise<string>
  /** The case of a reference; `undefined` if there is none. */
  find(reference: string): Promise<CaseView | undefined>
  /** @throws SkillError `case_not_found` */
  update(id: string, changes: CaseChanges, key: string): Promise<void>
  /**
   * Adds a note to the timeline.
   *
   * @throws SkillError `case_not_found`
   */
  comment(id: string, text: string, key: string): Promise<void>
}
