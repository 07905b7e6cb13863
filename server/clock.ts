import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/ports.ts'

/** The longest a timer of the platform can be set to; longer waits are made of several. */
const maxTimerMs = 2_147_483_647

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    const until = Date.now() + ms
    for (let left = ms; left > 0; left = until - Date.now()) {
      try {
        await sleep(Math.min(left, maxTimerMs), undefined, { signal })
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
    }
    signal.throwIfAborted()
  },
}
