import type { Clock } from '../../../core/ports/clock.ts'
import { createRateLimit } from './rate-limit.ts'
import { RequestError } from '../request/request-error.ts'

/** Bounds how often the other systems of connections are asked whether credentials work. */
export interface AuthenticateGate {
  /** Throws RequestError `too_many_requests`. */
  admit(organizationUuid: string, connectionUuid: string): void
}

const ofConnection = { perSecond: 1 / 6, burst: 10 }
const ofOrganization = { perSecond: 1 / 2, burst: 40 }

/**
 * Limits connection tests: each calls another system, and many vendors lock an account after some refused
 * sign-ins.
 */
export function createAuthenticateGate(clock: Pick<Clock, 'now'>): AuthenticateGate {
  const [connection, organization] = [ofConnection, ofOrganization].map((rate) =>
    createRateLimit({ ...rate, clock }),
  )
  return {
    admit(organizationUuid, connectionUuid) {
      const waitMs = connection!(connectionUuid) || organization!(organizationUuid)
      if (waitMs === 0) return
      const seconds = String(Math.ceil(waitMs / 1_000))
      throw new RequestError('too_many_requests', 'Too many connection tests.', {
        hint: `wait for ${seconds} seconds`,
        headers: { 'retry-after': seconds },
      })
    },
  }
}
