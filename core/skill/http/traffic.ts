import type { Clock } from '../../ports/clock.ts'
import { createRateBudgets, type RateBudgets, type RateBudgetsOptions } from './rate-budgets.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'

/** The tokens and budgets of all connections of a process. */
export interface Traffic {
  readonly tokens: TokenCache
  readonly budgets: RateBudgets
}

export function createTraffic(clock: Clock, budgets?: RateBudgetsOptions): Traffic {
  return { tokens: createTokenCache(clock), budgets: createRateBudgets(clock, budgets) }
}
