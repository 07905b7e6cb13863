import type { Clock } from '../../../core/ports/clock.ts'
import { networkOf } from './network-of.ts'
import { createRateLimit } from '../limits/rate-limit.ts'
import { RequestError } from '../request/request-error.ts'

/** Limits failed sign-ins, and failed requests with an API key or a session. */
export interface SignInGate {
  /**
   * The result of `check`. Throws what `check` throws, or RequestError `too_many_requests` beyond the limit.
   */
  admit<T>(address: string, check: () => Promise<T>): Promise<T>
}

/** Failures per address: people sign in, while a program may repeat a wrong key often. */
const failures = {
  signIn: { perSecond: 1 / 6, burst: 10, message: 'Too many failed sign-ins.' },
  request: { perSecond: 5, burst: 300, message: 'Too many requests without a valid API key.' },
} as const

/**
 * A key of 256 bits cannot be guessed, so a valid key is never delayed by failures of others behind the same
 * proxy. The limit only keeps attempts from flooding the server and the audit log.
 */
export function createSignInGate(
  clock: Pick<Clock, 'now'>,
  kind: keyof typeof failures = 'signIn',
): SignInGate {
  const { message, ...rate } = failures[kind]
  const fail = createRateLimit({ ...rate, clock })
  return {
    async admit(address, check) {
      try {
        return await check()
      } catch (error) {
        const waitMs = error instanceof RequestError ? fail(networkOf(address)) : 0
        if (waitMs === 0) throw error
        const seconds = String(Math.ceil(waitMs / 1_000))
        throw new RequestError('too_many_requests', message, {
          hint: `wait for ${seconds} seconds`,
          headers: { 'retry-after': seconds },
        })
      }
    },
  }
}
