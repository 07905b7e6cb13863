import type { Actor } from '../domain/audit.ts'
import type { Case } from '../domain/case.ts'
import type { SeenRevision } from './common.ts'

/** A case with the revision that the caller has seen. */
export interface SeenCase {
  readonly id: string
  readonly revision: SeenRevision
}

/**
 * Moves alerts between the cases of an organization by hand. Their runs, questions and results move with them, active runs included:
 * what they write from then on goes to the case of their alert.
 */
export interface CaseMoveStore {
  /**
   * Moves everything of the other cases into this one and closes them. A case that was merged into it before is left out. Throws
   * NotFoundError `case_not_found`, ConflictError `revision_changed`, `case_merged`, `case_closed` or `case_too_large`,
   * ValidationError `same_case`.
   */
  merge(organizationUuid: string, target: SeenCase, sources: readonly SeenCase[], by: Actor): Promise<Case>
  /**
   * Moves alerts, given by id or uuid, with their repeats to a new case, and gives that case. Throws NotFoundError
   * `case_not_found`, ConflictError `revision_changed`, `case_merged`, `alert_not_in_case` or `nothing_left`.
   */
  split(organizationUuid: string, from: SeenCase, request: SplitRequest, by: Actor): Promise<Case>
}

export interface SplitRequest {
  readonly alerts: readonly string[]
  /** Default: the title of the case, with its id. */
  readonly title?: string | undefined
}
