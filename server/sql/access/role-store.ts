import type { Work } from '../database/work.ts'
import { builtInRoles, type CustomRole, type AccessPermission } from '../../../core/access/permissions.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import type { NewRole, RoleChanges, RoleStore } from '../../../core/ports/access/role-store.ts'
import { allowsMore, requireRevision, requireUnusedRole } from '../../../core/transitions/access.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertNewRow } from '../context/rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { foldAscii, fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization } from './organization-store.ts'

interface RoleRow extends Omit<CustomRole, 'permissions'> {
  /** JSON. */
  readonly permissions: string
}

const select = `
  SELECT r.uuid, r.name, r.description, r.permissions, r.created_at AS "createdAt", r.revision, o.uuid AS "organizationUuid"
  FROM custom_roles r LEFT JOIN organizations o ON o.id = r.organization_id`

export function* allRoles(database: Database): Work<readonly CustomRole[]> {
  return (yield* database.all<RoleRow>(`${select} ORDER BY lower(r.name)`)).map(toRole)
}

export class SqlRoleStore extends SqlStore implements RoleStore {
  list(): Promise<readonly CustomRole[]> {
    return this.read(() => this.database.cache.get('custom roles', () => allRoles(this.database)))
  }

  create({ name, description, organizationUuid, permissions }: NewRole, by: Actor): Promise<CustomRole> {
    return this.writeConfiguration(function* () {
      const createdAt = this.clock.now()
      const uuid = makeUuid(createdAt)
      const organizationId =
        organizationUuid === null ? null : (yield* requireOrganization(this.database, organizationUuid)).id
      if (Object.hasOwn(builtInRoles, name.toLowerCase())) throw roleExists(name)
      const row = yield* insertNewRow(this.database, 'custom_roles', {
        uuid,
        name,
        description,
        permissions: JSON.stringify(permissions),
        organizationId,
        createdAt,
      })
      if (row === undefined) throw roleExists(name)
      return yield* this.#recorded('role.created', yield* this.#require(name), by)
    })
  }

  change(name: string, changes: RoleChanges, revision: SeenRevision, by: Actor): Promise<CustomRole> {
    return this.writeConfiguration(function* () {
      const role = yield* this.#require(name)
      requireRevision(role.revision, revision)
      const { description, permissions } = { ...role, ...changes }
      yield* this.database.run(
        'UPDATE custom_roles SET description = ?, permissions = ?, revision = revision + 1 WHERE uuid = ?',
        description,
        JSON.stringify(permissions),
        role.uuid,
      )
      // Streams of its holders end, and reconnect with the changed permissions.
      yield* this.database.run(
        'UPDATE accounts SET revision = revision + 1 WHERE id IN (SELECT account_id FROM account_roles WHERE lower(role) = ?)',
        foldAscii(name),
      )
      if (allowsMore(role.permissions, permissions)) {
        yield* this.database.run(
          `UPDATE invitations SET used_at = ? WHERE used_at IS NULL
             AND account_id IN (SELECT account_id FROM account_roles WHERE lower(role) = ?)`,
          this.clock.now(),
          foldAscii(name),
        )
      }
      return yield* this.#recorded('role.changed', yield* this.#require(name), by)
    })
  }

  async remove(name: string, by: Actor): Promise<void> {
    await this.writeConfiguration(function* () {
      const role = yield* this.#require(name)
      const sql = 'SELECT count(*) AS held FROM account_roles WHERE lower(role) = ?'
      const { held } = yield* this.database.one<{ held: number }>(sql, foldAscii(name))
      requireUnusedRole(role.name, held)
      yield* this.database.run('DELETE FROM custom_roles WHERE uuid = ?', role.uuid)
      yield* this.#recorded('role.removed', role, by)
    })
  }

  *#require(name: string): Work<CustomRole> {
    const row = yield* this.database.get<RoleRow>(`${select} WHERE lower(r.name) = ?`, foldAscii(name))
    if (row !== undefined) return toRole(row)
    throw new NotFoundError('role_not_found', `there is no custom role '${name.slice(0, 64)}'`)
  }

  *#recorded(action: AuditAction, role: CustomRole, by: Actor): Work<CustomRole> {
    const { uuid, name, organizationUuid, permissions } = role
    const subject = { kind: 'role', id: uuid, name } as const
    yield* recordAudit(this.context, { action, by, organizationUuid, subject, details: { permissions } })
    return role
  }
}

const roleExists = (name: string): ConflictError =>
  new ConflictError('role_exists', `a role with the name '${name}' already exists`)

const toRole = (row: RoleRow): CustomRole => ({
  ...row,
  permissions: fromJson<AccessPermission[]>(row.permissions),
})
