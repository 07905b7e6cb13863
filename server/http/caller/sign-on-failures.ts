import { ForbiddenError } from '../../../core/errors/errors.ts'
import type { PersonIdentity } from '../../../core/identity/identity.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import { createRateLimit } from '../limits/rate-limit.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import { networkOf } from './network-of.ts'

export interface FailedSignOn {
  readonly error: unknown
  /** Of the browser. */
  readonly address: string
  readonly requestId: string
  /** Undefined: the provider did not confirm anybody. */
  readonly identity: PersonIdentity | undefined
}

/** Records a failed single sign-on. Not awaited; never throws. */
export type RecordFailedSignOn = (failed: FailedSignOn) => void

/** Entries per address, and of all addresses: strangers can fail without end. */
const ofAddress = { perSecond: 1 / 120, burst: 5 }
const ofAll = { perSecond: 1 / 10, burst: 50 }

/** Logs each kind of failure, and records refusals in the audit log, those beyond the limits only in the log. */
export function createSignOnFailures(
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
