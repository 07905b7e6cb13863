import type { DestructiveClass, Severity } from '../plugin/index.ts'

/** The default limit: destructive actions of one class per hour and organization that need no approval. */
export const defaultDestructivePerHour = 10
export const maxDestructivePerHour = 1_000_000

/** The window in which actions are counted: an hour. */
export const destructiveWindowMs = 3_600_000

/** Actions of each class per hour that need no approval. */
export type DestructiveLimits = Readonly<Record<DestructiveClass, number>>

/** An organization's own limits; the server's limits apply to all other classes. */
export type OwnDestructiveLimits = Readonly<Partial<DestructiveLimits>>

/** Why actions wait: together with those of the last hour they exceed the limit. */
export interface ExceededLimit {
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** Actions that wait to begin. */
  readonly wanted: number
  readonly limit: number
}

/** Why actions wait for an approval: they exceed the limit, a rule requires it, or both. */
export interface HeldUses extends ExceededLimit {
  readonly isExceeded: boolean
  /** The rule that applies, with its place from 1; null: none. */
  readonly rule: (ApprovalRule & { readonly place: number }) | null
}

/** An organization's use of one class of destructive skills. */
export interface DestructiveUses {
  readonly organizationUuid: string
  readonly class: DestructiveClass
  /** Within the last hour. */
  readonly uses: number
  /** Uses that wait for an approval. */
  readonly held: number
}

/** Most people that a rule can require. */
export const maxApprovals = 5

/**
 * Who may approve: anyone with one of the roles, these API keys, and these people, if they have the permission `approvals:write`.
 * All empty: anyone with the permission.
 */
export interface Approvers {
  /** Names of built-in and custom roles. */
  readonly roles: readonly string[]
  /** Public ids of API keys. */
  readonly keys: readonly string[]
  /** Uuids of accounts. */
  readonly accounts: readonly string[]
}

export const anyApprover: Approvers = { roles: [], keys: [], accounts: [] }

/** The uses of destructive skills that a rule is about. All conditions must hold; an empty list holds for everything. */
export interface RuleMatch {
  readonly classes: readonly DestructiveClass[]
  /** `plugin.skill`, `plugin.*`, or `interface.name` for all skills that implement it. */
  readonly skills: readonly string[]
  /** Names of the playbooks whose runs use the skill. */
  readonly playbooks: readonly string[]
  /** Bounds of the severity of the alert or the case, whichever is higher. An unknown severity is outside of every bound. */
  readonly severityAtLeast: Severity | null
  readonly severityAtMost: Severity | null
}

/** Who must approve uses of destructive skills in an organization. The first rule that matches applies. */
export interface ApprovalRule {
  /** A title for people; null: none. */
  readonly name: string | null
  readonly match: RuleMatch
  /** Number of people who must approve; 0: none, unless the hourly limit is exceeded. */
  readonly approvals: number
  readonly by: Approvers
  /** Time until the question expires and the use fails; null: a week. */
  readonly expiresMinutes: number | null
  /** People who may also approve after a time; null: none. */
  readonly escalate: Escalation | null
}

export interface Escalation {
  readonly afterMinutes: number
  readonly by: Approvers
}

/** The rule as it was when the question was asked. Later changes of the rules do not change the question. */
export interface ApprovalTerms {
  /** The rule; null: the use exceeds the hourly limit, and no rule matches. `place` counts from 1. */
  readonly rule: { readonly place: number; readonly name: string | null } | null
  /** Number of people who must approve. */
  readonly needed: number
  readonly by: Approvers
  /** From this time on (epoch milliseconds), these people may also approve. */
  readonly escalation: { readonly atMs: number; readonly by: Approvers } | null
  /** Time from the question until it expires, in milliseconds. */
  readonly expiresMs: number
  /** Digest of the exact inputs, the skill and the connection. The approval holds for nothing else. */
  readonly inputHash: string
  /** Name of the connection; null: none, or it could not be determined. */
  readonly connection: string | null
}

/** A person with the permission to approve, as rules see them. */
export interface Approver {
  /** Public id of the API key, or uuid of the account. */
  readonly id: string
  /** The roles that give the permission in the organization. */
  readonly roles: readonly string[]
  /**
   * Ids that stand for the same person: of an API key, its own, and that of its owner, or else those of the keys that it was created
   * with, up to the first or to an account; of an account, its own. Two approvers with a common id are one person.
   */
  readonly sameAs: readonly string[]
}
