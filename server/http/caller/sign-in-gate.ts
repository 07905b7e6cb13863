import type { Clock } from '../../../core/ports/clock.ts'
import { networkOf } from './network-of.ts'
import { createRateLimit } from '../limits/rate-limit.ts'
import { RequestError } from '../request/request-error.ts'

/** Bounds how many sign-ins, or requests with an API key or a session, may fail. */
export interface SignInGate {
  /** What `check` gives. Throws what `check` throws; RequestError `too_many_requests` in place of its refusals, when there are too many. */
  admit<T>(address: string, check: () => Promise<T>): Promise<T>
}

/** Of one address: sign-ins are made by people, requests by programs, which may have been given a wrong key. */
const failures = {
  signIn: { perSecond: 1 / 6, burst: 10, message: 'Too many sign-ins have failed.' },
  request: { perSecond: 5, burst: 300, message: 'Too many requests had no valid API key.' },
} as const

/**
 * Nobody can guess a key of 256 bits, so that a right one is never held up by the failures of others behind the same proxy. The limit keeps what
 * tries from becoming a flood, here and in the audit log.
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
