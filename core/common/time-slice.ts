import { performance } from 'node:perf_hooks'
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

/** Above this share of working time the process is busy. */
const busyShare = 0.5

/** Measures how busy the event loop is, for background tasks that make room for others. */
export class EventLoopLoad {
  #utilization = performance.eventLoopUtilization()

  /** Since the last call. */
  isBusy(): boolean {
    const before = this.#utilization
    this.#utilization = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(this.#utilization, before).utilization > busyShare
  }
}
