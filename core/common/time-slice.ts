import { setImmediate } from 'node:timers/promises'

/** Milliseconds after which other tasks get a turn. */
const maxHoldMs = 20

/** Measures how long a task has blocked the event loop. */
export class TimeSlice {
  #from = performance.now()

  get isLong(): boolean {
    return performance.now() - this.#from >= maxHoldMs
  }

  /** Resolves after other tasks had a turn. */
  async yieldToOthers(): Promise<void> {
    await setImmediate()
    this.#from = performance.now()
  }
}
