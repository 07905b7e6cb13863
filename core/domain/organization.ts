import type { OwnDestructiveLimits } from './destructive-use.ts'

/** Owner of alerts, cases and connections. */
export interface Organization {
  readonly uuid: string
  /** Unique ignoring case; kept as spelt. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Its own limits of destructive actions per hour; the server's hold for other classes. Default: it has none. */
  readonly destructiveLimits?: OwnDestructiveLimits | undefined
  /** Counts its edits, from 1. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A system that sends alerts. */
export interface Provider {
  /** Unique ignoring case; kept as spelt. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Counts its edits, from 1. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}
