import type { Clock } from '../../ports/clock.ts'
import type { ParkedRun } from '../../ports/runs/run-store.ts'
import { createAlarms } from './alarms.ts'

/** Wakes runs that were put away until a time. Those that are due first are in memory; the store has all of them. */
export interface ParkedRuns {
  /** Begins with what an earlier process left. */
  start(): void
  /** A run was put away. The store has to know it. */
  add(run: ParkedRun): void
  clear(): void
  /** In memory. */
  readonly size: number
}

export interface ParkedRunsOptions {
  readonly clock: Clock
  /** The first runs that are parked behind this one, from the store, in the order in which they wake. */
  readonly next: (after: ParkedRun | undefined, limit: number) => Promise<readonly ParkedRun[]>
  /** Its time has come. */
  readonly wake: (run: ParkedRun) => void
  /** See `TurnQueueOptions.onTrouble`. */
  readonly onTrouble: (error: unknown) => Promise<void>
  /** Default 1,000. */
  readonly maxInMemory?: number | undefined
}

const defaultInMemory = 1_000

export function createParkedRuns(options: ParkedRunsOptions): ParkedRuns {
  const { clock, next, wake, onTrouble, maxInMemory = defaultInMemory } = options
  const alarms = createAlarms<ParkedRun>(clock, (run) => {
    wake(run)
    loadIfShort()
  })
  /** The last one that was loaded; all that wake before it are in memory. */
  let last: ParkedRun | undefined
  /** There may be runs in the store that wake later than all in memory. */
  let isCut = false
  let isLoading = false
  /** Raised where all begins anew: what is loaded for an earlier one no longer counts. */
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
      // Until the answer is there, all that is added goes into memory: it may be missing in the answer.
      isCut = false
      const runs = await next(last, maxInMemory)
      if (mine === generation) take(runs)
    } catch (error) {
      isCut = true
      if (
        await onTrouble(error).then(
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
