/**
 * What the interpreter needs from the world: work done once and remembered, waits that survive a restart, and the recorded
 * time. Everything is keyed by path, so that nothing depends on the order in which branches finish. The local adapter
 * journals to the store (`local-context.ts`); an adapter for an external durable engine gives the same operations.
 */

import type { StoredError } from '../domain/run.ts'

export interface DurableContext {
  readonly runUuid: string
  /** When the run started, epoch milliseconds; the same on every replay. */
  readonly startedAt: number
  /** Aborted when the run is cancelled or its deadline passes. */
  readonly signal: AbortSignal
  /** A pure result: evaluated once, remembered, given back on replay without evaluating again. */
  remember(work: PureWork): Promise<Outcome>
  /** An effect outside: intent before, result after, retried as `work.retry` says; on replay the result is given back. */
  perform(work: EffectWork): Promise<Outcome>
  /** Resolves at `untilMs` (epoch milliseconds, evaluated once), also when a restart lies between. */
  sleep(work: SleepWork): Promise<Outcome>
}

interface Work {
  /** Unique in the run. */
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
}

export interface PureWork extends Work {
  /** Throws what the step shall fail with. */
  readonly evaluate: () => { readonly state: 'completed' | 'skipped'; readonly output: unknown }
}

export interface EffectWork extends Work {
  /** Resolved inputs; evaluated once, journaled with the intent, and never again. */
  readonly input: () => unknown
  readonly run: (input: unknown, attempt: EffectAttempt) => Promise<unknown>
  /** Per attempt. */
  readonly timeoutMs: number
  readonly retry: {
    readonly max: number
    readonly backoffMs: number
    readonly factor: number
    readonly maxBackoffMs: number
  }
  /** What to do when a crash came between intent and result. */
  readonly interrupted: 'repeat' | 'verify' | 'ask'
  /** For `verify`: the output if the effect took place, else undefined. */
  readonly verify?: (input: unknown, attempt: EffectAttempt) => Promise<unknown>
}

export interface EffectAttempt {
  /** From 1. */
  readonly number: number
  /** Run and path; the same on every try and after every restart. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

export interface SleepWork extends Work {
  /** Evaluated once and journaled: epoch milliseconds. */
  readonly untilMs: () => number
}

/** How a piece of work ended. Plain JSON: it has been stored, or will be. */
export type Outcome =
  | { readonly state: 'completed' | 'skipped'; readonly output: unknown }
  | { readonly state: 'failed'; readonly error: StoredError }
