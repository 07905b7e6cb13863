import type { Account } from '../../core/access/account.ts'
import type { ApiKey } from '../../core/domain/api-key.ts'
import type { Log } from '../../core/ports/log.ts'

/** Uses within this time count as one. */
const intervalMs = 60_000

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
  const underWay = new Set<string>()
  return (used, now) => {
    const { uuid, lastUsedAt } = used
    const isRecent = lastUsedAt !== null && Math.abs(now - lastUsedAt) < intervalMs
    if (isRecent || underWay.has(uuid)) return
    underWay.add(uuid)
    record(used, now)
      .catch((error: unknown) => log.warn({ actor: uuid, error }, `could not record the use of ${what}`))
      .finally(() => underWay.delete(uuid))
  }
}
