import type { Actor } from '../domain/audit.ts'
import type { Case, CaseAction, CaseEdit, CaseEntry } from '../domain/case.ts'
import type { CaseChanges, CaseStatus, NewCase, Severity, Verdict } from '../plugin/index.ts'
import type { Page, PageRequest, Scope } from './common.ts'

export interface CaseFilter {
  /** Code. */
  readonly organization?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly severity?: Severity | undefined
  readonly verdict?: Verdict | undefined
  /** Exactly this one; null: those of nobody. */
  readonly assignee?: string | null | undefined
  /** Stands in its title or summary; letter case of ASCII does not matter. */
  readonly text?: string | undefined
  /** Opened at this time or later, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Opened before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
}

/** By what a list of cases can be sorted; with `-` downwards. */
export const caseSorts = [
  'created_at',
  '-created_at',
  'modified_at',
  '-modified_at',
  'severity',
  '-severity',
] as const
export type CaseSort = (typeof caseSorts)[number]

export interface CasePageRequest extends PageRequest {
  /** Default `-created_at`. */
  readonly sort?: CaseSort | undefined
}

export interface CaseStore {
  find(scope: Scope, id: string): Promise<Case | undefined>
  /** The case that `create` opened with this key. */
  findByKey(organizationUuid: string, key: string): Promise<Case | undefined>
  list(scope: Scope, filter: CaseFilter, page: CasePageRequest): Promise<Page<Case>>
  /** Newest first; empty for a case that is not there. */
  timeline(scope: Scope, id: string, page: PageRequest): Promise<Page<CaseEntry>>
  /** What destructive skills did: the newest, oldest first, each as it was last known. Empty for a case that is not there. */
  actions(
    scope: Scope,
    id: string,
    limit: number,
  ): Promise<{ readonly data: readonly CaseAction[]; readonly total: number }>
  /** Each write happens once per key: a repeat answers as the first time. */
  create(organizationUuid: string, changes: NewCase, by: Actor, key: string): Promise<Case>
  /** Throws NotFoundError `case_not_found`. */
  update(organizationUuid: string, id: string, changes: CaseChanges, by: Actor, key: string): Promise<Case>
  /**
   * What a person changes who has seen this revision of it; undefined: whichever it is. Where all fields are as they are to be,
   * nothing is done. Throws NotFoundError `case_not_found`, ConflictError `revision_changed`.
   */
  edit(
    organizationUuid: string,
    id: string,
    edit: CaseEdit,
    by: Actor,
    revision: number | undefined,
  ): Promise<Case>
  /**
   * Adds a note, and gives its entry; a repeat that of the first time. Throws NotFoundError `case_not_found`, and ConflictError `idempotency_key_reused` for a key that belongs to another
   * write.
   */
  comment(organizationUuid: string, id: string, text: string, by: Actor, key: string): Promise<CaseEntry>
}
