import type { Work } from '../database/work.ts'
import type { Alert } from '../../../core/domain/alert.ts'
import { keyReused } from '../../../core/transitions/idempotency.ts'
import type { OnceKey } from '../../../core/ports/alert-store.ts'
import { selectAlert, toAlert, type AlertRow } from './alert-rows.ts'
import { expiringTables, makeRoom } from '../context/rows.ts'
import type { Database } from '../database/database.ts'

/** The alert of an earlier request with this key, while the key is kept. */
export function* findAlertOfRequest(
  database: Database,
  apiKeyUuid: string,
  key: string,
  now: number,
): Work<Alert | undefined> {
  const row = yield* database.get<AlertRow>(
    `${selectAlert} WHERE t.id = (SELECT alert_id FROM alert_requests
       WHERE api_key_uuid = ? AND idempotency_key = ? AND expires_at > ?)`,
    apiKeyUuid,
    key,
    now,
  )
  return row && (yield* toAlert(database, row))
}

/** In the transaction that creates the alert. */
export function* keepAlertRequest(
  database: Database,
  alert: Alert,
  { key, keepMs }: OnceKey,
  now: number,
): Work<void> {
  yield* makeRoom(database, expiringTables.alertRequests, now)
  // An expired row that still exists is replaced. The key may just have been used for another organization.
  const isKept = yield* database.run(
    `INSERT INTO alert_requests (api_key_uuid, idempotency_key, alert_id, expires_at)
     VALUES (?, ?, (SELECT id FROM alerts WHERE uuid = ?), ?)
     ON CONFLICT (api_key_uuid, idempotency_key) DO UPDATE SET alert_id = excluded.alert_id, expires_at = excluded.expires_at
     WHERE alert_requests.expires_at <= ?`,
    alert.createdBy,
    key,
    alert.uuid,
    now + keepMs,
    now,
  )
  if (isKept === 0) throw keyReused(key, 'another alert')
}
