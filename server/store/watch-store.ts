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
/** A file system that is mounted anew, or a folder that was moved by mistake, may come back. */
const patienceMs = 5_000

/**
 * Looks each second whether the files of the store are where they were opened, and logs what changes. Resolves to the reason when
 * they have been gone for five seconds: the process can only lose things from then on. To undefined where the watch is ended.
 */
export async function watchStore(options: WatchStoreOptions): Promise<UnavailableError | undefined> {
  const { stores, clock, log, signal } = options
  let goneAt: number | undefined
  while (await waited(clock.sleep(everyMs, signal))) {
    const error = stores.gone()
    const now = monotonic(clock)
    if (error === undefined) {
      if (goneAt !== undefined) log.warn({}, 'the data directory is back')
      goneAt = undefined
    } else if (goneAt === undefined) {
      goneAt = now
      log.error({ error }, 'the data directory is gone: nothing is acknowledged, and no step begins')
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
