import type { RateBudget, RatedRequest } from 'tocsin/plugin'

/**
 * The vendor's limits per minute, by method; see https://docs.slack.dev/apis/web-api/rate-limits. Messages
 * are limited by conversation (one a second) and by workspace (some hundred a minute); the plugin keeps to
 * the latter.
 */
const perMinute: Readonly<Record<string, number>> = {
  'auth.test': 100,
  'chat.postMessage': 200,
  'chat.update': 50,
  'conversations.history': 50,
  'conversations.open': 50,
  'users.lookupByEmail': 50,
}

/** One budget for each method, and one for the webhook. */
export function rate({ path }: RatedRequest): RateBudget | undefined {
  // The webhook's address is absolute, and a secret.
  if (!path.startsWith('/')) return { bucket: 'webhook', limits: [{ requests: 1, perMs: 1_000 }] }
  const method = path.slice(1)
  const requests = Object.hasOwn(perMinute, method) ? perMinute[method] : undefined
  return requests === undefined ? undefined : { bucket: method, limits: [{ requests, perMs: 60_000 }] }
}
