import type { Clock } from '../ports.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'

/** What all calls of a process share about its connections. */
export interface Traffic {
  readonly tokens: TokenCache
}

export function createTraffic(clock: Clock): Traffic {
  return { tokens: createTokenCache(clock) }
}
