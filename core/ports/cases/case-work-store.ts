import type { Actor } from '../../domain/audit.ts'
import type { Case, CaseLink, CaseLinkKind, CaseTask } from '../../domain/case.ts'
import type { ListPage, ListRequest, OrganizationScope, SeenRevision } from '../common.ts'

/** Tasks of cases, and links between cases. */
export interface CaseWorkStore {
  /** Tasks of all cases. */
  list(
    scope: OrganizationScope,
    filter: CaseTaskFilter,
    page: ListRequest & { readonly sort?: CaseTaskSort | undefined },
  ): Promise<ListPage<ListedTask>>
  /** In the order of their creation; empty for an unknown case. */
  tasks(scope: OrganizationScope, caseId: string): Promise<readonly CaseTask[]>
  /** Throws NotFoundError `case_not_found`, ConflictError `case_merged`, `too_many_tasks`. */
  addTask(organizationUuid: string, caseId: string, task: NewCaseTask, by: Actor): Promise<CaseTask>
  /**
   * Changes the given fields; a change without a difference does nothing. Throws NotFoundError `case_not_found`, `task_not_found`,
   * ConflictError `case_merged`, `revision_changed`.
   */
  changeTask(
    organizationUuid: string,
    caseId: string,
    uuid: string,
    changes: CaseTaskChanges,
    revision: SeenRevision,
    by: Actor,
  ): Promise<CaseTask>
  /** From both directions, oldest first; empty for an unknown case. */
  links(scope: OrganizationScope, caseId: string): Promise<readonly CaseLink[]>
  /**
   * Links two cases; a link between them with another kind is replaced. Throws NotFoundError `case_not_found`, ValidationError
   * `same_case`, ConflictError `case_merged`, `too_many_links`.
   */
  link(
    organizationUuid: string,
    caseId: string,
    other: string,
    kind: CaseLinkKind,
    by: Actor,
  ): Promise<CaseLink>
  /** Removes the link in either direction. Throws NotFoundError `case_not_found`, `link_not_found`. */
  unlink(organizationUuid: string, caseId: string, other: string, by: Actor): Promise<void>
}

export interface CaseTaskFilter {
  /** Code. */
  readonly organization?: string | undefined
  /** Exactly this owner; null: without an owner. */
  readonly owner?: string | null | undefined
  /** Uuid of an account, or public id of an API key. */
  readonly ownerId?: string | undefined
  readonly hasDisabledOwner?: boolean | undefined
  readonly isDone?: boolean | undefined
  /** Only open tasks that are due at this time or before, in epoch milliseconds. */
  readonly overdueAt?: number | undefined
}

/** `due_at`: due soonest first, tasks without a due time last. `-` is descending. */
export const caseTaskSorts = ['due_at', '-due_at', 'created_at', '-created_at'] as const
export type CaseTaskSort = (typeof caseTaskSorts)[number]

/** A task with its case. */
export interface ListedTask extends CaseTask {
  readonly case: Pick<Case, 'id' | 'organizationUuid' | 'title' | 'status' | 'severity'>
}

export interface NewCaseTask {
  readonly title: string
  readonly owner?: string | null | undefined
  /** The person of `owner`; absent: it is a text. */
  readonly ownerId?: string | null | undefined
  readonly dueAt?: number | null | undefined
}

export interface CaseTaskChanges extends Partial<NewCaseTask> {
  readonly done?: boolean | undefined
}
