import type { Actor } from '../domain/audit.ts'
import type { ConnectionSignIn } from '../domain/connection.ts'
import type { NewSignIn, RenewalOutcome } from '../ports/sign-in-store.ts'

export const beganSignIn = (
  { client, scope, renewAt, expiresAt, refresh }: NewSignIn,
  id: string,
  { name }: Actor,
  now: number,
): ConnectionSignIn => ({
  id,
  at: now,
  by: name,
  account: null,
  scope,
  client,
  isRenewable: refresh !== undefined,
  renewAt,
  expiresAt,
  renewedAt: null,
  renewingSince: null,
  ended: null,
})

export function signInAfterRenewal(
  signIn: ConnectionSignIn,
  outcome: RenewalOutcome,
  now: number,
): ConnectionSignIn {
  switch (outcome.kind) {
    case 'kept':
      return { ...signIn, renewingSince: null }
    case 'ended':
      return { ...signIn, renewingSince: null, ended: { reason: outcome.reason, at: now } }
    case 'renewed': {
      const { scope, renewAt, expiresAt } = outcome.tokens
      // RFC 6749, section 5.1: without `scope`, it is the same as before.
      return {
        ...signIn,
        scope: scope ?? signIn.scope,
        renewAt,
        expiresAt,
        renewedAt: now,
        renewingSince: null,
      }
    }
  }
}
