import type { Actor, Author } from './audit.ts'
import type { NewCorrelation } from '../correlation/correlation.ts'
import type { RunRate } from '../common/rates.ts'
import type { ObservableKey } from '../observable/normalize-observable.ts'
import type { StepMasks } from './mask.ts'

/** `waiting`: a person has to answer a checkpoint or decide about a step. */
export const runStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

/** Every allowed transition. */
export const runStatusMoves: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'cancelled'],
  running: ['waiting', 'completed', 'failed', 'cancelled'],
  waiting: ['running', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** A stored error. Branch on `code`, not on the message. */
export interface StoredError {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The events that start runs: a change of a case, an observable seen repeatedly, a request, a question that waits, or a run that
 * failed or needs a decision.
 */
export const triggerKinds = ['case', 'entity', 'webhook', 'question', 'run'] as const
export type TriggerKind = (typeof triggerKinds)[number]

/** What can happen to a run, for triggers of playbooks. `unknown`: a step has an unknown outcome, and a person has to decide. */
export const runEvents = ['failed', 'unknown'] as const
export type RunEvent = (typeof runEvents)[number]

/** The event that started a run: the `trigger` of expressions, with the fields of its schema (`core/trigger`). */
export interface RunTrigger {
  readonly kind: TriggerKind
  /** ISO 8601. */
  readonly at: string
  /** Names of the playbooks whose runs led to the event, oldest first. */
  readonly chain: readonly string[]
  readonly [field: string]: unknown
}

/** One execution of a playbook. */
export interface Run {
  readonly uuid: string
  readonly organizationUuid: string
  readonly playbookName: string
  /** Content hash of the playbook; edits affect new runs only. */
  readonly playbookHash: string
  readonly alertId: string | null
  readonly caseId: string | null
  readonly status: RunStatus
  /** Inputs other than the alert, including defaults. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Undefined: an alert, a schedule or a person started it. */
  readonly trigger?: RunTrigger | undefined
  /** Whether it has a concurrency key: at most one run per key is active. */
  readonly exclusive: boolean
  /** Who requested its cancellation, and when (epoch milliseconds); null if no one did. */
  readonly cancellation: { readonly by: Author; readonly at: number } | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly startedAt: number | null
  /** When a run that the rate limit of its playbook holds back may start; undefined for others. */
  readonly heldUntil?: number | undefined
  readonly endedAt: number | null
  readonly output: unknown
  readonly error: StoredError | null
  /** Uuid of the run that it retries and whose finished steps it carried over; null if it is not a retry. */
  readonly retryOf: string | null
  /** Uuid of the run that retries this one; null if there is none. */
  readonly retriedBy: string | null
  /** When its steps, inputs and output were deleted, in epoch milliseconds; null if they were not. */
  readonly prunedAt: number | null
}

/** A run to queue. */
export interface NewRun {
  readonly organizationUuid: string
  readonly playbookName: string
  readonly playbookHash: string
  /** Uuid of the alert under investigation, or null. */
  readonly alertUuid: string | null
  /** Whether it reinvestigates an alert whose investigation has ended. Default false. */
  readonly retry?: boolean | undefined
  /** The requester, for the audit log; undefined if it has none. */
  readonly by?: Actor | undefined
  /**
   * Continues an ended run: uses its case and its journal entries at these paths, in the order of the
   * journal.
   */
  readonly carriesOver?: { readonly runUuid: string; readonly paths: readonly string[] } | undefined
  /** The playbooks considered for the alert and why they were not chosen, for the timeline of its case. */
  readonly choice?: string | undefined
  /** The case that an alert without a case joins. Default: a new case. */
  readonly correlation?: NewCorrelation | undefined
  /** Resolved, including defaults. Default: none. */
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  /** Some inputs are sensitive, so they are stored encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  /** The event that starts it. */
  readonly trigger?: RunTrigger | undefined
  /** Id of its case. Default: the case of its alert, or a case that it opens. */
  readonly caseId?: string | undefined
  /** Id of the containment that it undoes: its state changes in the same write. */
  readonly undoes?: string | undefined
  /** The expiry of that containment for which it is undone: refused if it changed. Undefined: a person undoes it. */
  readonly expiredAt?: number | undefined
  /** At most one active run per playbook, key and organization. */
  readonly concurrency?: { readonly key: string; readonly policy: 'queue' | 'drop' } | undefined
  /** How often runs of the playbook start in the organization. */
  readonly rate?: RunRate | undefined
}

export interface RunEnd {
  readonly status: Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>
  readonly output: unknown
  /** The output is sensitive, so it is stored encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  readonly error: StoredError | null
}

/** What a run waits for: the answer to a question, or a decision about a step with unknown outcome. */
export const waitReasons = ['answer', 'decision'] as const
export type WaitReason = (typeof waitReasons)[number]

/** Filter of a list of runs. Ids of alerts and cases ignore letter case. */
export interface RunFilter {
  readonly alertId?: string | undefined
  readonly caseId?: string | undefined
  readonly playbookName?: string | undefined
  readonly status?: RunStatus | undefined
  /** Code of the error of a failed run. */
  readonly errorCode?: string | undefined
  /** Runs that extracted it or looked it up, as far as they are indexed. */
  readonly observable?: ObservableKey | undefined
  /** Queued at this time or later, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Queued before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
  /** Only runs that wait for this. Default: all. */
  readonly waitsFor?: WaitReason | undefined
  /** Only failed runs that were not retried and whose alert was not investigated again. Default: all. */
  readonly retriable?: boolean | undefined
  /** Only runs that were queued before this one, given by its uuid; none if it does not exist. */
  readonly before?: string | undefined
}

/**
 * `unknown`: the process crashed between intent and result, or the attempt ended without a clear outcome; a
 * person has to decide.
 */
export const stepStates = ['started', 'unknown', 'completed', 'failed', 'skipped'] as const
export type StepState = (typeof stepStates)[number]

/** An entry of a run's journal: the input and the result of a step. */
export interface JournalEntry {
  /**
   * The path of the step in the run: `enrich_ips[2]`, `outcome/isolate`. Does not depend on the order in
   * which steps end.
   */
  readonly path: string
  /** Id of the step in the playbook; null for a step without id. */
  readonly stepId: string | null
  /** The name of the skill (`case.update`), or the kind of step: `set`, `if`, `wait`, … */
  readonly kind: string
  readonly state: StepState
  /** Resolved once, never again. */
  readonly input: unknown
  /** Set if completed. */
  readonly output: unknown
  readonly error: StoredError | null
  /** The attempt that gave the result, or the latest one; from 1. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** A person's decision about a step with unknown outcome. */
  readonly resolution?: Resolution | undefined
  /** The sensitive places in the input and output. Undefined if there are none. */
  readonly sensitive?: StepMasks | undefined
  /** Uuid of the run that executed the step, if it was carried over. */
  readonly carriedFrom?: string | undefined
}

/** The step ran (with this output, or with unknown output), should run again, or should be skipped. */
export const stepDecisions = ['ran', 'ran_output_unknown', 'run_again', 'skip'] as const
export type StepDecision = (typeof stepDecisions)[number]

export interface Resolution {
  readonly decision: StepDecision
  readonly by: Author
  /** Epoch milliseconds. */
  readonly at: number
}

/** A failed attempt that is followed by another attempt or by a person's decision. */
export interface FailedAttempt {
  readonly path: string
  readonly attempt: number
  readonly error: StoredError
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** When the next attempt may start. */
  readonly retryAt: number
}
