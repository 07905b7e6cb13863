import { isUsableAdmin, type ApiKey } from '../../../core/domain/api-key.ts'
import { ForbiddenError } from '../../../core/errors/errors.ts'
import type { PersonIdentity } from '../../../core/identity/identity.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { PasskeyChallenges } from '../../access/passkeys.ts'
import type { Passwords } from '../../access/passwords.ts'
import type { SingleSignOn } from '../../identity/single-sign-on.ts'
import { createRateLimit, type RateLimitOptions } from '../limits/rate-limit.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import { RequestError } from '../request/request-error.ts'
import type { PasswordGate } from './password-gate.ts'
import { networkOf } from './network-of.ts'

/** What sign-ins of people work with. */
export interface SignInServices extends SignOnServices {
  readonly passwords: Passwords
  readonly passwordGate: PasswordGate
  readonly passkeyChallenges: PasskeyChallenges
}

interface SignOnServices {
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

interface FailedSignOn {
  readonly error: unknown
  /** Of the browser. */
  readonly address: string
  readonly requestId: string
  /** Undefined: the provider did not confirm anybody. */
  readonly identity: PersonIdentity | undefined
}

/** Records a failed single sign-on. Not awaited; never throws. */
type RecordFailedSignOn = (failed: FailedSignOn) => void

/** Entries per address, and of all addresses: strangers can fail without end. */
const ofAddress = { perSecond: 1 / 120, burst: 5 }
const ofAll = { perSecond: 1 / 10, burst: 50 }

/** Logs each kind of failure, and records refusals in the audit log, those beyond the limits only in the log. */
function createSignOnFailures(
  audit: Pick<AuditStore, 'record'>,
  clock: Pick<Clock, 'now'>,
  log: Log,
): RecordFailedSignOn {
  const [address, all] = [ofAddress, ofAll].map((rate) => createRateLimit({ ...rate, clock }))
  const say = createRefusalLog(log, 'single sign-on failed')
  return ({ error, address: sender, requestId, identity }) => {
    const code = error instanceof TocsinError ? error.code : 'internal_error'
    const { message } = error as Error
    say(`${code} ${message}`, { code, reason: message, address: sender, request_id: requestId })
    // A provider that does not answer refuses nobody.
    if (!(error instanceof ForbiddenError) || address!(networkOf(sender)) > 0 || all!('') > 0) return
    const who = identity && { issuer: identity.issuer, identity: identity.subject, email: identity.email }
    audit
      .record({
        action: 'authentication.failed',
        by: { kind: 'stranger', id: sender, name: sender, requestId },
        organizationUuid: null,
        subject: { kind: 'account', id: '', name: identity?.email ?? '' },
        details: { method: 'oidc', reason: code, ...who },
      })
      .catch((failure: unknown) => log.warn({ error: failure }, 'could not record a failed single sign-on'))
  }
}
