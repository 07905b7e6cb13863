import type { Actor, Author } from './audit.ts'
import type { StepMasks } from './mask.ts'

/** `waiting`: running, and a person has to answer a checkpoint or to decide about a step. */
export const runStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

/** Every move there is. */
export const runStatusMoves: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'cancelled'],
  running: ['waiting', 'completed', 'failed', 'cancelled'],
  waiting: ['running', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** An error as it is stored: branch on `code`. */
export interface StoredError {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
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
  /** What it was given besides the alert, defaults included. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Whether it has a concurrency key: at most one run of its key has started and not ended. */
  readonly exclusive: boolean
  /** Who asked for it to be cancelled, and when (epoch milliseconds); null when nobody did. */
  readonly cancellation: { readonly by: Author; readonly at: number } | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly output: unknown
  readonly error: StoredError | null
  /** Uuid of the run whose finished steps it carried over; null for a run from the beginning. */
  readonly retryOf: string | null
  /** Uuid of the run that goes on from this one; null while none does. */
  readonly retriedBy: string | null
  /** When its steps, inputs and output were deleted, in epoch milliseconds; null: they are there. */
  readonly prunedAt: number | null
}

/** What is queued. */
export interface NewRun {
  readonly organizationUuid: string
  readonly playbookName: string
  readonly playbookHash: string
  /** Uuid of the alert under investigation, or null. */
  readonly alertUuid: string | null
  /** Whether the alert is to be investigated again, after an investigation that has ended. Default false. */
  readonly retry?: boolean | undefined
  /** Who asked for it, which the audit log records; undefined where nobody did. */
  readonly by?: Actor | undefined
  /** Goes on from a run that has ended: with its case, and with what its journal says at these paths, in the order of the journal. */
  readonly carriesOver?: { readonly runUuid: string; readonly paths: readonly string[] } | undefined
  /** Which playbooks were considered for the alert, and why not chosen: for the timeline of its case. */
  readonly choice?: string | undefined
  /** Resolved: defaults included. Default: none. */
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  /** Some of the inputs are sensitive: what is kept of them is encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  /** At most one run of a playbook and key at a time, in an organization. */
  readonly concurrency?: { readonly key: string; readonly policy: 'queue' | 'drop' } | undefined
}

export interface RunEnd {
  readonly status: Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>
  readonly output: unknown
  /** What is kept of the output is encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  readonly error: StoredError | null
}

/** What a run waits for: the answer to a question, or a decision about a step of which nobody knows whether it happened. */
export const waitReasons = ['answer', 'decision'] as const
export type WaitReason = (typeof waitReasons)[number]

/** What a list of runs is narrowed to: by the ids of an alert and of a case, ignoring case, and so on. */
export interface RunFilter {
  readonly alertId?: string | undefined
  readonly caseId?: string | undefined
  readonly playbookName?: string | undefined
  readonly status?: RunStatus | undefined
  /** Code of the error that it ended with. */
  readonly errorCode?: string | undefined
  /** Queued at this time or later, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Queued before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
  /** Those alone that wait for this. Default: all. */
  readonly waitsFor?: WaitReason | undefined
  /** Failed ones alone, from which no later run has gone on, and whose alert none has investigated. Default: all. */
  readonly retriable?: boolean | undefined
}

/** `unknown`: a crash came between intent and result, or its try ended without saying whether it took effect; a person has to decide. */
export const stepStates = ['started', 'unknown', 'completed', 'failed', 'skipped'] as const
export type StepState = (typeof stepStates)[number]

/** One row of a run's journal: what a step was asked to do, and what came of it. */
export interface JournalEntry {
  /** Where in the run: `enrich_ips[2]`, `outcome/isolate`. Never depends on the order in which work finished. */
  readonly path: string
  /** Id of the step in the playbook; null for a step without id. */
  readonly stepId: string | null
  /** What kind of work: the skill's name (`case.update`), or `set`, `if`, `wait` and so on. */
  readonly kind: string
  readonly state: StepState
  /** Resolved once and never again. */
  readonly input: unknown
  /** Present when completed. */
  readonly output: unknown
  readonly error: StoredError | null
  /** The try that gave the result, or that began last; from 1. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** What a person decided about a step whose outcome was unknown. */
  readonly resolution?: Resolution | undefined
  /** Where something sensitive stands in the input and the output. Undefined: nowhere. */
  readonly sensitive?: StepMasks | undefined
  /** Uuid of the run that did the work, where this one has not. */
  readonly carriedFrom?: string | undefined
}

/** It ran (with this output, or with one that nobody knows), it is to run again, or it is to be skipped. */
export const stepDecisions = ['ran', 'ran_output_unknown', 'run_again', 'skip'] as const
export type StepDecision = (typeof stepDecisions)[number]

export interface Resolution {
  readonly decision: StepDecision
  readonly by: Author
  /** Epoch milliseconds. */
  readonly at: number
}

/** A try that failed and was, or will be, followed by another, or by the decision of a person. */
export interface FailedAttempt {
  readonly path: string
  readonly attempt: number
  readonly error: StoredError
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** When the next try may start. */
  readonly retryAt: number
}
