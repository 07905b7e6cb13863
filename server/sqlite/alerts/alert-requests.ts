import type { Alert } from '../../../core/domain/alert.ts'
import type { OnceKey } from '../../../core/ports/alert-store.ts'
import { selectAlert, toAlert, type AlertRow } from './alert-rows.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import type { Database } from '../database/database.ts'

/** The alert of an earlier request with this key, while the key is kept. */
export function findAlertOfRequest(
  database: Database,
  apiKeyUuid: string,
  key: string,
  now: number,
): Alert | undefined {
  const row = database.get<AlertRow>(
    `${selectAlert} WHERE t.id = (SELECT alert_id FROM alert_requests
       WHERE api_key_uuid = ? AND idempotency_key = ? AND expires_at > ?)`,
    apiKeyUuid,
    key,
    now,
  )
  return row && toAlert(database, row)
}

/** In the transaction that creates the alert. */
export function keepAlertRequest(
  database: Database,
  alert: Alert,
  { key, keepMs }: OnceKey,
  now: number,
): void {
  deleteExpired(database, expiringTables.alertRequests, now)
  // An expired row that still exists is replaced.
  database.run(
    `INSERT OR REPLACE INTO alert_requests (api_key_uuid, idempotency_key, alert_id, expires_at)
     VALUES (?, ?, (SELECT id FROM alerts WHERE uuid = ?), ?)`,
    alert.createdBy,
    key,
    alert.uuid,
    now + keepMs,
  )
}
