import type { Account } from '../../../core/access/account.ts'
import type { Session } from '../../../core/domain/session.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { RequestError } from '../request/request-error.ts'
import type { Caller } from './caller.ts'

/** Milliseconds since a sign-in within which a person may change the ways to sign in. */
export const recentMs = 15 * 60_000

/** The person and the session of a request. Throws RequestError `account_needed` for an API key and its sessions. */
export function requirePerson({ account, session }: Caller): {
  readonly account: Account
  readonly session: Session
} {
  if (account !== undefined && session !== undefined) return { account, session }
  throw new RequestError('account_needed', undefined, { hint: 'sign in as a person' })
}

/**
 * The same for changes of the ways to sign in, which need a recent sign-in: a session that somebody else got hold of must not become
 * permanent. Throws RequestError `account_needed`, `sign_in_not_recent`.
 */
export function requireRecentPerson(caller: Caller, clock: Pick<Clock, 'now'>) {
  const person = requirePerson(caller)
  if (clock.now() - person.session.createdAt < recentMs) return person
  throw new RequestError('sign_in_not_recent', undefined, {
    hint: `sign in again, and make the change within ${recentMs / 60_000} minutes`,
  })
}
