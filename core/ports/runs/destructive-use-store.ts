import type { DestructiveLimits, DestructiveUses } from '../../domain/destructive-use.ts'
import type { DestructiveClass } from '../../plugin/index.ts'
import type { Scope } from '../common.ts'

export interface DestructiveUseStore {
  /** Of every class that was used within the last hour, or waits for an approval. The journal counts. */
  list(scope: Scope): Promise<readonly DestructiveUses[]>
}

export interface DestructiveCall {
  readonly class: DestructiveClass
  /** As it may be shown in the audit log. */
  readonly input: unknown
  /** Of the server: a use beyond the limit of its class is held back, unless it has begun; undefined: it never is. */
  readonly limits?: DestructiveLimits | undefined
}

/** Uses of one destructive skill that begin together or not at all. */
export interface ReservedUses {
  readonly class: DestructiveClass
  readonly skill: string
  /** Of the steps that will use it. */
  readonly paths: readonly string[]
  /** As they may be shown in the audit log. */
  readonly inputs: readonly unknown[]
  readonly limits: DestructiveLimits
}
