import type { Clock } from '../../ports/clock.ts'
import type { ParkedRun } from '../../ports/runs/run-store.ts'
import { createAlarms } from './alarms.ts'

/** Wakes parked runs at their times. Memory holds those that wake first; the store holds all. */
export interface ParkedRuns {
  /** Begins with the runs that an earlier process parked. */
  start(): void
  /** Adds a run that the store has parked. */
  add(run: ParkedRun): void
  clear(): void
  /** In memory. */
  readonly size: number
}

export interface ParkedRunsOptions {
  readonly clock: Clock
  /** Reads the parked runs after this one from the store, in the order in which they wake. */
  readonly next: (after: ParkedRun | undefined, limit: number) => Promise<readonly ParkedRun[]>
  readonly wake: (run: ParkedRun) => void
  /** See `TurnQueueOptions.onStoreError`. */
  readonly onStoreError: (error: unknown) => Promise<void>
  /** Default 1,000. */
  readonly maxInMemory?: number | undefined
}

const defaultInMemory = 1_000

export function createParkedRuns(options: ParkedRunsOptions): ParkedRuns {
  const { clock, next, wake, onStoreError, maxInMemory = defaultInMemory } = options
  const alarms = createAlarms<ParkedRun>(clock, (run) => {
    wake(run)
    loadIfShort()
  })
  /** The last loaded run; all that wake before it are in memory. */
  let last: ParkedRun | undefined
  /** The store may have runs that wake later than all in memory. */
  let isCut = false
  let isLoading = false
  /** Incremented at every restart, so that an outdated page is ignored. */
  let generation = 0

  function loadIfShort(): void {
    if (!isCut || isLoading || alarms.size > maxInMemory / 2) return
    isLoading = true
    void load()
  }

  /** Never rejects. */
  async function load(): Promise<void> {
    const mine = generation
    try {
      // The page may miss runs that are added while it is read, so those go into memory.
      isCut = false
      const runs = await next(last, maxInMemory)
      if (mine === generation) take(runs)
    } catch (error) {
      isCut = true
      if (
        await onStoreError(error).then(
          () => false,
          () => true,
        )
      )
        return
    }
    isLoading = false
    loadIfShort()
  }

  function take(runs: readonly ParkedRun[]): void {
    for (const run of runs) alarms.set(run.wakeAt, run)
    last = runs.at(-1) ?? last
    isCut = runs.length >= maxInMemory
  }

  function startOver(): void {
    generation++
    alarms.clear()
    last = undefined
    isCut = true
    loadIfShort()
  }

  return {
    start: startOver,
    add(run) {
      if (run.wakeAt === Infinity || (isCut && last !== undefined && run.wakeAt > last.wakeAt)) return
      if (alarms.size < 2 * maxInMemory) alarms.set(run.wakeAt, run)
      else startOver()
    },
    clear() {
      generation++
      alarms.clear()
      isCut = false
    },
    get size() {
      return alarms.size
    },
  }
}
