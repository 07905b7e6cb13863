import type { ApprovalRule, DestructiveLimits, DestructiveUses } from '../../domain/destructive-use.ts'
import type { DestructiveClass } from '../../plugin/index.ts'
import type { OrganizationScope } from '../common.ts'

export interface DestructiveUseStore {
  /** Every class that was used in the last hour, or that waits for an approval, by the recorded uses. */
  list(scope: OrganizationScope): Promise<readonly DestructiveUses[]>
}

/** What may hold back uses of a destructive skill. */
export interface UseChecks {
  /** Limits of the server, for organizations without own ones. */
  readonly limits: DestructiveLimits
  /** Rules of the server; those of the organization come first. Default: none. */
  readonly rules?: readonly ApprovalRule[] | undefined
  /** A person approved all further uses of the skill in the run: no limit applies, only rules. Default false. */
  readonly isRestApproved?: boolean | undefined
  /** Names of the interfaces that the skill implements, for rules. Default: none. */
  readonly implements?: readonly string[] | undefined
}

export interface DestructiveCall {
  readonly class: DestructiveClass
  /** Redacted for the audit log. */
  readonly input: unknown
  /** The use is held back by these, unless it has begun. Undefined: nothing holds it back. */
  readonly checks?: UseChecks | undefined
}

/** Uses of one destructive skill that all begin, or none. */
export interface ReservedUses {
  readonly class: DestructiveClass
  readonly skill: string
  /** Paths of their steps. */
  readonly paths: readonly string[]
  /** Redacted for the audit log. */
  readonly inputs: readonly unknown[]
  readonly checks: UseChecks
}
