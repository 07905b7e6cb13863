import { performance } from 'node:perf_hooks'

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
