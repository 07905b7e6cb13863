import QuickLRU from 'quick-lru'
import { emailKey, type Account } from '../../../core/access/account.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { createRateLimit } from '../limits/rate-limit.ts'
import { RequestError } from '../request/request-error.ts'
import { networkOf } from './network-of.ts'

/** Limits attempts to sign in with a password, which can be guessed, before they are checked. */
export interface PasswordGate {
  /** Counts an attempt. Throws RequestError `too_many_requests`. */
  admit(email: string, address: string): void
  /** Counts a code with the right password. Throws RequestError `too_many_requests`. */
  admitCode(account: Account): void
  /** From now on, attempts of others from elsewhere do not lock out the person at this address. */
  succeeded(email: string, address: string): void
}

/**
 * Attempts of one account: from one network, from everywhere else, and codes with the right password. And those of one network with all
 * accounts, so that nobody tries a common password on everybody.
 */
const attempts = {
  ofSender: { perSecond: 1 / 5, burst: 100 },
  ofNetwork: { perSecond: 1 / 30, burst: 10 },
  ofAll: { perSecond: 1 / 60, burst: 50 },
  ofCodes: { perSecond: 1 / 300, burst: 10 },
} as const

export function createPasswordGate(clock: Pick<Clock, 'now'>): PasswordGate {
  const ofSender = createRateLimit({ ...attempts.ofSender, clock })
  const ofNetwork = createRateLimit({ ...attempts.ofNetwork, clock })
  const ofAll = createRateLimit({ ...attempts.ofAll, clock })
  const ofCodes = createRateLimit({ ...attempts.ofCodes, clock })
  const trusted = new QuickLRU<string, true>({ maxSize: 10_000 })
  const placeOf = (email: string, address: string): string =>
    JSON.stringify([emailKey(email), networkOf(address)])
  return {
    admit(email, address) {
      const place = placeOf(email, address)
      refuseAfter(ofNetwork(place))
      if (trusted.has(place)) return
      refuseAfter(ofSender(networkOf(address)), 'Too many attempts to sign in.')
      refuseAfter(ofAll(emailKey(email)))
    },
    admitCode: ({ uuid }) => refuseAfter(ofCodes(uuid)),
    succeeded: (email, address) => void trusted.set(placeOf(email, address), true),
  }
}

function refuseAfter(waitMs: number, message = 'Too many attempts to sign in with this account.'): void {
  if (waitMs === 0) return
  const seconds = String(Math.ceil(waitMs / 1_000))
  throw new RequestError('too_many_requests', message, {
    hint: `wait for ${seconds} seconds`,
    headers: { 'retry-after': seconds },
  })
}
