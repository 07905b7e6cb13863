import type { Clock } from '../../ports/clock.ts'
import { createTraffic, type Traffic } from '../../skill/http/traffic.ts'

/** With a token that is there already and never replaced; null: with none, so that the first request fetches one. */
export function testTraffic(clock: Clock, token: string | null): Traffic {
  const traffic = createTraffic(clock)
  if (token === null) return traffic
  return {
    ...traffic,
    tokens: { get: async () => token, replace: async () => undefined, forget() {} },
  }
}
