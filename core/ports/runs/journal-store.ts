import type { DestructiveOutcome } from '../../destructive/containment.ts'
import type { Actor } from '../../domain/audit.ts'
import type { HeldUses } from '../../domain/destructive-use.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { RatedStart } from '../../common/rates.ts'
import type { FailedAttempt, JournalEntry, StepDecision, StoredError } from '../../domain/run.ts'
import type { StateRequest } from '../../state/state.ts'
import type { DestructiveCall, ReservedUses } from './destructive-use-store.ts'

/** The journals of runs, keyed by run and path. */
export interface JournalStore {
  /**
   * Records the intent before the work begins. A second `begin` of a path only raises `attempt`, which shows
   * that the later attempt had begun. Counts the use of a destructive skill, once per path. A use beyond the
   * limit does not begin; the audit log records that it is held.
   */
  begin(runUuid: string, entry: JournalBegin): Promise<HeldUses | undefined>
  /** Counts all these uses of a destructive skill before they begin, or holds all of them. */
  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUses | undefined>
  /** Releases the reserved uses of steps that have not begun. */
  release(runUuid: string, paths: readonly string[]): Promise<void>
  /**
   * Counts the start of a step with a rate limit, or gives the time to wait before asking again, in
   * milliseconds. A start that asks again replaces its earlier request. `waits`: keeps its place in line
   * until then.
   */
  admit(runUuid: string, path: string, start: RatedStart, waits: boolean): Promise<number>
  /** Gives up the place in line of a step that does not start. */
  withdraw(runUuid: string, path: string): Promise<void>
  /** Records a failed attempt that is not the last. */
  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void>
  /** Records the result. Throws ConflictError `step_has_ended` for a second one. */
  end(runUuid: string, path: string, end: JournalEnd): Promise<void>
  /** Records intent and result in one write, for a step without an external effect, e.g. `set`. */
  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void>
  /**
   * Reads or changes the state of a playbook (see `applyState`) and records the outcome at the path, in one write. A path with an
   * outcome keeps it: nothing is changed again.
   */
  recordState(runUuid: string, entry: JournalBegin, request: StateRequest): Promise<JournalEntry>
  /** In the order in which the steps began. */
  entries(runUuid: string): Promise<readonly JournalEntry[]>
  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]>
  /** A bounded part of a journal of any size. */
  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt>
  /**
   * The outcome of a step is unknown: it becomes `unknown`, and its run `waiting`. `tried`: the failed
   * attempt, unless a crash ended it. `call`: of a destructive skill. Repeating it changes nothing.
   */
  park(runUuid: string, path: string, tried?: FailedAttempt, call?: DestructiveOutcome): Promise<void>
  /**
   * Applies a person's decision about an `unknown` step; the first one wins. `ran` completes it with the
   * output, `skip` skips it, `run_again` records a failed attempt. Throws NotFoundError `step_not_found`,
   * ConflictError `step_not_unknown`.
   */
  resolve(runUuid: string, path: string, resolution: NewResolution): Promise<JournalEntry>
  entry(runUuid: string, path: string): Promise<JournalEntry | undefined>
}

export interface JournalBegin {
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
  readonly input: unknown
  /** Sensitive places of the input and of the later output, which are stored encrypted. Undefined: none. */
  readonly sensitive?: StepMasks | undefined
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Of a destructive skill: how to count and audit the call. Undefined: not destructive. */
  readonly destructive?: DestructiveCall | undefined
}

export interface JournalEnd {
  readonly state: 'completed' | 'failed' | 'skipped'
  readonly output: unknown
  /** The output is stored encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  readonly error: StoredError | null
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly endedAt: number
  /** The step is known to have changed nothing, so its use does not count. Default false. */
  readonly changedNothing?: boolean | undefined
  /** Of a destructive skill. A call that contains makes a containment in the same write, unless it surely changed nothing. */
  readonly call?: DestructiveOutcome | undefined
}

export interface ExcerptLimits {
  /** Number of the first entries. */
  readonly first: number
  /** Number of the newest, and of the `unknown` entries. */
  readonly newest: number
  /**
   * Maximum bytes of inputs and outputs, given to `unknown` steps first, then to the newest; others are null.
   */
  readonly bytes: number
}

export interface JournalExcerpt {
  /** In the order in which the steps began. */
  readonly entries: readonly JournalEntry[]
  /** Paths of entries without input and output. */
  readonly emptied: ReadonlySet<string>
  /** Of these entries, at most `first`. */
  readonly failedAttempts: readonly FailedAttempt[]
  /** Number of entries in the journal. */
  readonly total: number
}

export interface NewResolution {
  readonly decision: StepDecision
  /** For `ran`, otherwise null. */
  readonly output: unknown
  readonly by: Actor
}
