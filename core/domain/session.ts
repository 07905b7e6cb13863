import type { ApiKey } from './api-key.ts'

/** A person at the web page, signed in with an API key. Its token is not part of it: nothing keeps that as it is. */
export interface Session {
  readonly uuid: string
  /** The key it was begun with, as that is now: with the key it ends. */
  readonly key: ApiKey
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; recorded at most once a minute. */
  readonly lastUsedAt: number
}

export interface SessionLimits {
  /** Milliseconds without a request after which a session is over. */
  readonly idleMs: number
  /** Milliseconds after which it is over in any case. */
  readonly maxMs: number
}

/** When a session is over unless it is used before, in epoch milliseconds. */
export function idleEnd({ lastUsedAt }: Session, { idleMs }: SessionLimits): number {
  return lastUsedAt + idleMs
}

/** When a session is over in any case, in epoch milliseconds. */
export function lastEnd({ createdAt, key }: Session, { maxMs }: SessionLimits): number {
  return Math.min(createdAt + maxMs, key.expiresAt ?? Infinity)
}
