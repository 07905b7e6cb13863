import type { Actor, Author } from '../../domain/audit.ts'
import type { OrganizationScope } from '../common.ts'

/** Lists whose filters can be shared. */
export const sharedViews = [
  'alerts',
  'cases',
  'runs',
  'observables',
  'checkpoints',
  'containments',
  'playbooks',
  'connections',
  'people',
  'keys',
  'audit',
] as const
export type SharedView = (typeof sharedViews)[number]

/** Filters of a list under a name, for everyone who may read the organization. */
export interface SharedFilter extends NewSharedFilter {
  readonly uuid: string
  /** Code. */
  readonly organization: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdBy: Author
}

export interface NewSharedFilter {
  readonly view: SharedView
  /** Unique in the organization and view. */
  readonly name: string
  /** Query of the page, e.g. `active=true&sort=queue`. */
  readonly search: string
}

/** Per organization and view. */
export const maxSharedFilters = 100

export interface SharedFilterStore {
  /** By name. */
  list(scope: OrganizationScope, view: SharedView): Promise<readonly SharedFilter[]>
  /** Replaces a filter with the same name. Throws NotFoundError `organization_not_found`, ConflictError `too_many_filters`. */
  save(organizationUuid: string, filter: NewSharedFilter, by: Actor): Promise<SharedFilter>
  /** Throws NotFoundError `filter_not_found`, also for another organization. */
  remove(scope: OrganizationScope, uuid: string): Promise<void>
}
