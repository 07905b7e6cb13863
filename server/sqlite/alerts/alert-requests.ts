import type { Alert, NewAlert } from '../../../core/domain/alert.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { OnceKey } from '../../../core/ports/alert-store.ts'
import { selectAlert, toAlert, type AlertRow } from './alert-rows.ts'
import type { Database } from '../database/database.ts'

/** Outlived keys that one new key clears away: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

/** What an earlier request with this key made, while the key is kept. */
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

/** The alert keeps all that the first request said, so that there is nothing else to compare a second one with. */
export function requireSame(earlier: Alert, given: NewAlert, key: string): Alert {
  const isSame =
    earlier.content === given.content &&
    earlier.organizationUuid === given.organizationUuid &&
    earlier.provider.toLowerCase() === given.provider.toLowerCase() &&
    earlier.type === given.type &&
    earlier.createdAtSource === given.createdAtSource
  if (isSame) return earlier
  throw new ConflictError(
    'idempotency_key_reused',
    `the key '${key.slice(0, 64)}' belongs to another alert`,
    {
      details: { alert_id: earlier.id },
    },
  )
}

/** In the transaction of the alert itself: neither is there without the other. */
export function keepAlertRequest(
  database: Database,
  alert: Alert,
  { key, keepMs }: OnceKey,
  now: number,
): void {
  database.run(
    `DELETE FROM alert_requests WHERE (api_key_uuid, idempotency_key) IN
       (SELECT api_key_uuid, idempotency_key FROM alert_requests WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    now,
    clearedAtOnce,
  )
  // A key that is outlived and not yet cleared away begins anew.
  database.run(
    `INSERT OR REPLACE INTO alert_requests (api_key_uuid, idempotency_key, alert_id, expires_at)
     VALUES (?, ?, (SELECT id FROM alerts WHERE uuid = ?), ?)`,
    alert.createdBy,
    key,
    alert.uuid,
    now + keepMs,
  )
}
