import { builtInRoles, type CustomRole, type AccessPermission } from '../../../core/access/permissions.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import type { NewRole, RoleChanges, RoleStore } from '../../../core/ports/access/role-store.ts'
import { allowsMore, requireRevision, requireUnusedRole } from '../../../core/transitions/access.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertRow } from '../context/rows.ts'
import { SqliteStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { fromJson } from '../database/columns.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import { requireOrganization } from './organization-store.ts'

interface RoleRow extends Omit<CustomRole, 'permissions'> {
  /** JSON. */
  readonly permissions: string
}

const select = `
  SELECT r.uuid, r.name, r.description, r.permissions, r.created_at AS createdAt, r.revision, o.uuid AS organizationUuid
  FROM custom_roles r LEFT JOIN organizations o ON o.id = r.organization_id`

export class SqliteRoleStore extends SqliteStore implements RoleStore {
  list(): Promise<readonly CustomRole[]> {
    return this.database.read(() =>
      this.database.cache.get('custom roles', () =>
        this.database.all<RoleRow>(`${select} ORDER BY r.name`).map(toRole),
      ),
    )
  }

  create({ name, description, organizationUuid, permissions }: NewRole, by: Actor): Promise<CustomRole> {
    return this.commits.writeConfiguration(() => {
      const createdAt = this.clock.now()
      const uuid = makeUuid(createdAt)
      const organizationId =
        organizationUuid === null ? null : requireOrganization(this.database, organizationUuid).id
      if (Object.hasOwn(builtInRoles, name.toLowerCase())) throw roleExists(name)
      try {
        const stored = { uuid, name, description, organizationId, createdAt }
        insertRow(this.database, 'custom_roles', { ...stored, permissions: JSON.stringify(permissions) })
      } catch (error) {
        throw isUniqueViolation(error) ? roleExists(name) : error
      }
      return this.#recorded('role.created', this.#require(name), by)
    })
  }

  change(name: string, changes: RoleChanges, revision: SeenRevision, by: Actor): Promise<CustomRole> {
    return this.commits.writeConfiguration(() => {
      const role = this.#require(name)
      requireRevision(role.revision, revision)
      const { description, permissions } = { ...role, ...changes }
      this.database.run(
        'UPDATE custom_roles SET description = ?, permissions = ?, revision = revision + 1 WHERE uuid = ?',
        description,
        JSON.stringify(permissions),
        role.uuid,
      )
      // Streams of its holders end, and reconnect with the changed permissions.
      this.database.run(
        'UPDATE accounts SET revision = revision + 1 WHERE id IN (SELECT account_id FROM account_roles WHERE role = ? COLLATE NOCASE)',
        name,
      )
      if (allowsMore(role.permissions, permissions)) {
        this.database.run(
          `UPDATE invitations SET used_at = ? WHERE used_at IS NULL
             AND account_id IN (SELECT account_id FROM account_roles WHERE role = ? COLLATE NOCASE)`,
          this.clock.now(),
          name,
        )
      }
      return this.#recorded('role.changed', this.#require(name), by)
    })
  }

  async remove(name: string, by: Actor): Promise<void> {
    await this.commits.writeConfiguration(() => {
      const role = this.#require(name)
      const sql = 'SELECT count(*) AS held FROM account_roles WHERE role = ? COLLATE NOCASE'
      const { held } = this.database.one<{ held: number }>(sql, name)
      requireUnusedRole(role.name, held)
      this.database.run('DELETE FROM custom_roles WHERE uuid = ?', role.uuid)
      this.#recorded('role.removed', role, by)
    })
  }

  #require(name: string): CustomRole {
    const row = this.database.get<RoleRow>(`${select} WHERE r.name = ?`, name)
    if (row !== undefined) return toRole(row)
    throw new NotFoundError('role_not_found', `there is no custom role '${name.slice(0, 64)}'`)
  }

  #recorded(action: AuditAction, role: CustomRole, by: Actor): CustomRole {
    const { uuid, name, organizationUuid, permissions } = role
    const subject = { kind: 'role', id: uuid, name } as const
    recordAudit(this.context, { action, by, organizationUuid, subject, details: { permissions } })
    return role
  }
}

const roleExists = (name: string): ConflictError =>
  new ConflictError('role_exists', `a role with the name '${name}' already exists`)

const toRole = (row: RoleRow): CustomRole => ({
  ...row,
  permissions: fromJson<AccessPermission[]>(row.permissions),
})
