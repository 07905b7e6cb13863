import type { Connection, ConnectionFailure, ConnectionNote } from '../../../core/domain/connection.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

export interface ConnectionRow extends Omit<
  Connection,
  'settings' | 'enabled' | 'broken' | 'warning' | 'lastFailure'
> {
  readonly id: number
  readonly settings: string
  readonly enabled: number
  readonly broken: string | null
  readonly warning: string | null
  readonly lastFailure: string | null
}

export const selectConnection = `
  SELECT t.id, t.uuid, o.uuid AS organizationUuid, t.name, t.plugin, t.settings, t.enabled, t.secrets_at AS secretsAt,
    t.broken, t.warning, t.last_failure AS lastFailure, t.revision, t.created_at AS createdAt, t.modified_at AS modifiedAt
  FROM connections t JOIN organizations o ON o.id = t.organization_id`

/** Throws NotFoundError `connection_not_found`, also for a connection of another organization. */
export function requireConnectionRow(
  database: Database,
  organizationUuid: string,
  uuid: string,
): ConnectionRow {
  const row = database.get<ConnectionRow>(
    `${selectConnection} WHERE t.uuid = ? AND o.uuid = ?`,
    uuid,
    organizationUuid,
  )
  if (row === undefined) throw new NotFoundError('connection_not_found', `there is no connection ${uuid}`)
  return row
}

export function toConnection(row: ConnectionRow): Connection {
  const { id: _, settings, enabled, broken, warning, lastFailure, ...rest } = row
  return {
    ...rest,
    settings: fromJson<Connection['settings']>(settings),
    enabled: enabled === 1,
    broken: fromJson<ConnectionNote>(broken),
    warning: fromJson<ConnectionNote>(warning),
    lastFailure: fromJson<ConnectionFailure>(lastFailure),
  }
}
