import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Database } from '../sql/database/database.ts'
import { setFact } from '../sql/database/facts.ts'
import type { Transactions, Work } from '../sql/database/work.ts'

/** A write that takes longer is explained, in milliseconds: before `/readyz` gives up. */
const lateMs = 1_500

/**
 * Does a write, one at a time: others wait for the same. Rejects with what makes it fail, or with what holds it up if that is known: while
 * no synchronous standby answers, PostgreSQL accepts everything but ends no commit.
 */
export function createProbe(
  { database, transactions }: { readonly database: Database; readonly transactions: Transactions },
  clock: Pick<Clock, 'now'>,
): () => Promise<void> {
  let writing: Promise<void> | undefined
  const write = (): Promise<void> =>
    transactions
      .write(() => setFact(database, 'probed_at', clock.now()), { row: 'probed_at' })
      .finally(() => (writing = undefined))

  return async () => {
    const written = (writing ??= write())
    const timer = new AbortController()
    const late = sleep(lateMs, true, { signal: timer.signal }).catch(() => false)
    const isLate = await Promise.race([written.then(() => false), late]).finally(() => timer.abort())
    if (!isLate) return
    const reason = await transactions.read(() => heldBack(database))
    if (reason !== undefined) throw reason
    await written
  }
}

function* heldBack(database: Database): Work<UnavailableError | undefined> {
  const found = yield* database.get<{ standbys: string }>(`
    SELECT current_setting('synchronous_standby_names') AS standbys FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'SyncRep' LIMIT 1`)
  if (found === undefined) return undefined
  const message = `PostgreSQL ends no commit, because no synchronous standby answers (synchronous_standby_names is '${found.standbys}')`
  return new UnavailableError('store_unavailable', message, {
    retryAfterMs: 5_000,
    hint: 'Start the standby, or empty synchronous_standby_names until it is back.',
  })
}
