import type { RateBudget } from 'tocsin/plugin'
import { countCalls, type SandboxReply } from 'tocsin/plugin/testing'
import { messagingFaults } from './faults.ts'

const perMinute = (requests: number): RateBudget['limits'] => [{ requests, perMs: 60_000 }]

/** Limits from the vendor's documentation; kept separate from the plugin's own limits. */
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
 * Counts calls and refuses those over the limit.
 *
 * @returns a function of the method, or `webhook`, and the channel if it has its own limit
 */
export function rates(): (method: string, channel?: string) => SandboxReply | undefined {
  const count = countCalls()
  return (method, channel = '') => {
    const waitS = count(`${method} ${channel}`, limits[method] ?? [])
    return waitS === undefined
      ? undefined
      : { ...messagingFaults.rateLimited, headers: { 'retry-after': String(waitS) } }
  }
}
