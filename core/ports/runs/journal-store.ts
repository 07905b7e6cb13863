import type { Actor } from '../../domain/audit.ts'
import type { HeldUse } from '../../domain/destructive-use.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { FailedAttempt, JournalEntry, StepDecision, StoredError } from '../../domain/run.ts'
import type { DestructiveCall, ReservedUses } from './destructive-use-store.ts'

/** What a run remembers. Keyed by run and path. */
export interface JournalStore {
  /**
   * The intent: committed before the work begins. A second `begin` of a path changes nothing, except that one with a higher
   * attempt raises `attempt` in the entry: this tells a try that was under way from one that was still waited for. A use of a
   * destructive skill is counted with it, once per path; one that would exceed the limit is held back: nothing begins, and the
   * audit log says so.
   */
  begin(runUuid: string, entry: JournalBegin): Promise<HeldUse | undefined>
  /** Counts all these uses of a destructive skill before they begin, or none: then they are held back as by `begin`. */
  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUse | undefined>
  /** Takes back what was counted for these paths and has not begun there. */
  release(runUuid: string, paths: readonly string[]): Promise<void>
  /** A try failed, and is not the last. */
  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void>
  /** The result. Throws ConflictError `step_has_ended` when there is one already. */
  end(runUuid: string, path: string, end: JournalEnd): Promise<void>
  /** A step that needs no intent, e.g. `set`: begun and ended in one write. */
  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void>
  /** In the order in which they began. */
  entries(runUuid: string): Promise<readonly JournalEntry[]>
  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]>
  /** What of a journal can be read at once, however large it is. */
  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt>
  /**
   * Nobody knows whether the step took effect: it becomes `unknown`, and its run `waiting`; `tried` is how its try ended, where that
   * was not by a crash. Repeating it changes nothing.
   */
  park(runUuid: string, path: string, tried?: FailedAttempt): Promise<void>
  /**
   * A person's word about an `unknown` step; one wins. `ran` completes it with the output, `skip` skips it, `run_again` notes
   * that the try failed, so that another follows. Throws NotFoundError `step_not_found`, ConflictError `step_not_unknown`.
   */
  resolve(runUuid: string, path: string, resolution: NewResolution): Promise<JournalEntry>
  entry(runUuid: string, path: string): Promise<JournalEntry | undefined>
}

export interface JournalBegin {
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
  readonly input: unknown
  /** Where something sensitive stands in the input, and will in the output: what is kept is encrypted. Undefined: nowhere. */
  readonly sensitive?: StepMasks | undefined
  /** The try that begins, from 1. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Of a call of a destructive skill, which goes into the audit log. Default: it is none. */
  readonly destructive?: DestructiveCall | undefined
}

export interface JournalEnd {
  readonly state: 'completed' | 'failed' | 'skipped'
  readonly output: unknown
  /** What is kept of the output is encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  readonly error: StoredError | null
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly endedAt: number
  /** Of a destructive skill: it is known that the step changed nothing, so that the use is counted no longer. Default false. */
  readonly changedNothing?: boolean | undefined
}

export interface ExcerptLimits {
  /** So many of the first. */
  readonly first: number
  /** So many of the newest, and of those that are `unknown`. */
  readonly newest: number
  /** Of inputs and outputs together, `unknown` steps and then the newest before others: what does not fit is null. */
  readonly bytes: number
}

export interface JournalExcerpt {
  /** In the order in which they began. */
  readonly entries: readonly JournalEntry[]
  /** Paths of those whose input and output are left out. */
  readonly emptied: ReadonlySet<string>
  /** Of these entries; at most as many as `first`. */
  readonly failedAttempts: readonly FailedAttempt[]
  /** Of the whole journal. */
  readonly total: number
}

export interface NewResolution {
  readonly decision: StepDecision
  /** For `ran`; else null. */
  readonly output: unknown
  readonly by: Actor
}
