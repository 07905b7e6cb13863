/** Owner of alerts, cases and connections. */
export interface Organization {
  readonly uuid: string
  /** Unique ignoring case; kept as spelt. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Counts its edits, from 1. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}
