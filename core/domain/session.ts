import { isActive, type Account } from '../access/account.ts'
import { isUsable, type ApiKey } from './api-key.ts'

/** How a session was started. */
export const signInMethods = ['api_key', 'password', 'passkey', 'oidc'] as const
export type SignInMethod = (typeof signInMethods)[number]

/**
 * A sign-in to the web page, by a person or with an API key. Its token is not stored in the clear, so it is not part of
 * this. It ends when its key or account ends.
 */
export interface Session {
  readonly uuid: string
  /** The current state of the account or key that it was started with. */
  readonly holder: SessionHolder
  readonly method: SignInMethod
  /** The browser, as it names itself; shortened. */
  readonly client: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; recorded at most once a minute. */
  readonly lastUsedAt: number
}

export type SessionHolder = { readonly key: ApiKey } | { readonly account: Account }

/** The account may act, or the key is usable at `now`, in epoch milliseconds. */
export const isHolderUsable = (holder: SessionHolder, now: number): boolean =>
  'account' in holder ? isActive(holder.account) : isUsable(holder.key, now)

export interface SessionLimits {
  /** Milliseconds without a request after which a session ends. */
  readonly idleMs: number
  /** Milliseconds after which it ends even if used. */
  readonly maxMs: number
}

/** When an unused session ends, in epoch milliseconds. */
export function idleEnd({ lastUsedAt }: Session, { idleMs }: SessionLimits): number {
  return lastUsedAt + idleMs
}

/** When a session ends at the latest, in epoch milliseconds. */
export function lastEnd({ createdAt, holder }: Session, { maxMs }: SessionLimits): number {
  return Math.min(createdAt + maxMs, 'key' in holder ? (holder.key.expiresAt ?? Infinity) : Infinity)
}
