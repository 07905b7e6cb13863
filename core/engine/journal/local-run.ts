import type { DestructiveLimits } from '../../domain/destructive-use.ts'
import type { StepMasks } from '../../domain/mask.ts'
import type { JournalEntry } from '../../domain/run.ts'
import type { CheckpointStore } from '../../ports/runs/checkpoint-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalBegin, JournalEnd } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import { GroupTimeoutError } from '../context/attempt.ts'
import type { Outcome, PureResult, Work } from './durable-context.ts'
import type { EarlierTry } from './earlier-tries.ts'
import type { IdleWatch } from './idle-watch.ts'
import type { RunJournal } from './run-journal.ts'
import { toStoredError } from './stored-error.ts'
import type { WakeUps } from './wake-ups.ts'

/** What a run needs of the store of questions. */
export type RunCheckpoints = Pick<CheckpointStore, 'open' | 'goesOver' | 'asked' | 'atPath' | 'close'>

/** What the parts of a local context share. */
export interface LocalRun {
  readonly uuid: string
  /** A step that a crash interrupted fails. */
  readonly givesUp: boolean
  readonly journal: RunJournal
  readonly clock: Clock
  readonly log: Log
  /** Cancels the run. */
  readonly cancel: AbortSignal
  /** Stops the run in this process. */
  readonly stop: AbortSignal
  readonly idle: IdleWatch
  readonly wakeUps: WakeUps
  /** Of the runs that this one goes on from. */
  readonly earlierTries: () => Promise<readonly EarlierTry[]>
  /** Uses of destructive skills in an hour that begin without an approval; undefined: any number. */
  readonly destructiveLimits: DestructiveLimits | undefined
  /** Every further use of these skills in this run is approved. To be added to. */
  readonly approvedSkills: () => Promise<Set<string>>
  /** Begins work that the run does not wait for before its end. */
  readonly beside: (work: () => Promise<unknown>) => void
  /** Undefined where nobody can be asked. */
  readonly checkpoints: RunCheckpoints | undefined
}

/** What the journal says of work from its beginning on. */
export const begun = ({ path, stepId, kind, sensitive }: Work): Pick<JournalBegin, keyof Work> => ({
  path,
  stepId,
  kind,
  ...(sensitive && { sensitive }),
})

/** The recorded outcome of an entry; undefined while it has none. */
export function recordedOutcome(entry: JournalEntry | undefined): Outcome | undefined {
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

/** The failure of timed work. A platform's timer may fire a little early: the deadline that ended it has passed by definition. */
export function failedOutcome(
  local: Pick<LocalRun, 'uuid' | 'log' | 'clock'>,
  work: { readonly path: string; readonly deadlineMs: number },
  error: unknown,
): Outcome {
  const now = local.clock.now()
  const endedAt = error instanceof GroupTimeoutError ? Math.max(now, work.deadlineMs) : now
  return { ...failedWith(local, work.path, error), endedAt }
}

/** Records work that needed no intent. */
export function record(local: LocalRun, begin: JournalBegin, outcome: Outcome): Outcome {
  local.journal.record(begin, journalEnd(outcome, 1, begin.sensitive))
  return outcome
}

/** Records the result of work whose intent is recorded. */
export function end(
  local: LocalRun,
  { path, sensitive }: Pick<Work, 'path' | 'sensitive'>,
  outcome: Outcome,
  attempt: number,
  changedNothing = false,
): Outcome {
  const ended = journalEnd(outcome, attempt, sensitive)
  local.journal.end(path, { ...ended, ...(changedNothing && { changedNothing }) })
  return outcome
}

function journalEnd(outcome: Outcome, attempt: number, masks: StepMasks | undefined): JournalEnd {
  const { state, endedAt } = outcome
  const sensitive = masks?.output === undefined ? {} : { isSensitive: true }
  return outcome.state === 'failed'
    ? { state, output: null, error: outcome.error, attempt, endedAt }
    : { state, output: outcome.output, ...sensitive, error: null, attempt, endedAt }
}
