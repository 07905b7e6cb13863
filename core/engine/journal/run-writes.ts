import { UnavailableError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { RunSuspended } from './durable-context.ts'

/** The writes of one run, in their order. Each is tried again while the store cannot take it. */
export interface RunWrites {
  /** Nobody waits for this one by itself. */
  later(write: () => Promise<unknown>): void
  /** Resolves when it is durable, and all before it. */
  now<T>(write: () => Promise<T>): Promise<T>
  /**
   * Undefined where the run may go on at once. Else resolves when all are durable, and others have had their turn: what only
   * calculates never fills the memory with what waits to be written, and never keeps the process to itself.
   */
  room(): Promise<unknown> | undefined
  /** Resolves when all are durable. Rejects, from then on, where one could not be made. */
  settled(): Promise<void>
}

export interface RunWritesOptions {
  readonly runUuid: string
  readonly clock: Clock
  readonly log: Log
  /** Ends the waiting for a store that cannot be written. */
  readonly stop: AbortSignal
}

const firstWaitMs = 250
const longestWaitMs = 30_000
/** Writes under way, until the run waits for them. */
const maxUnderWay = 500
/** How long a run calculates in one go, in milliseconds. */
const longestTurnMs = 20

export function createWrites(options: RunWritesOptions): RunWrites {
  /** None of these rejects. */
  const underWay = new Set<Promise<void>>()
  /** One of those under way was refused and is tried again: none may overtake it. */
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

/** What is known is not lost to a passing trouble, such as a full disk: the run waits with it in hand. */
async function insist<T>(
  write: () => Promise<T>,
  { runUuid, clock, log, stop }: RunWritesOptions,
  onTrouble: () => void,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (error) {
      // The try before may have been committed although its answer was lost.
      if (tries > 1 && error instanceof TocsinError && error.code === 'step_has_ended') return undefined as T
      if (!(error instanceof UnavailableError)) throw error
      onTrouble()
      const waitMs = Math.min(Math.max(firstWaitMs * 2 ** (tries - 1), error.retryAfterMs), longestWaitMs)
      log.warn({ run: runUuid, code: error.code, delay_ms: waitMs }, 'the journal cannot be written')
      await clock.sleep(waitMs, stop).catch(() => {
        throw new RunSuspended()
      })
    }
  }
}
