import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/ports/clock.ts'
import { networkOf } from '../caller/network-of.ts'
import { createRateLimit } from './rate-limit.ts'
import { RequestError } from '../request/request-error.ts'

/** Limits the rate of webhook calls before their bodies are read. */
export interface WebhookGate {
  /** Throws RequestError `too_many_requests`. */
  admit(token: string, address: string): void
  /** Records whether the token belongs to a connection. */
  learn(token: string, isKnown: boolean): void
}

const strangers = { perSecond: 5, burst: 30 }
const known = { perSecond: 50, burst: 300 }
/** Maximum number of remembered tokens. */
const maxTokens = 10_000

/**
 * A valid token has its own rate limit, which other senders cannot use up, even from the same address (a
 * proxy). All other requests share the limit of their address.
 */
export function createWebhookGate(clock: Pick<Clock, 'now'>): WebhookGate {
  const ofStranger = createRateLimit({ ...strangers, clock })
  const ofKnown = createRateLimit({ ...known, clock })
  const tokens = new Set<string>()
  return {
    admit(token, address) {
      const hash = hashOf(token)
      const waitMs = tokens.has(hash) ? ofKnown(hash) : ofStranger(networkOf(address))
      if (waitMs === 0) return
      const seconds = String(Math.ceil(waitMs / 1_000))
      throw new RequestError('too_many_requests', undefined, {
        hint: `wait for ${seconds} seconds`,
        headers: { 'retry-after': seconds },
      })
    },
    learn(token, isKnown) {
      const hash = hashOf(token)
      tokens.delete(hash)
      if (!isKnown) return
      tokens.add(hash)
      const [oldest] = tokens
      if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest)
    },
  }
}

/** Tokens are kept only as hashes. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')
