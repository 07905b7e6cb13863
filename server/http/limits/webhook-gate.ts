import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/ports/clock.ts'
import { networkOf } from '../caller/network-of.ts'
import { createRateLimit } from './rate-limit.ts'
import { RequestError } from '../request/request-error.ts'

/** Decides how much may be sent to the addresses of connections, before anything of it is read. */
export interface WebhookGate {
  /** Throws RequestError `too_many_requests`. */
  admit(token: string, address: string): void
  /** Whether a connection has this token, as has been found out. */
  learn(token: string, isKnown: boolean): void
}

const strangers = { perSecond: 5, burst: 30 }
const known = { perSecond: 50, burst: 300 }
/** Tokens that are remembered. */
const maxTokens = 10_000

/**
 * Who has shown a token that is right has a rate of its own, so that nobody else can use it up, also not from the same address (that
 * of a proxy); all others share the rate of their address.
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

/** Nothing keeps a token as it is. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')
