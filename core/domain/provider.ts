/** A system that sends alerts. */
export interface Provider {
  /** Unique ignoring case; kept as spelt. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
