/** Owner of alerts, cases and connections. */
export interface Organization {
  readonly uuid: string
  /** Unique ignoring case; kept as spelt. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
