import QuickLRU from 'quick-lru'
import type { Account } from '../../core/access/account.ts'
import type { ApiKey } from '../../core/domain/api-key.ts'
import type { Log } from '../../core/ports/log.ts'

/** Uses within this time count as one. */
const intervalMs = 60_000
const maxRemembered = 100_000

interface Used {
  /** Of the API key or the account. */
  readonly uuid: string
  readonly lastUsedAt: number | null
}

/** Records when keys and accounts were last used, at most once a minute each. */
type RecordUse<T extends Used> = (used: T, now: number) => void
export type RecordKeyUse = RecordUse<ApiKey>
export type RecordAccountUse = RecordUse<Account>

/** Not awaited: a failed write is logged and does not fail the request. */
export function createUseRecorder<T extends Used>(
  record: (used: T, now: number) => Promise<void>,
  what: 'a key' | 'an account',
  log: Log,
): RecordUse<T> {
  /** By uuid, in epoch milliseconds: what is read from the store may be older. */
  const recordedAt = new QuickLRU<string, number>({ maxSize: maxRemembered })
  return (used, now) => {
    const { uuid, lastUsedAt } = used
    const last = recordedAt.get(uuid) ?? lastUsedAt
    if (last !== null && Math.abs(now - last) < intervalMs) return
    recordedAt.set(uuid, now)
    record(used, now).catch((error: unknown) => {
      recordedAt.delete(uuid)
      log.warn({ actor: uuid, error }, `could not record the use of ${what}`)
    })
  }
}
