export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const verdicts = ['unknown', 'benign', 'suspicious', 'malicious'] as const
export type Verdict = (typeof verdicts)[number]

export const caseStatuses = ['open', 'in_progress', 'closed'] as const
export type CaseStatus = (typeof caseStatuses)[number]

/** Why a case was closed: what its alerts turned out to be. */
export const closingReasons = [
  'true_positive',
  'benign_positive',
  'false_positive',
  'duplicate',
  'undetermined',
  'other',
] as const
export type ClosingReason = (typeof closingReasons)[number]

/** The changeable fields of a case. Absent fields stay unchanged. */
export interface CaseChanges {
  readonly title?: string | undefined
  readonly summary?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly severity?: Severity | undefined
  readonly verdict?: Verdict | undefined
  readonly assignee?: string | undefined
  /** Only of a closed case; left out if the case is not closed by the change. */
  readonly closingReason?: ClosingReason | undefined
  /** What was done, in a few sentences. Only of a closed case, as the closing reason. */
  readonly resolution?: string | undefined
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

/** A file to attach to a case. */
export interface NewFile {
  /** At most 255 characters are kept, without path separators and control characters. */
  readonly name: string
  /** As the sender claims; never used to show the file. Default `application/octet-stream`. */
  readonly contentType?: string | undefined
  /** At most 32 MB. */
  readonly bytes: Uint8Array
}

/** A file of a case. */
export interface AttachedFile {
  /** SHA-256 of its content in hexadecimal; identifies the file within its case. */
  readonly sha256: string
  readonly name: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
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
  /**
   * Attaches a file. A content that the case has already is not attached again: its first file is returned, so that
   * repeating the call is safe.
   *
   * @throws SkillError `case_not_found`, `file_too_large`, `too_many_files`, `file_quota_reached`
   */
  attachFile(id: string, file: NewFile): Promise<AttachedFile>
  /** The files of a case, oldest first; without those whose content the retention policy deleted. */
  files(id: string): Promise<readonly AttachedFile[]>
  /**
   * The content of a file of a case. It may be malware: pass it on, never run or render it.
   *
   * @throws SkillError `file_not_found`
   */
  readFile(id: string, sha256: string): Promise<Uint8Array>
}
