import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import { createTraffic, type Traffic } from '../../skill/http/traffic.ts'

/** Real time, or from `startMs` on, time that advances only during waits. */
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

/** With a fixed token; null: with none, so that the first request fetches one. */
export function testTraffic(clock: Clock, token: string | null): Traffic {
  const traffic = createTraffic(clock)
  if (token === null) return traffic
  return {
    ...traffic,
    tokens: { get: async () => token, replace: async () => undefined, forget() {} },
  }
}
