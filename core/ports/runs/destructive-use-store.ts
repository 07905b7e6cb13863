import type { DestructiveLimits, DestructiveUses } from '../../domain/destructive-use.ts'
import type { DestructiveClass } from '../../plugin/index.ts'
import type { OrganizationScope } from '../common.ts'

export interface DestructiveUseStore {
  /** Every class that was used in the last hour, or that waits for an approval, by the recorded uses. */
  list(scope: OrganizationScope): Promise<readonly DestructiveUses[]>
}

export interface DestructiveCall {
  readonly class: DestructiveClass
  /** Redacted for the audit log. */
  readonly input: unknown
  /** Limits of the server; a use beyond them is held unless it has begun. Undefined: no limit. */
  readonly limits?: DestructiveLimits | undefined
}

/** Uses of one destructive skill that all begin, or none. */
export interface ReservedUses {
  readonly class: DestructiveClass
  readonly skill: string
  /** Paths of their steps. */
  readonly paths: readonly string[]
  /** Redacted for the audit log. */
  readonly inputs: readonly unknown[]
  readonly limits: DestructiveLimits
}
