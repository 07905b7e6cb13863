import type { Work } from '../database/work.ts'
import type {
  Connection,
  ConnectionFailure,
  ConnectionNote,
  ConnectionSignIn,
} from '../../../core/domain/connection.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { ConnectionChanges } from '../../../core/ports/connection-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { pick, selectList } from '../context/rows.ts'
import type { StoreContext } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** Fields that are stored as they are, and those stored as JSON or as 0 and 1. */
const stored = ['uuid', 'name', 'plugin', 'secretsAt', 'revision', 'createdAt', 'modifiedAt'] as const
const encoded = [
  'settings',
  'secretReferences',
  'enabled',
  'broken',
  'warning',
  'lastFailure',
  'signIn',
] as const

export type ConnectionRow = Pick<Connection, (typeof stored)[number] | 'organizationUuid'> &
  Readonly<
    Record<Exclude<(typeof encoded)[number], 'settings' | 'secretReferences' | 'enabled'>, string | null>
  > & {
    readonly id: number
    readonly settings: string
    readonly secretReferences: string
    readonly enabled: number
  }

export const selectConnection = `
  SELECT ${selectList(['id', ...stored, ...encoded])}, o.uuid AS "organizationUuid"
  FROM connections t JOIN organizations o ON o.id = t.organization_id`

/** Throws NotFoundError `connection_not_found`, also for a connection of another organization. */
export function* requireConnectionRow(
  database: Database,
  organizationUuid: string,
  uuid: string,
): Work<ConnectionRow> {
  const row = yield* database.get<ConnectionRow>(
    `${selectConnection} WHERE t.uuid = ? AND o.uuid = ?`,
    uuid,
    organizationUuid,
  )
  if (row === undefined) throw new NotFoundError('connection_not_found', `there is no connection ${uuid}`)
  return row
}

export const toConnection = (row: ConnectionRow): Connection => ({
  ...pick(row, stored),
  organizationUuid: row.organizationUuid,
  settings: fromJson<Connection['settings']>(row.settings),
  secretReferences: fromJson<Connection['secretReferences']>(row.secretReferences),
  enabled: row.enabled === 1,
  broken: fromJson<ConnectionNote>(row.broken),
  warning: fromJson<ConnectionNote>(row.warning),
  lastFailure: fromJson<ConnectionFailure>(row.lastFailure),
  signIn: fromJson<ConnectionSignIn>(row.signIn),
})

/** Inside of the write. */
export function* recordConnection(
  context: StoreContext,
  action: AuditAction,
  { organizationUuid, uuid, name, plugin }: Connection,
  by: Actor,
  details: Readonly<Record<string, unknown>> = {},
): Work<void> {
  const subject = { kind: 'connection', id: uuid, name } as const
  yield* recordAudit(context, { action, by, organizationUuid, subject, details: { plugin, ...details } })
}

/** Names of changed settings and of all newly entered secrets, never values; and references, which are not secret. */
export function changedFields(
  before: Connection,
  { settings, secrets, secretReferences, enabled, discardSignIn }: ConnectionChanges,
): Readonly<Record<string, unknown>> {
  const names = new Set([...Object.keys(before.settings), ...Object.keys(settings ?? before.settings)])
  const isChanged = (name: string) => toJson(before.settings[name]) !== toJson(settings?.[name])
  return {
    settings: settings === undefined ? [] : [...names].filter(isChanged),
    secrets: Object.keys(secrets ?? {}),
    ...(secretReferences === undefined ? {} : { secret_references: secretReferences }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(discardSignIn === true && before.signIn !== null && { signed_out: true }),
  }
}
