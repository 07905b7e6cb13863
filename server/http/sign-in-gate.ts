import type { Clock } from '../../core/ports.ts'
import { networkOf } from './network-of.ts'
import { createRateLimit } from './rate-limit.ts'
import { RequestError } from './request-error.ts'

/** Bounds how many sign-ins may fail. */
export interface SignInGate {
  /** What `check` gives. Throws what `check` throws; RequestError `too_many_requests` in place of its refusals, when there are too many. */
  admit<T>(address: string, check: () => Promise<T>): Promise<T>
}

/** Of one address: ten at once, then one in six seconds. */
const failures = { perSecond: 1 / 6, burst: 10 }

/**
 * Nobody can guess a key of 256 bits, so that a right one is never held up by the failures of others behind the same proxy. The limit keeps what
 * tries from becoming a flood, here and in the audit log.
 */
export function createSignInGate(clock: Pick<Clock, 'now'>): SignInGate {
  const fail = createRateLimit({ ...failures, clock })
  return {
    async admit(address, check) {
      try {
        return await check()
      } catch (error) {
        const waitMs = error instanceof RequestError ? fail(networkOf(address)) : 0
        if (waitMs === 0) throw error
        const seconds = String(Math.ceil(waitMs / 1_000))
        throw new RequestError('too_many_requests', 'Too many sign-ins have failed.', {
          hint: `wait for ${seconds} seconds`,
          headers: { 'retry-after': seconds },
        })
      }
    },
  }
}
