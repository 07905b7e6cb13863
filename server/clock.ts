import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/ports.ts'

/** The longest a timer of the platform can be set to; longer waits are made of several. */
const maxTimerMs = 2_147_483_647

/** The time of this machine. Waits are measured on the monotonic clock: setting the time neither lengthens nor shortens one. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    const until = performance.now() + ms
    for (let left = ms; left > 0; left = until - performance.now()) {
      try {
        await sleep(Math.min(left, maxTimerMs), undefined, { signal })
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
    }
    signal.throwIfAborted()
  },
}
