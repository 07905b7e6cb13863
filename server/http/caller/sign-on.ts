import { isUsableAdmin, type ApiKey } from '../../../core/domain/api-key.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { SingleSignOn } from '../../identity/single-sign-on.ts'
import { createRateLimit, type RateLimitOptions } from '../limits/rate-limit.ts'
import { RequestError } from '../request/request-error.ts'
import { networkOf } from './network-of.ts'
import { createSignOnFailures, type RecordFailedSignOn } from './sign-on-failures.ts'

/** What the routes of single sign-on work with. */
export interface SignOnServices {
  /** Undefined: not configured. */
  readonly singleSignOn: SingleSignOn | undefined
  /** Limits started sign-ins. */
  readonly signOnGate: SenderGate
  /** Limits logout tokens of the identity provider. */
  readonly logoutGate: SenderGate
  readonly recordFailedSignOn: RecordFailedSignOn
}

export const signOnServices = (
  singleSignOn: SingleSignOn | undefined,
  { stores, clock, log }: { readonly stores: Stores; readonly clock: Clock; readonly log: Log },
): SignOnServices => ({
  singleSignOn,
  signOnGate: createSenderGate({ perSecond: 1, burst: 60, clock }, 'Too many sign-ins.'),
  logoutGate: createSenderGate({ perSecond: 10, burst: 100, clock }),
  recordFailedSignOn: createSignOnFailures(stores.audit, clock, log),
})

/**
 * Allows sign-ins without the identity provider; if it is the only way, those with an admin key for all organizations.
 *
 * @param key undefined: a person signs in
 * @throws RequestError `local_sign_in_off`
 */
export function requireLocalSignIn(
  { singleSignOn, clock, log }: SignOnServices & { readonly clock: Clock; readonly log: Log },
  key?: ApiKey,
): void {
  if (singleSignOn?.settings.localSignIn !== 'break_glass') return
  if (key === undefined || !isUsableAdmin(key, clock.now())) {
    throw new RequestError('local_sign_in_off', undefined, {
      hint: 'sign in with the identity provider; in an emergency, use an admin key for all organizations',
    })
  }
  log.warn({ actor: key.name }, 'somebody signed in to the page with an admin key instead of single sign-on')
}

/** Limits the requests of one address, or of one IPv6 network. */
interface SenderGate {
  /** Throws RequestError `too_many_requests`. */
  admit(address: string): void
}

function createSenderGate(options: RateLimitOptions, message?: string): SenderGate {
  const waitOf = createRateLimit(options)
  return {
    admit(address) {
      const waitMs = waitOf(networkOf(address))
      if (waitMs === 0) return
      const seconds = String(Math.ceil(waitMs / 1_000))
      throw new RequestError('too_many_requests', message, {
        hint: `wait for ${seconds} seconds`,
        headers: { 'retry-after': seconds },
      })
    },
  }
}
