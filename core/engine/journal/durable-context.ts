/**
 * The operations that the interpreter needs: pure results, effects, waits, questions, and recorded time. Each
 * operation is identified by its path, so the order in which branches finish does not matter. The local
 * adapter (`local-context.ts`) journals to the store; an adapter for an external durable engine implements
 * the same interface.
 *
 * An operation resolves to an outcome that is recorded before anything else has an external effect, and to
 * the same outcome on every replay. It rejects only if the run cannot continue in this process
 * (`RunSuspended`, or the journal refuses). The interpreter never handles a rejection.
 */

import type { Author } from '../../domain/audit.ts'
import type { DestructiveOutcome } from '../../destructive/containment.ts'
import type { BatchApproval, BoundConnection } from '../../destructive/input-hash.ts'
import type { SkillText } from '../../destructive/skill-text.ts'
import type {
  Checkpoint,
  CheckpointAnswer,
  Question,
  QuestionGroup,
  Silence,
} from '../../domain/checkpoint.ts'
import type { RatedStart } from '../../common/rates.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import type { EventFilter, EventWait, StoredEvent } from '../../ports/runs/event-wait-store.ts'
import type { RetryPolicy } from '../../playbook/language/playbook.ts'
import type { DestructiveClass, Effect } from '../../plugin/index.ts'
import type { StateRequest } from '../../state/state.ts'

export interface DurableContext {
  readonly runUuid: string
  /** When the run started, in epoch milliseconds; the same on every replay. */
  readonly startedAt: number
  /** Evaluates a pure result once and records it; a replay returns the record. */
  remember(work: PureWork): Promise<WorkOutcome>
  /**
   * Performs an external effect: records the intent, calls, retries by `work.retry`, and records the result.
   */
  perform(work: EffectWork): Promise<WorkOutcome>
  /** Resolves at `untilMs` (epoch milliseconds, evaluated once), even if the process restarts meanwhile. */
  sleep(work: SleepWork): Promise<WorkOutcome>
  /** Asks a person, and resolves to the first answer or to the result of the timeout. */
  ask(work: AskWork): Promise<WorkOutcome>
  /**
   * Waits for an event, and resolves to the first one that matches or to the result of the timeout. Absent: steps that wait for
   * events fail.
   */
  awaitEvent?(work: EventWork): Promise<WorkOutcome>
  /**
   * Counts several uses of a destructive skill before the first begins, and asks one question if they exceed
   * the limit. Absent: each use is counted by itself.
   */
  approve?(work: BatchWork): Promise<BatchVerdict>
  /** Gives back counted uses at these paths that have not begun. */
  release?(paths: readonly string[]): Promise<void>
  /** Reads or changes the state of a playbook, in the same write that records the outcome. */
  state(work: StateWork): Promise<WorkOutcome>
  /**
   * Waits until the rate limit of a step allows its start, and counts it. Undefined: it did not wait. Absent: there is
   * no limit.
   */
  admit?(work: AdmitWork): Promise<WorkOutcome | undefined>
  /** Resolves when all background tasks (reminders and settled questions) have ended. */
  finish(): Promise<void>
}

export interface DurableWork {
  /** Unique in the run. */
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
  /** Sensitive places in the recorded input and output. Default: none. */
  readonly sensitive?: StepMasks | undefined
}

interface TimedWork extends DurableWork {
  /**
   * Epoch milliseconds, or Infinity. At this time the work ends as failed with `step_timeout`, with a
   * recorded end at or after the deadline, so that comparing recorded times is enough to notice it.
   */
  readonly deadlineMs: number
  /** Continues if the run is cancelled: the steps of `finally`. */
  readonly shielded: boolean
}

export interface PureWork extends DurableWork {
  /** Default: when it ends. */
  readonly startedAt?: number | undefined
  /** The step fails with the error that this throws. */
  readonly evaluate: () => PureResult
}

export type PureResult =
  | {
      readonly state: 'completed' | 'skipped'
      readonly output: unknown
      /** Who decided `ran_output_unknown`; `output` is then null. */
      readonly outputUnknown?: Author | undefined
    }
  | { readonly state: 'failed'; readonly error: StoredError }

export interface EffectWork extends TimedWork {
  /** Resolved inputs; evaluated once and journaled with the intent. */
  readonly input: () => unknown
  readonly run: (input: unknown, attempt: EffectAttempt) => Promise<unknown>
  /** Only for a call of a destructive skill. */
  readonly destructive?: DestructiveWork | undefined
  /** Of one attempt. */
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  /**
   * What to do after a crash between intent and result. `ask`: the step becomes `unknown` until a person
   * decides, also if its last attempt ended with an error that leaves the effect open.
   */
  readonly interrupted: 'repeat' | 'verify' | 'skip' | 'fail' | 'ask'
  /**
   * Whether another attempt may follow one with unknown effect, such as a timeout. Default: for `repeat` and
   * `verify`.
   */
  readonly mayRepeat?: boolean | undefined
  /**
   * Returns the output if the effect took place, else undefined. Absent if the other system cannot tell.
   * Called before a retry if the previous attempt has an unknown effect, including attempts of earlier runs
   * that this run retries (with their key). Not called if `interrupted` is `repeat`.
   */
  readonly verify?: ((input: unknown, attempt: EffectAttempt) => Promise<unknown>) | undefined
}

/** A use of a destructive skill: it is audited and counts against the limit of its class. */
export interface DestructiveWork {
  readonly class: DestructiveClass
  /** The input without sensitive values. */
  readonly shown: (input: unknown) => unknown
  /** Whether the output says that nothing changed; such a call does not count. Default: every call counts. */
  readonly changedNothing?: ((output: unknown) => boolean) | undefined
  /** What is recorded with the outcome of the call, known (`output`) or not. Default: nothing. */
  readonly outcome?: ((input: unknown, output: unknown) => DestructiveOutcome) | undefined
  /** A `repeat` makes this call again, so `verify` is called first. Default false. */
  readonly isAgain?: boolean | undefined
  /**
   * `use`: people approved exactly this use, so nothing holds it back. `rest`: a person approved all further uses of the skill
   * in the run, so no limit applies, only rules. Default: neither.
   */
  readonly approved?: 'use' | 'rest' | undefined
  /** The approval of the `foreach`. It does not hold if the connection changed. Default: none. */
  readonly batched?: BatchApproval | undefined
  /** The outcome if the use was refused or not approved in time. */
  readonly refused?: WorkOutcome | undefined
  /** The connection that the call would use now; undefined: none, or it cannot be determined. Default: none. */
  readonly connection?: (() => Promise<BoundConnection | undefined>) | undefined
  /** Names of the interfaces that the skill implements. Default: none. */
  readonly implements?: readonly string[] | undefined
  /** For the question. Default: only the name of the skill. */
  readonly text?: SkillText | undefined
}

/** Uses of one destructive skill that begin together. */
export interface BatchWork
  extends TimedWork, Pick<DestructiveWork, 'class' | 'connection' | 'implements' | 'text'> {
  readonly uses: readonly BatchUse[]
}

export interface BatchUse {
  /** The path of the call. */
  readonly path: string
  readonly input: unknown
  /** Its input without sensitive values. */
  readonly shown: unknown
}

/** No approval was needed, all are approved except some, or all are refused. */
export type BatchVerdict =
  | { readonly state: 'within' }
  | {
      readonly state: 'approved'
      readonly endedAt: number
      /** By the place of the use, from 0. */
      readonly refusedItems: ReadonlyMap<number, WorkOutcome>
      readonly approval: BatchApproval
    }
  | { readonly state: 'refused'; readonly outcome: WorkOutcome }

/** A start of a step with a rate limit; `path` is that of the step. */
export interface AdmitWork extends TimedWork {
  readonly start: RatedStart
  /** Whether a start beyond the limit waits; else it fails. */
  readonly waits: boolean
}

export interface EffectAttempt {
  /** From 1. */
  readonly number: number
  /** Run and path; the same for every attempt and after every restart. */
  readonly idempotencyKey: string
  /** When `signal` is aborted by the timeout, in epoch milliseconds. */
  readonly deadlineMs: number
  readonly signal: AbortSignal
  /**
   * Reports the known effect during the attempt, or a function that returns it after the attempt failed: an
   * attempt that timed out before it sent a change had no effect. If never called, the effect is unknown.
   */
  readonly onEffect?: ((effect: Effect | (() => Effect | undefined)) => void) | undefined
}

export interface StateWork extends DurableWork {
  /** Evaluated once. */
  readonly request: () => StateRequest
  /** Continues if the run is cancelled. */
  readonly shielded: boolean
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
    /** Default: no reminder. */
    readonly remindAfterMs?: number | undefined
    /** Recorded with the question. Default: none. */
    readonly salt?: string | undefined
  }
  /** Default: its answer decides alone. */
  readonly group?: GroupedAsk | undefined
  /** For display; `timedOut` decides the result. */
  readonly onTimeout: Silence
  /**
   * The call that sends the question, with the id that only the recipient learns; the same on every replay.
   * Undefined: nothing is sent. If it fails, the question is withdrawn. `storeConnection` is called first, with the
   * name of the connection.
   */
  readonly tell: (
    id: string,
    question: Question,
    storeConnection: (connection: string) => Promise<void>,
  ) => EffectWork | undefined
  /** A background task that reminds the responder if the question is not answered in time. */
  readonly remind?: ((checkpoint: Checkpoint) => EffectWork) | undefined
  /**
   * A background task that runs at least once after the question is closed; its result does not affect the
   * run.
   */
  readonly settle?: ((checkpoint: Checkpoint) => EffectWork) | undefined
  /** `byName`: the display name of the responder; null if unknown. */
  readonly answered: (answer: CheckpointAnswer, byName: string | null, checkpoint: Checkpoint) => PureResult
  /** Called with the time of the timeout, in epoch milliseconds. */
  readonly timedOut: (atMs: number) => PureResult
}

export interface EventWork extends TimedWork {
  /** Evaluated once and journaled. */
  readonly request: () => {
    readonly filter: EventFilter
    readonly sinceRun: boolean
    readonly withinMs: number
  }
  /** A TocsinError counts the event as failed; it then does not match. */
  readonly matches: (event: StoredEvent) => boolean
  readonly received: (event: StoredEvent, counts: EventWait) => PureResult
  /** Called with the time of the timeout, in epoch milliseconds. */
  readonly timedOut: (atMs: number, counts: EventWait) => PureResult
}

/** For a question to one of several people. */
export interface GroupedAsk {
  readonly group: QuestionGroup
  /** When the person is asked, unless the others have decided by then; epoch milliseconds. */
  readonly askAtMs: number
  /** The timeout of all questions of the group, instead of `withinMs`; epoch milliseconds. */
  readonly untilMs: number
  /** Aborted when no answer can decide any more, because other people could not be asked. */
  readonly over: AbortSignal
  /** The result if the others decide first. */
  readonly decided: () => PureResult
}

/** The recorded result of work, as plain JSON. */
export type WorkOutcome = PureResult & {
  /** Recorded time in epoch milliseconds; the interpreter sees no other clock. */
  readonly endedAt: number
}

/**
 * Thrown when the run stops here without having ended: the process drains, or the run waits. The journal is
 * complete, so another context can continue.
 */
export class RunSuspended extends Error {
  constructor() {
    super('the run is suspended')
    this.name = 'RunSuspended'
  }
}
