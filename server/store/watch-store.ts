import type { UnavailableError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'

export interface WatchStoreOptions {
  readonly stores: Pick<Stores, 'gone'>
  readonly clock: Clock
  readonly log: Log
  /** Ends the watch. */
  readonly signal: AbortSignal
}

const everyMs = 1_000
/** A remounted file system or a moved folder may come back. */
const patienceMs = 5_000

/**
 * Checks once a second whether the store's files are in place, and logs changes. Resolves to the error after five seconds without
 * them, since the process can only lose data from then on, and at once if other processes have removed this one or the database was replaced; to undefined when the
 * watch is stopped.
 */
export async function watchStore(options: WatchStoreOptions): Promise<UnavailableError | undefined> {
  const { stores, clock, log, signal } = options
  let goneAt: number | undefined
  while (await waited(clock.sleep(everyMs, signal))) {
    const error = stores.gone()
    const now = monotonic(clock)
    if (error?.code === 'node_removed' || error?.code === 'database_replaced') return error
    if (error === undefined) {
      if (goneAt !== undefined) log.warn({}, 'the data directory is writable again')
      goneAt = undefined
    } else if (goneAt === undefined) {
      goneAt = now
      log.error({ error }, 'the data directory is gone: no request is acknowledged and no step starts')
    } else if (now - goneAt >= patienceMs) {
      return error
    }
  }
  return undefined
}

const monotonic = (clock: Clock): number => clock.monotonic?.() ?? clock.now()

const waited = (sleep: Promise<void>): Promise<boolean> =>
  sleep.then(
    () => true,
    () => false,
  )
