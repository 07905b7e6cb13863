import type { Actor } from '../../domain/audit.ts'
import type { CaseTargets } from '../../domain/case.ts'
import type { ApprovalRule, OwnDestructiveLimits } from '../../domain/destructive-use.ts'
import type { Organization } from '../../domain/organization.ts'
import type { CodeAndName } from './provider-store.ts'
import type { OrganizationScope, SeenRevision } from '../common.ts'

export interface OrganizationStore {
  list(scope: OrganizationScope): Promise<readonly Organization[]>
  /** Throws ConflictError `organization_exists`. */
  create(organization: CodeAndName, by: Actor): Promise<Organization>
  /** Throws NotFoundError `organization_not_found`, ConflictError `revision_changed`. */
  rename(uuid: string, name: string, revision: SeenRevision, by: Actor): Promise<Organization>
  /** Sets the organization's limits on destructive actions. Throws as `rename` does. */
  limit(uuid: string, limits: OwnDestructiveLimits, revision: SeenRevision, by: Actor): Promise<Organization>
  /** Sets the targets of response times for cases that are opened or get another severity from now on. Throws as `rename` does. */
  target(uuid: string, targets: CaseTargets, revision: SeenRevision, by: Actor): Promise<Organization>
  /** Replaces the organization's approval rules. Throws as `rename` does. */
  setApprovalRules(
    uuid: string,
    rules: readonly ApprovalRule[],
    revision: SeenRevision,
    by: Actor,
  ): Promise<Organization>
}
