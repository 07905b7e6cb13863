import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Connection } from '../../../core/domain/connection.ts'
import type { ConnectionChanges } from '../../../core/ports/connection-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { toJson } from '../database/columns.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Inside of the write. */
export function recordConnection(
  context: StoreContext,
  action: AuditAction,
  { organizationUuid, uuid, name, plugin }: Connection,
  by: Actor,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const subject = { kind: 'connection', id: uuid, name } as const
  recordAudit(context, { action, by, organizationUuid, subject, details: { plugin, ...details } })
}

/** Names of the settings that are different now, and of all secrets where they were entered anew: never a value. */
export function changedFields(
  before: Connection,
  { settings, secrets, enabled }: ConnectionChanges,
): Readonly<Record<string, unknown>> {
  const names = new Set([...Object.keys(before.settings), ...Object.keys(settings ?? before.settings)])
  const isChanged = (name: string) => toJson(before.settings[name]) !== toJson(settings?.[name])
  return {
    settings: settings === undefined ? [] : [...names].filter(isChanged),
    secrets: Object.keys(secrets ?? {}),
    ...(enabled === undefined ? {} : { enabled }),
  }
}
