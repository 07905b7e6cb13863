import type { ApiKey } from './api-key.ts'

/**
 * A sign-in to the web page with an API key. Its token is not stored in the clear, so it is not part of this.
 */
export interface Session {
  readonly uuid: string
  /** The current state of the key it was started with. When the key ends, the session ends. */
  readonly key: ApiKey
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; recorded at most once a minute. */
  readonly lastUsedAt: number
}

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
export function lastEnd({ createdAt, key }: Session, { maxMs }: SessionLimits): number {
  return Math.min(createdAt + maxMs, key.expiresAt ?? Infinity)
}
