import type { Mention } from '../case/mentions.ts'
import type { Actor } from '../domain/audit.ts'
import type { Case, CaseAction, CaseEdit, CaseEntry } from '../domain/case.ts'
import type { CaseChanges, CaseStatus, ClosingReason, NewCase, Severity, Verdict } from '../plugin/index.ts'
import type { ObservableKey } from '../observable/normalize-observable.ts'
import type { CaseFileStore } from './case-file-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from './common.ts'

export interface CaseFilter {
  /** Code. */
  readonly organization?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly severity?: Severity | undefined
  readonly verdict?: Verdict | undefined
  /** Exactly this assignee; null: unassigned cases. */
  readonly assignee?: string | null | undefined
  /** Uuid of an account, or public id of an API key. */
  readonly assigneeId?: string | undefined
  /** Only cases of a disabled person or a revoked key. */
  readonly hasDisabledAssignee?: boolean | undefined
  readonly closingReason?: ClosingReason | undefined
  /** Only cases that are not closed. */
  readonly isActive?: boolean | undefined
  /** Open cases whose next target is due at this time or before, in epoch milliseconds. */
  readonly overdueAt?: number | undefined
  /** Cases that missed a target, or are overdue at this time, in epoch milliseconds. */
  readonly missedAt?: number | undefined
  /** Occurs in the title or summary, ignoring the case of ASCII letters. */
  readonly text?: string | undefined
  /** Cases whose alerts or runs have it, as far as they are indexed. */
  readonly observable?: ObservableKey | undefined
  /** Opened at or after this time, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Opened before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
}

/**
 * Sort orders of a list of cases; `-` is descending. `queue`: the most severe first, and the oldest of them; `due_at`: the next
 * target first, and cases without one last.
 */
export const caseSorts = [
  'created_at',
  '-created_at',
  'modified_at',
  '-modified_at',
  'severity',
  '-severity',
  'due_at',
  '-due_at',
  'queue',
  '-queue',
] as const
export type CaseSort = (typeof caseSorts)[number]

export interface CaseListRequest extends ListRequest {
  /** Default `-created_at`. */
  readonly sort?: CaseSort | undefined
}

export interface CaseStore {
  readonly files: CaseFileStore
  find(scope: OrganizationScope, id: string): Promise<Case | undefined>
  /** The case that `create` opened with this key. */
  findByKey(organizationUuid: string, key: string): Promise<Case | undefined>
  list(scope: OrganizationScope, filter: CaseFilter, page: CaseListRequest): Promise<ListPage<Case>>
  /** Newest first; empty for an unknown case. */
  timeline(scope: OrganizationScope, id: string, page: ListRequest): Promise<ListPage<CaseEntry>>
  /** The newest actions of destructive skills with their latest outcomes, oldest first. Empty for an unknown case. */
  actions(
    scope: OrganizationScope,
    id: string,
    limit: number,
  ): Promise<{ readonly data: readonly CaseAction[]; readonly total: number }>
  /** The given cases that an HTTP request has changed by `edit`. */
  changedBy(requestId: string, ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Each write happens once per key; a repeat returns the first result. */
  create(organizationUuid: string, changes: NewCase, by: Actor, key: string): Promise<Case>
  /** Throws NotFoundError `case_not_found`. */
  update(organizationUuid: string, id: string, changes: CaseChanges, by: Actor, key: string): Promise<Case>
  /**
   * A person's edit of the revision that they have seen; undefined: of any revision. An edit without a difference does nothing.
   * Throws NotFoundError `case_not_found`, ConflictError `revision_changed`, ValidationError `case_not_closed`.
   */
  edit(
    organizationUuid: string,
    id: string,
    edit: CaseEdit,
    by: Actor,
    revision: number | undefined,
  ): Promise<Case>
  /**
   * Adds a note and returns its entry; a repeat returns the first entry. Throws NotFoundError `case_not_found`, and ConflictError
   * `idempotency_key_reused` for the key of a different write.
   */
  comment(
    organizationUuid: string,
    id: string,
    text: string,
    by: Actor,
    key: string,
    mentions?: readonly Mention[],
  ): Promise<CaseEntry>
}
