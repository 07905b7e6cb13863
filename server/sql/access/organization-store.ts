import { mapped, type Work } from '../database/work.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { CaseTargets } from '../../../core/domain/case.ts'
import type { ApprovalRule, OwnDestructiveLimits } from '../../../core/domain/destructive-use.ts'
import type { Organization } from '../../../core/domain/organization.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { CodeAndName } from '../../../core/ports/access/provider-store.ts'
import type { OrganizationStore } from '../../../core/ports/access/organization-store.ts'
import type { OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireCode } from '../database/ids.ts'
import { whereAll } from '../database/paging.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { insertNewRow } from '../context/rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

const select = `SELECT uuid, code, name, destructive_limits AS "destructiveLimits", case_targets AS "caseTargets",
    approval_rules AS "approvalRules", revision, created_at AS "createdAt"
  FROM organizations t`

interface OrganizationRow extends Omit<Organization, 'destructiveLimits' | 'caseTargets' | 'approvalRules'> {
  readonly destructiveLimits: string | null
  readonly caseTargets: string | null
  readonly approvalRules: string | null
}

const toOrganization = ({
  destructiveLimits: own,
  caseTargets,
  approvalRules,
  ...row
}: OrganizationRow): Organization => ({
  ...row,
  ...(own !== null && { destructiveLimits: fromJson<OwnDestructiveLimits>(own) }),
  ...(caseTargets !== null && { caseTargets: fromJson<CaseTargets>(caseTargets) }),
  ...(approvalRules !== null && { approvalRules: fromJson<readonly ApprovalRule[]>(approvalRules) }),
})

type AuditDetails = Readonly<Record<string, unknown>>

export class SqlOrganizationStore extends SqlStore implements OrganizationStore {
  list(scope: OrganizationScope): Promise<readonly Organization[]> {
    const conditions = scopeConditions(scope, 't.id')
    const values = conditions.flatMap((condition) => condition.values)
    const sql = `${select} ${whereAll(conditions)} ORDER BY lower(code)`
    return this.read(() =>
      this.database.cache.get(`organizations ${JSON.stringify(scope)}`, () =>
        mapped(this.database.all<OrganizationRow>(sql, ...values), toOrganization),
      ),
    )
  }

  create({ code, name }: CodeAndName, by: Actor): Promise<Organization> {
    return this.writeConfiguration(function* () {
      requireCode(code)
      const createdAt = this.clock.now()
      const uuid = makeUuid(createdAt)
      if (
        (yield* insertNewRow(this.database, 'organizations', { uuid, code, name, createdAt })) === undefined
      )
        throw new ConflictError(
          'organization_exists',
          `an organization with the code '${code}' already exists`,
        )
      const created = yield* this.#require(uuid)
      yield* this.#record('organization.created', created, by, { name })
      return created
    })
  }

  rename(uuid: string, name: string, revision: SeenRevision, by: Actor): Promise<Organization> {
    return this.writeConfiguration(function* () {
      requireRevision((yield* this.#require(uuid)).revision, revision)
      yield* this.database.run(
        'UPDATE organizations SET name = ?, revision = revision + 1 WHERE uuid = ?',
        name,
        uuid,
      )
      const changed = yield* this.#require(uuid)
      yield* this.#record('organization.changed', changed, by, { name })
      return changed
    })
  }

  limit(
    uuid: string,
    limits: OwnDestructiveLimits,
    revision: SeenRevision,
    by: Actor,
  ): Promise<Organization> {
    return this.#set(uuid, 'destructive_limits', limits, revision, by, { destructive_per_hour: limits })
  }

  target(uuid: string, targets: CaseTargets, revision: SeenRevision, by: Actor): Promise<Organization> {
    return this.#set(uuid, 'case_targets', targets, revision, by, { case_targets: targets })
  }

  /** @param column a constant of the source, with JSON; null for an empty object */
  #set(
    uuid: string,
    column: 'destructive_limits' | 'case_targets',
    value: object,
    revision: SeenRevision,
    by: Actor,
    details: AuditDetails,
  ): Promise<Organization> {
    return this.writeConfiguration(function* () {
      requireRevision((yield* this.#require(uuid)).revision, revision)
      yield* this.database.run(
        `UPDATE organizations SET ${column} = ?, revision = revision + 1 WHERE uuid = ?`,
        Object.keys(value).length === 0 ? null : toJson(value),
        uuid,
      )
      const changed = yield* this.#require(uuid)
      yield* this.#record('organization.changed', changed, by, details)
      return changed
    })
  }

  setApprovalRules(
    uuid: string,
    rules: readonly ApprovalRule[],
    revision: SeenRevision,
    by: Actor,
  ): Promise<Organization> {
    return this.writeConfiguration(function* () {
      requireRevision((yield* this.#require(uuid)).revision, revision)
      yield* this.database.run(
        'UPDATE organizations SET approval_rules = ?, revision = revision + 1 WHERE uuid = ?',
        rules.length === 0 ? null : toJson(rules),
        uuid,
      )
      const changed = yield* this.#require(uuid)
      yield* this.#record('organization.changed', changed, by, { approval_rules: rules })
      return changed
    })
  }

  *#require(uuid: string): Work<Organization> {
    const found = yield* this.database.get<OrganizationRow>(`${select} WHERE uuid = ?`, uuid)
    if (found === undefined) throw organizationNotFound(uuid)
    return toOrganization(found)
  }

  *#record(action: AuditAction, { uuid, code }: Organization, by: Actor, details: AuditDetails): Work<void> {
    const subject = { kind: 'organization', id: uuid, name: code } as const
    yield* recordAudit(this.context, { action, by, organizationUuid: uuid, subject, details })
  }
}

export interface OrganizationKey {
  readonly id: number
  readonly uuid: string
  readonly code: string
  readonly caseTargets: CaseTargets
}

/** Throws NotFoundError `organization_not_found`. */
export function* requireOrganization(database: Database, uuid: string): Work<OrganizationKey> {
  const row = yield* database.cache.get(`organization ${uuid}`, () => findKey(database, uuid))
  if (row === undefined) throw organizationNotFound(uuid)
  return row
}

function* findKey(database: Database, uuid: string): Work<OrganizationKey | undefined> {
  const row = yield* database.get<
    Omit<OrganizationKey, 'caseTargets'> & { readonly caseTargets: string | null }
  >('SELECT id, uuid, code, case_targets AS "caseTargets" FROM organizations WHERE uuid = ?', uuid)
  return row && { ...row, caseTargets: fromJson<CaseTargets>(row.caseTargets) ?? {} }
}

const organizationNotFound = (uuid: string): NotFoundError =>
  new NotFoundError('organization_not_found', `there is no organization ${uuid}`)
