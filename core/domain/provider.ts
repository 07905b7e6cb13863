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
