import type { Durations } from '../../numbers/histogram.ts'
import type { NumberRange } from '../../numbers/number-range.ts'
import type { TimeMeasure } from '../../numbers/time-measures.ts'
import type { OrganizationScope } from '../common.ts'

export const alertDimensions = ['type', 'provider', 'severity'] as const
export type AlertDimension = (typeof alertDimensions)[number]

/** In one period. Empty name: the alerts have none. */
export interface AlertNumbers {
  readonly at: number
  readonly name: string
  /** Repeats are not included. */
  readonly alerts: number
  readonly repeats: number
}

/** Runs of a playbook that ended in one period. */
export interface RunNumbers {
  readonly at: number
  readonly playbook: string
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** From the start to the end; null if none started. */
  readonly meanMs: number | null
}

export interface FailureNumbers {
  /** Code of the error. */
  readonly cause: string
  readonly playbook: string
  readonly runs: number
}

export interface TimeNumbers extends Durations {
  /** Null: of the whole range. */
  readonly at: number | null
  readonly measure: TimeMeasure
}

export interface QuestionNumbers {
  readonly state: string
  /** The chosen answer; empty for a form, and without an answer. */
  readonly answer: string
  readonly questions: number
}

export interface ContainmentNumbers {
  readonly skill: string
  readonly state: string
  readonly containments: number
}

/** Alerts of one type from one provider. */
export interface RuleNumbers {
  readonly provider: string
  readonly type: string
  readonly alerts: number
  readonly repeats: number
}

/**
 * Numbers about alerts, runs, cases and questions, rolled up by hours and days in UTC. Each row is counted once, also after a crash.
 * Numbers of alerts, runs and questions stay when retention deletes these.
 */
export interface NumberStore {
  /** Counts everything stored so far. Rejects with UnavailableError if the numbers cannot be written. */
  catchUp(): Promise<void>
  alerts(scope: OrganizationScope, range: NumberRange, by: AlertDimension): Promise<readonly AlertNumbers[]>
  runs(scope: OrganizationScope, range: NumberRange): Promise<readonly RunNumbers[]>
  /** The most frequent first. */
  failures(scope: OrganizationScope, range: NumberRange): Promise<readonly FailureNumbers[]>
  times(scope: OrganizationScope, range: NumberRange): Promise<readonly TimeNumbers[]>
  questions(scope: OrganizationScope, range: NumberRange): Promise<readonly QuestionNumbers[]>
  /** Of actions that took effect in the range, by their state now. */
  containments(scope: OrganizationScope, range: NumberRange): Promise<readonly ContainmentNumbers[]>
  /** The most alerts first, repeats included. */
  rules(scope: OrganizationScope, range: NumberRange, limit: number): Promise<readonly RuleNumbers[]>
}
