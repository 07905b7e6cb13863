import type { AlertProgress } from '../../../core/domain/alert.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { endedAlertStatuses } from '../../../core/transitions/alert.ts'
import { foldAscii } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { parseAlertId } from '../database/ids.ts'
import type { Work } from '../database/work.ts'

const selectProgress =
  'SELECT status, retry_count AS "retryCount", modified_at AS "modifiedAt" FROM alerts WHERE uuid = ?'

export const progressOf = (database: Database, uuid: string): Work<AlertProgress | undefined> =>
  database.get<AlertProgress>(selectProgress, uuid)

const selectEnded = `
  SELECT w.value ->> '$.given' AS id FROM json_each(?) w
    CROSS JOIN organizations o ON lower(o.code) = w.value ->> '$.organization'
    CROSS JOIN providers p ON lower(p.code) = w.value ->> '$.provider'
    CROSS JOIN alerts t ON t.organization_id = o.id AND t.provider_id = p.id
      AND t.sequence = CAST(w.value ->> '$.sequence' AS bigint)
  WHERE t.status IN (${endedAlertStatuses.join(', ')})`

/** In one statement and without the alerts, which may be large: nodes ask often, and for many. */
export function* endedOf(database: Database, ids: readonly string[]): Work<readonly string[]> {
  const wanted = ids.flatMap((given) => {
    const id = parseAlertId(given)
    if (id === undefined) return []
    return [{ ...id, organization: foldAscii(id.organization), provider: foldAscii(id.provider), given }]
  })
  if (wanted.length === 0) return []
  const rows = yield* database.all<{ id: string }>(selectEnded, JSON.stringify(wanted))
  return rows.map(({ id }) => id)
}

/** Whether the id was used by an alert that no longer exists. */
export function* wasAlertDeleted(database: Database, scope: OrganizationScope, text: string): Work<boolean> {
  const id = parseAlertId(text)
  const found =
    id &&
    (yield* database.get<{ uuid: string }>(
      `SELECT o.uuid FROM alert_sequences s JOIN organizations o ON o.id = s.organization_id
         JOIN providers p ON p.id = s.provider_id
       WHERE lower(o.code) = ? AND lower(p.code) = ? AND s.last >= ? AND NOT EXISTS (SELECT 1 FROM alerts a
         WHERE a.organization_id = o.id AND a.provider_id = p.id AND a.sequence = ?)`,
      foldAscii(id.organization),
      foldAscii(id.provider),
      id.sequence,
      id.sequence,
    ))
  return found !== undefined && isInScope(scope, found.uuid)
}
