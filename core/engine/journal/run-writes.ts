import { UnavailableError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { isTurnLost } from '../../ports/runs/turn.ts'
import { RunSuspended } from './durable-context.ts'

/** The writes of one run, in order. Each is retried while the store is unavailable. */
export interface RunWrites {
  /** Queues a write without waiting for it. */
  later(write: () => Promise<unknown>): void
  /** Resolves when this and all earlier writes are durable. */
  now<T>(write: () => Promise<T>): Promise<T>
  /**
   * Back-pressure: undefined if the run may continue at once. Otherwise resolves when all writes are durable and
   * other work had a turn, so that a run that only computes neither fills the memory nor blocks the process.
   */
  room(): Promise<unknown> | undefined
  /** Resolves when all writes are durable; rejects from the first failed write on. */
  settled(): Promise<void>
}

export interface RunWritesOptions {
  readonly runUuid: string
  readonly clock: Clock
  readonly log: Log
  /** Stops waiting for the store. */
  readonly stop: AbortSignal
  /** Called when a write was refused because the turn is over; the write rejects with RunSuspended. Default: none. */
  readonly onTurnLost?: (() => void) | undefined
}

const firstWaitMs = 250
const longestWaitMs = 30_000
/** Most pending writes before the run waits. */
const maxUnderWay = 500
/** Longest time slice of a run, in milliseconds. */
const longestTurnMs = 20

export function createWrites(options: RunWritesOptions): RunWrites {
  /** None of these promises rejects. */
  const underWay = new Set<Promise<void>>()
  /** A pending write is being retried; later writes wait for it. */
  let inTrouble = false
  let turnBeganAt = performance.now()
  let lost: { readonly reason: unknown } | undefined

  function begin<T>(write: () => Promise<T>): Promise<T> {
    const insisting = () => insist(write, options, () => (inTrouble = true))
    const writing = inTrouble ? Promise.all(underWay).then(insisting) : insisting()
    const over = (): void => {
      underWay.delete(ending)
      if (underWay.size === 0) inTrouble = false
    }
    const ending = writing.then(over, (reason: unknown) => {
      lost ??= { reason }
      over()
    })
    underWay.add(ending)
    return writing
  }

  return {
    later: (write) => void begin(write),
    async now(write) {
      const writing = begin(write)
      await Promise.all(underWay)
      if (lost) throw lost.reason
      return await writing
    },
    room() {
      if (underWay.size < maxUnderWay && performance.now() - turnBeganAt < longestTurnMs) return undefined
      return Promise.all(underWay).then(() => (turnBeganAt = performance.now()))
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
      if (lost) throw lost.reason
    },
  }
}

/** Retries a write while the store is unavailable, so that a known result is not lost. */
async function insist<T>(
  write: () => Promise<T>,
  { runUuid, clock, log, stop, onTurnLost }: RunWritesOptions,
  onStoreError: () => void,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (error) {
      // The previous attempt may have been committed although its answer was lost.
      if (tries > 1 && error instanceof TocsinError && error.code === 'step_has_ended') return undefined as T
      if (isTurnLost(error)) {
        onTurnLost?.()
        throw new RunSuspended()
      }
      if (!(error instanceof UnavailableError)) throw error
      onStoreError()
      const waitMs = Math.min(Math.max(firstWaitMs * 2 ** (tries - 1), error.retryAfterMs), longestWaitMs)
      log.warn({ run: runUuid, code: error.code, delay_ms: waitMs }, 'cannot write the journal')
      await clock.sleep(waitMs, stop).catch(() => {
        throw new RunSuspended()
      })
    }
  }
}
