import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'

/** Real time; or, from `startMs` on, time that passes only while somebody waits. */
export function testClock(startMs?: number): Clock {
  let slept = 0
  return {
    now: () => (startMs === undefined ? Date.now() : startMs + slept),
    async sleep(ms, signal) {
      try {
        await sleep(ms, undefined, { signal })
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
      slept += ms
    },
  }
}
