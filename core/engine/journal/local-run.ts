import type { ApprovalRule, DestructiveLimits } from '../../domain/destructive-use.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { JournalEntry } from '../../domain/run.ts'
import type { CheckpointStore } from '../../ports/runs/checkpoint-store.ts'
import type { EventWaitStore } from '../../ports/runs/event-wait-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalBegin, JournalEnd } from '../../ports/runs/journal-store.ts'
import type { Lease } from '../../ports/nodes/lease.ts'
import type { Log } from '../../ports/log.ts'
import { GroupTimeoutError } from '../context/attempt.ts'
import type { WorkOutcome, PureResult, DurableWork } from './durable-context.ts'
import type { EarlierTry } from './earlier-tries.ts'
import type { IdleWatch } from './idle-watch.ts'
import type { RunJournal } from './run-journal.ts'
import { toStoredError } from './stored-error.ts'
import type { WakeUps } from './wake-ups.ts'

/** The part of the checkpoint store that a run uses. */
export type RunCheckpoints = Pick<
  CheckpointStore,
  'open' | 'storeConnection' | 'asked' | 'atPath' | 'inGroup' | 'close'
>

/** The part of the store of waits for events that a run uses. */
export type RunEvents = Omit<EventWaitStore, 'watch'>

/** Shared by the parts of a local context. */
export interface LocalRun {
  readonly uuid: string
  /** A step that a crash interrupted fails. */
  readonly failsInterrupted: boolean
  readonly journal: RunJournal
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the run is cancelled. */
  readonly cancel: AbortSignal
  /** Aborted when the run stops in this process. */
  readonly stop: AbortSignal
  readonly idle: IdleWatch
  readonly wakeUps: WakeUps
  /** Effects of the runs that this one retries. */
  readonly earlierTries: () => Promise<readonly EarlierTry[]>
  /** Uses of destructive skills per hour that need no approval; undefined: no limit. */
  readonly destructiveLimits: DestructiveLimits | undefined
  /** Approval rules of the server, after those of the organization. */
  readonly approvalRules: readonly ApprovalRule[]
  /** See `LocalContextOptions`. */
  readonly lease?: Lease | undefined
  /** Skills whose further uses in this run are approved; the set is mutable. */
  readonly approvedSkills: () => Promise<Set<string>>
  /** Starts a background task: only the end of the run waits for it. */
  readonly startTask: (work: () => Promise<unknown>) => void
  /** Undefined if this process cannot ask questions. */
  readonly checkpoints: RunCheckpoints | undefined
  /** Undefined if this process cannot wait for events. */
  readonly events: RunEvents | undefined
}

/** The fields of the work that begin its journal entry. */
export const begun = ({
  path,
  stepId,
  kind,
  sensitive,
}: DurableWork): Pick<JournalBegin, keyof DurableWork> => ({
  path,
  stepId,
  kind,
  ...(sensitive && { sensitive }),
})

/** The recorded outcome of an entry; undefined if it has none yet. */
export function recordedOutcome(entry: JournalEntry | undefined): WorkOutcome | undefined {
  if (entry === undefined || entry.state === 'started' || entry.state === 'unknown') return undefined
  const endedAt = entry.endedAt ?? entry.startedAt
  const { state, output, resolution } = entry
  if (state === 'completed' && resolution?.decision === 'ran_output_unknown')
    return { state, output: null, outputUnknown: resolution.by, endedAt }
  if (state !== 'failed') return { state, output, endedAt }
  const error = entry.error ?? { code: 'internal_error', message: 'no error was recorded' }
  return { state: 'failed', error, endedAt }
}

export function failedWith(local: Pick<LocalRun, 'uuid' | 'log'>, path: string, error: unknown): PureResult {
  return { state: 'failed', error: toStoredError(error, local.log, { run: local.uuid, path }) }
}

/**
 * The failure of timed work. A timer may fire slightly early, so a passed deadline is recorded as its own
 * time at least.
 */
export function failedOutcome(
  local: Pick<LocalRun, 'uuid' | 'log' | 'clock'>,
  work: { readonly path: string; readonly deadlineMs: number },
  error: unknown,
): WorkOutcome {
  const now = local.clock.now()
  const endedAt = error instanceof GroupTimeoutError ? Math.max(now, work.deadlineMs) : now
  return { ...failedWith(local, work.path, error), endedAt }
}

/** Records work without an intent. */
export function recordOutcome(
  local: LocalRun,
  begin: JournalBegin,
  outcome: WorkOutcome,
  call?: JournalEnd['call'],
): WorkOutcome {
  local.journal.record(begin, { ...journalEnd(outcome, 1, begin.sensitive), ...(call && { call }) })
  return outcome
}

/** Records the result of work with a recorded intent. */
export function end(
  local: LocalRun,
  { path, sensitive }: Pick<DurableWork, 'path' | 'sensitive'>,
  outcome: WorkOutcome,
  attempt: number,
  more: Pick<JournalEnd, 'changedNothing' | 'call'> = {},
): WorkOutcome {
  const ended = journalEnd(outcome, attempt, sensitive)
  local.journal.end(path, { ...ended, ...more })
  return outcome
}

function journalEnd(outcome: WorkOutcome, attempt: number, masks: StepMasks | undefined): JournalEnd {
  const { state, endedAt } = outcome
  const sensitive = masks?.output === undefined ? {} : { isSensitive: true }
  return outcome.state === 'failed'
    ? { state, output: null, error: outcome.error, attempt, endedAt }
    : { state, output: outcome.output, ...sensitive, error: null, attempt, endedAt }
}
