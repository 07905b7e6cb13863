/**
 * What the interpreter needs from the world: work done once and remembered, waits that survive a restart, and the recorded
 * time. Everything is keyed by path, so that nothing depends on the order in which branches finish. The local adapter
 * journals to the store (`local-context.ts`); an adapter for an external durable engine gives the same operations.
 *
 * An operation resolves to an outcome that is recorded before anything else has an effect outside, and to the same one on every
 * replay. It rejects only when the run cannot go on in this process (see `RunSuspended`, or the journal refuses); the interpreter
 * never handles a rejection.
 */

import type { Author } from '../../domain/audit.ts'
import type { Checkpoint, CheckpointAnswer, Question, Silence } from '../../domain/checkpoint.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import type { RetryPolicy } from '../../playbook/language/playbook.ts'
import type { DestructiveClass, Effect } from '../../plugin/index.ts'

export interface DurableContext {
  readonly runUuid: string
  /** When the run started, epoch milliseconds; the same on every replay. */
  readonly startedAt: number
  /** A pure result: evaluated once, remembered, given back on replay without evaluating again. */
  remember(work: PureWork): Promise<Outcome>
  /** An effect outside: intent before, result after, retried as `work.retry` says; on replay the result is given back. */
  perform(work: EffectWork): Promise<Outcome>
  /** Resolves at `untilMs` (epoch milliseconds, evaluated once), also when a restart lies between. */
  sleep(work: SleepWork): Promise<Outcome>
  /** Asks somebody outside, and resolves to the first answer or, when its time is up, to what stands for none. */
  ask(work: AskWork): Promise<Outcome>
  /**
   * Counts uses of a destructive skill before any of them begins; more than the limit allows are one question to a person. Absent: each
   * use is counted by itself.
   */
  approve?(work: BatchWork): Promise<BatchVerdict>
  /** What was counted for these places and has not begun there is counted no longer. */
  release?(paths: readonly string[]): Promise<void>
  /** Resolves when what goes on beside the steps has ended: reminders, and the ends of questions. */
  finish(): Promise<void>
}

export interface Work {
  /** Unique in the run. */
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
  /** Where something sensitive stands in what is recorded. Undefined: nowhere. */
  readonly sensitive?: StepMasks | undefined
}

interface TimedWork extends Work {
  /**
   * Epoch milliseconds, or Infinity. The work ends by then: as failed with `step_timeout`, recorded as having ended no earlier
   * than this, so that whoever set the deadline finds it passed by comparing recorded times alone.
   */
  readonly deadlineMs: number
  /** Goes on although the run is cancelled: the steps of `finally`. */
  readonly shielded: boolean
}

export interface PureWork extends Work {
  /** When it began; default: when it ends. */
  readonly startedAt?: number | undefined
  /** What it throws is what the step fails with. */
  readonly evaluate: () => PureResult
}

export type PureResult =
  | {
      readonly state: 'completed' | 'skipped'
      readonly output: unknown
      /** Who decided that it happened and that nobody knows its output; `output` is null then. */
      readonly outputUnknown?: Author | undefined
    }
  | { readonly state: 'failed'; readonly error: StoredError }

export interface EffectWork extends TimedWork {
  /** Resolved inputs; evaluated once, journaled with the intent, and never again. */
  readonly input: () => unknown
  readonly run: (input: unknown, attempt: EffectAttempt) => Promise<unknown>
  /** Of a call of a destructive skill. Default: it is none. */
  readonly destructive?: DestructiveWork | undefined
  /** Per attempt. */
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  /**
   * What to do when a crash came between intent and result; `ask`: the step is `unknown` until a person decides, also where its last
   * try ended with an error that leaves open whether it took effect.
   */
  readonly interrupted: 'repeat' | 'verify' | 'skip' | 'fail' | 'ask'
  /** Whether a try that ended in doubt, such as by a timeout, may be followed by another. Default: for `repeat` and `verify`. */
  readonly mayRepeat?: boolean | undefined
  /**
   * The output if the effect took place, else undefined; absent where nobody can tell. Asked before a try that follows one in doubt,
   * also one of a run that this one goes on from, with the key of that; not where `interrupted` says `repeat`.
   */
  readonly verify?: ((input: unknown, attempt: EffectAttempt) => Promise<unknown>) | undefined
}

/** A use of a destructive skill: it goes into the audit log and counts against the limit of its class. */
export interface DestructiveWork {
  readonly class: DestructiveClass
  /** The input as it may be shown to people. */
  readonly shown: (input: unknown) => unknown
  /** Whether the output says that the call changed nothing, so that it does not count. Default: every call counts. */
  readonly changedNothing?: ((output: unknown) => boolean) | undefined
  /** `repeat` makes the call again: `verify` is asked first whether the effect is there already. Default false. */
  readonly isAgain?: boolean | undefined
  /** A person has approved it, so that it is not held back. Default false. */
  readonly isApproved?: boolean | undefined
  /** A person has refused it, or nobody approved it in time: it fails so. */
  readonly refused?: Outcome | undefined
}

/** Uses of one destructive skill that are about to begin together. */
export interface BatchWork extends TimedWork {
  readonly class: DestructiveClass
  readonly uses: readonly BatchUse[]
}

export interface BatchUse {
  /** Where it will be performed. */
  readonly path: string
  /** Its input as it may be shown to people. */
  readonly shown: unknown
}

/** Within the limit; approved, all of them; or refused. */
export type BatchVerdict =
  | { readonly state: 'within' }
  | { readonly state: 'approved'; readonly endedAt: number }
  | { readonly state: 'refused'; readonly outcome: Outcome }

export interface EffectAttempt {
  /** From 1. */
  readonly number: number
  /** Run and path; the same on every try and after every restart. */
  readonly idempotencyKey: string
  /** When `signal` is aborted for lack of time: epoch milliseconds. */
  readonly deadlineMs: number
  readonly signal: AbortSignal
  /**
   * Is told, as the attempt goes on, what is known of its effect: an attempt that runs out of time before it sent anything that
   * changes something had none. Never told: nothing is known.
   */
  readonly onEffect?: ((effect: Effect) => void) | undefined
}

export interface SleepWork extends TimedWork {
  /** Evaluated once and journaled: epoch milliseconds. */
  readonly untilMs: () => number
}

export interface AskWork extends TimedWork {
  /** Evaluated once and journaled. */
  readonly question: () => {
    readonly question: Question
    readonly withinMs: number
    /** Undefined: nobody is reminded. */
    readonly remindAfterMs?: number | undefined
  }
  /** For showing it: `timedOut` decides. */
  readonly onTimeout: Silence
  /**
   * Tells whoever is to answer; the id belongs to the question alone, is the same on every replay and known to nobody else.
   * Undefined: nobody has to be told. Work that failed withdraws the question. `goesOver` is told the name of the connection first.
   */
  readonly tell: (
    id: string,
    question: Question,
    goesOver: (connection: string) => Promise<void>,
  ) => EffectWork | undefined
  /** Goes on beside the run once whoever is to answer was told and has not answered in time to be left alone. */
  readonly remind?: ((checkpoint: Checkpoint) => EffectWork) | undefined
  /** Goes on beside the run once the question is over, at least once; how it ends changes nothing. */
  readonly settle?: ((checkpoint: Checkpoint) => EffectWork) | undefined
  /** `byName`: how people know whoever answered; null where that is not known. */
  readonly answered: (answer: CheckpointAnswer, byName: string | null) => PureResult
  /** Nobody answered until then (epoch milliseconds). */
  readonly timedOut: (atMs: number) => PureResult
}

/** How a piece of work ended. Plain JSON: it has been stored. */
export type Outcome = PureResult & {
  /** Recorded, epoch milliseconds: the only time the interpreter ever sees. */
  readonly endedAt: number
}

/**
 * Thrown by a context whose run stops here without having ended: the process is draining, or the run has nothing to do for a
 * while. The journal is complete; another context goes on from it.
 */
export class RunSuspended extends Error {
  constructor() {
    super('the run stops here and goes on later')
    this.name = 'RunSuspended'
  }
}
