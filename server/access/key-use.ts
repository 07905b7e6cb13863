import type { ApiKey } from '../../core/domain/api-key.ts'
import type { KeyStore } from '../../core/ports/access/key-store.ts'
import type { Log } from '../../core/ports/log.ts'

/** Uses within this time count as one. */
const intervalMs = 60_000

/** Records when keys were last used, at most once a minute per key. */
export type RecordKeyUse = (key: ApiKey, now: number) => void

/** Not awaited: a failed write is logged and does not fail the request. */
export function createKeyUseRecorder(keys: Pick<KeyStore, 'recordUse'>, log: Log): RecordKeyUse {
  const underWay = new Set<string>()
  return (key, now) => {
    const isRecent = key.lastUsedAt !== null && Math.abs(now - key.lastUsedAt) < intervalMs
    if (isRecent || underWay.has(key.id)) return
    underWay.add(key.id)
    keys
      .recordUse(key.id, now)
      .catch((error: unknown) => log.warn({ key_id: key.id, error }, 'could not record the use of a key'))
      .finally(() => underWay.delete(key.id))
  }
}
