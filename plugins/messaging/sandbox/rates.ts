import type { RateBudget } from 'tocsin/plugin'
import { countCalls, type SandboxReply } from 'tocsin/plugin/testing'
import { faults } from './faults.ts'

const perMinute = (requests: number): RateBudget['limits'] => [{ requests, perMs: 60_000 }]

/** What the vendor's page about rate limits says. Written apart from what the plugin keeps to. */
const limits: Readonly<Record<string, RateBudget['limits']>> = {
  'auth.test': perMinute(300),
  'chat.postMessage': perMinute(60), // in one channel; one a second, but bursts pass
  'chat.update': perMinute(50),
  'conversations.history': perMinute(50),
  'conversations.open': perMinute(50),
  'users.lookupByEmail': perMinute(50),
  webhook: perMinute(60),
}

/**
 * Counts calls, and has the refusal where there were too many.
 *
 * @returns takes the method, or `webhook`, and the channel where one has a limit of its own
 */
export function rates(): (method: string, channel?: string) => SandboxReply | undefined {
  const count = countCalls()
  return (method, channel = '') => {
    const waitS = count(`${method} ${channel}`, limits[method] ?? [])
    return waitS === undefined
      ? undefined
      : { ...faults.rateLimited, headers: { 'retry-after': String(waitS) } }
  }
}
