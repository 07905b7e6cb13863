import type { CustomRole } from '../../access/permissions.ts'
import type { Actor } from '../../domain/audit.ts'
import type { SeenRevision } from '../common.ts'

/** Roles that administrators define. */
export interface RoleStore {
  list(): Promise<readonly CustomRole[]>
  /** Throws ConflictError `role_exists`, NotFoundError `organization_not_found`. */
  create(role: NewRole, by: Actor): Promise<CustomRole>
  /** By name. Throws NotFoundError `role_not_found`, ConflictError `revision_changed`. */
  change(name: string, changes: RoleChanges, revision: SeenRevision, by: Actor): Promise<CustomRole>
  /** Throws NotFoundError `role_not_found`, ConflictError `role_in_use` while somebody has it. */
  remove(name: string, by: Actor): Promise<void>
}

export type NewRole = Pick<CustomRole, 'name' | 'description' | 'organizationUuid' | 'permissions'>
export type RoleChanges = Partial<Pick<CustomRole, 'description' | 'permissions'>>
