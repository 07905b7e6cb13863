import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Database } from '../sql/database/database.ts'
import { setFact } from '../sql/database/facts.ts'
import type { Statement, Transactions, Work } from '../sql/database/work.ts'
import { postgresBusy } from './driver/errors.ts'

/** A write that takes longer is explained, in milliseconds: before `/readyz` gives up. */
const lateMs = 1_500

/**
 * Does a write, one at a time: others wait for the same. Rejects with what makes it fail, or with what holds it up if that is known.
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
    while (await isLate(written)) {
      const reason = await transactions.read(findHoldUp)
      if (reason !== undefined) throw reason
    }
  }
}

/** Rejects with the error of the write. */
function isLate(written: Promise<void>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(lateMs, true, { signal: timer.signal }).catch(() => false)
  return Promise.race([written.then(() => false), late]).finally(() => timer.abort())
}

/** Younger transactions are no reason to wait, in seconds. */
const longSeconds = 5

/**
 * The transaction that most likely holds up others: one that waits for a standby, or the oldest one that has written something or has a lock
 * of `driver/exclusion.ts`. Others that only wait for locks themselves come last. The user of Tocsin sees only its own transactions, unless it has
 * the role `pg_read_all_stats`.
 */
const findHolder: Statement = {
  sql: `SELECT pid, state, wait_event_type AS "waitType", wait_event AS "waitEvent",
      CAST(extract(epoch FROM clock_timestamp() - xact_start) AS bigint) AS seconds,
      current_setting('synchronous_standby_names') AS standbys
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND (wait_event = 'SyncRep' OR
      xact_start < clock_timestamp() - make_interval(secs => ${longSeconds}) AND (backend_xid IS NOT NULL OR
        EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'advisory' AND granted)))
    ORDER BY wait_event IS NOT DISTINCT FROM 'SyncRep' DESC, wait_event_type IS NOT DISTINCT FROM 'Lock', xact_start
    LIMIT 1`,
  values: [],
}

interface Holder {
  readonly pid: number
  readonly state: string | null
  readonly waitType: string | null
  readonly waitEvent: string | null
  readonly seconds: number | null
  readonly standbys: string
}

/**
 * Why writes wait although PostgreSQL answers; undefined: not known. While no synchronous standby answers, PostgreSQL accepts everything but
 * ends no commit.
 */
export function* findHoldUp(): Work<UnavailableError | undefined> {
  const [holder] = (yield findHolder).rows as readonly Holder[]
  if (holder === undefined) return undefined
  return holder.waitEvent === 'SyncRep' ? standbyMissing(holder.standbys) : heldBy(holder)
}

const standbyMissing = (standbys: string): UnavailableError =>
  new UnavailableError(
    'store_unavailable',
    `PostgreSQL ends no commit, because no synchronous standby answers (synchronous_standby_names is '${standbys}')`,
    {
      retryAfterMs: 5_000,
      hint: 'Start the standby, or empty synchronous_standby_names until it is back.',
    },
  )

function heldBy({ pid, state, waitType, waitEvent, seconds }: Holder): UnavailableError {
  const waits = waitType === null || waitType === 'Client' ? '' : `, waits for ${waitType} ${waitEvent}`
  return postgresBusy(
    `PostgreSQL holds up the write; its longest transaction is process ${pid} (${state}${waits}), for ${seconds} seconds`,
    'Check the load and the disk of PostgreSQL, and that process in pg_stat_activity; pg_terminate_backend ends it.',
  )
}
