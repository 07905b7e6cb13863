import type { CaseTargets } from './case.ts'
import type { ApprovalRule, OwnDestructiveLimits } from './destructive-use.ts'

/** Owner of alerts, cases and connections. */
export interface Organization {
  readonly uuid: string
  /** Unique ignoring case; stored as written. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Its own limits of destructive actions per hour; the server's apply to other classes. Default: none. */
  readonly destructiveLimits?: OwnDestructiveLimits | undefined
  /** Targets of response times of its cases. Default: none. */
  readonly caseTargets?: CaseTargets | undefined
  /** Who must approve its destructive actions; the first rule that matches applies. Default: none. */
  readonly approvalRules?: readonly ApprovalRule[] | undefined
  /** Starts at 1 and rises with each edit. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A system that sends alerts. */
export interface Provider {
  /** Unique ignoring case; stored as written. See `codePattern`. */
  readonly code: string
  readonly name: string
  /** Starts at 1 and rises with each edit. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}
