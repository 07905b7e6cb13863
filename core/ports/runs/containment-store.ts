import type { Containment, ContainmentState } from '../../destructive/containment.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

export interface ContainmentFilter {
  /** Default: all. */
  readonly states?: readonly ContainmentState[] | undefined
  /** Id of a case; its letter case is ignored. */
  readonly caseId?: string | undefined
}

/** Actions that stay in effect until they are undone. The journal store records them with the outcomes of calls. */
export interface ContainmentStore {
  /** Newest first by default. */
  list(scope: OrganizationScope, page: ListRequest, filter: ContainmentFilter): Promise<ListPage<Containment>>
  find(scope: OrganizationScope, id: string): Promise<Containment | undefined>
  /** The input of the call that undoes it; undefined if it is unknown. */
  undoInput(id: string): Promise<Readonly<Record<string, unknown>> | undefined>
}
