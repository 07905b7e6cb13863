import type { ApiKey } from '../../core/domain/api-key.ts'
import type { KeyStore } from '../../core/ports/access/key-store.ts'
import type { Log } from '../../core/ports/log.ts'

/** Uses closer together than this are recorded as one. */
const intervalMs = 60_000

/** Remembers when keys were last used, at most once a minute for each. */
export type RecordKeyUse = (key: ApiKey, now: number) => void

/** Nobody waits for the write, and its failure fails nothing: the time is for people who tidy up keys. */
export function createKeyUseRecorder(keys: Pick<KeyStore, 'recordUse'>, log: Log): RecordKeyUse {
  const underWay = new Set<string>()
  return (key, now) => {
    const isRecent = key.lastUsedAt !== null && Math.abs(now - key.lastUsedAt) < intervalMs
    if (isRecent || underWay.has(key.id)) return
    underWay.add(key.id)
    keys
      .recordUse(key.id, now)
      .catch((error: unknown) => log.warn({ key_id: key.id, error }, 'the use of a key was not recorded'))
      .finally(() => underWay.delete(key.id))
  }
}
