import type { Severity, Verdict } from '../plugin/index.ts'

/** How the decision of a shadow compares with that of the run that investigated the alert. */
export const shadowOutcomes = ['agrees', 'differs', 'unjudged'] as const
export type ShadowOutcome = (typeof shadowOutcomes)[number]

/** An alert on which a shadow is judged. */
export interface ShadowResult {
  readonly organizationUuid: string
  /** Name of the shadow. */
  readonly playbookName: string
  /** The judged version of the shadow; null: not judged yet. */
  readonly playbookHash: string | null
  readonly alertId: string
  /** The run that investigated the alert, with its playbook. */
  readonly runUuid: string
  readonly livePlaybook: { readonly name: string; readonly hash: string }
  /** When that run ended, in epoch milliseconds. */
  readonly queuedAt: number
  /** Null: it waits. */
  readonly judgedAt: number | null
  /** Null: it waits. */
  readonly outcome: ShadowOutcome | null
  /** Null: it waits. */
  readonly summary: ShadowSummary | null
  /** The case of the alert as it is now; null: it has none. */
  readonly case: ShadowCase | null
}

/** What the report is computed from. Without sensitive values. */
export interface ShadowSummary {
  /** Null: not judged. */
  readonly live: DecidedCase | null
  readonly shadow: DecidedCase | null
  readonly actions: readonly ComparedAction[]
  /** The differences that count, the most important first. */
  readonly changes: readonly { readonly kind: string; readonly text: string }[]
  /** Why the shadow could not be judged; null: it was. */
  readonly reason: { readonly code: string; readonly message: string } | null
}

/** What a run decided about its case. */
export interface DecidedCase {
  readonly status: string
  /** Null: it set none. */
  readonly verdict: string | null
  readonly severity: string | null
}

/** Actions of a skill, and whether the live run, the shadow or both take them. */
export interface ComparedAction {
  readonly skill: string
  readonly by: 'both' | 'live' | 'shadow'
  readonly calls: number
}

/** The facts from which the decision of the analysts follows. */
export interface ShadowCase {
  readonly id: string
  readonly verdict: Verdict
  readonly severity: Severity
  /** Fields that a person set. */
  readonly decided: readonly string[]
  /** Whether it is closed, by a person. */
  readonly closedByPerson: boolean
}

/** An alert on which a shadow waits to be judged. */
export interface QueuedShadow {
  readonly id: number
  readonly organizationUuid: string
  readonly playbookName: string
  readonly runUuid: string
  readonly alertId: string
  readonly queuedAt: number
}

/** The result of judging. `detail` is for people, and has the steps of the shadow. */
export interface JudgedShadow {
  readonly playbookHash: string
  readonly outcome: ShadowOutcome
  readonly summary: ShadowSummary
  readonly detail: unknown
}
