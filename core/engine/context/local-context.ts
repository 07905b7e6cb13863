import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { DestructiveLimits } from '../../domain/destructive-use.ts'
import { approveBatch, loadApprovedSkills, performOrAsk } from './approval.ts'
import { ask } from './ask.ts'
import { createBesides } from '../journal/besides.ts'
import { RunSuspended } from '../journal/durable-context.ts'
import type { DurableContext, Outcome, PureResult, PureWork, SleepWork } from '../journal/durable-context.ts'
import type { EarlierTry } from '../journal/earlier-tries.ts'
import { createIdleWatch } from '../journal/idle-watch.ts'
import {
  begun,
  end,
  failedOutcome,
  failedWith,
  record,
  recordedOutcome,
  type LocalRun,
  type RunCheckpoints,
} from '../journal/local-run.ts'
import { plainJson } from '../journal/plain-json.ts'
import { openRunJournal } from '../journal/run-journal.ts'
import { waitUntil } from './wait-until.ts'
import { createWakeUps, type WakeUps } from '../journal/wake-ups.ts'

export interface LocalContextOptions {
  readonly run: { readonly uuid: string; readonly startedAt: number }
  /** The run has never been taken up before: its journal is empty. Default false. */
  readonly isNew?: boolean | undefined
  /** A step that a crash interrupted fails, whatever its class: it may be what brings the process down. Default false. */
  readonly givesUp?: boolean | undefined
  readonly journal: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** Cancels the run. */
  readonly cancel?: AbortSignal | undefined
  /** Stops the run in this process: operations reject with RunSuspended; another context can go on from the journal. */
  readonly stop?: AbortSignal | undefined
  /** No work begins after this, which rejects with RunSuspended; what is under way goes on to its end. Default: never. */
  readonly hold?: AbortSignal | undefined
  /** Told of answers and decisions from outside. Default: nobody tells. */
  readonly wakeUps?: WakeUps | undefined
  /** What the runs before did at places that are not in the journal; called once, where it is needed. Default: there are none. */
  readonly earlierTries?: (() => Promise<readonly EarlierTry[]>) | undefined
  /** Uses of destructive skills in an hour that begin without an approval, if the organization has no limits of its own. Default: any number. */
  readonly destructiveLimits?: DestructiveLimits | undefined
  /** Where questions to people are kept. Default: nobody can be asked, and a checkpoint fails. */
  readonly checkpoints?: RunCheckpoints | undefined
  /** Every branch of the run waits, the first of them until `wakeAtMs`, or Infinity. May be called again and again. */
  readonly onIdle?: ((wakeAtMs: number) => void) | undefined
}

const never = new AbortController().signal

/** A durable context on a journal store. */
export interface LocalContext extends DurableContext {
  /** Resolves when all that was done is durable. To be awaited before a run is left. */
  settled(): Promise<void>
  /** Around anything else that the run waits for: it is not idle meanwhile. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Any other write for the run, tried again while the store cannot take it. */
  insist<T>(write: () => Promise<T>): Promise<T>
  /** Ends the run, tried again while the store cannot take it; with what is not durable yet, or after it. */
  end<T>(write: () => Promise<T>): Promise<T>
}

/** Reads the run's journal; what has ended in it does not happen again. */
export async function openLocalContext(options: LocalContextOptions): Promise<LocalContext> {
  const { run, clock, log, cancel = never, stop = never } = options
  const { isNew, hold } = options
  const store = options.journal
  const journal = await openRunJournal({ runUuid: run.uuid, store, clock, log, stop, hold, isNew })
  const idle = createIdleWatch(options.onIdle ?? (() => {}))
  const { wakeUps = createWakeUps(), checkpoints } = options
  const besides = createBesides(idle, (error) =>
    log.error({ run: run.uuid, error }, 'work beside a run failed'),
  )
  const local: LocalRun = {
    uuid: run.uuid,
    givesUp: options.givesUp === true,
    journal,
    clock,
    log,
    cancel,
    stop,
    idle,
    wakeUps,
    earlierTries: once(options.earlierTries ?? (async () => [])),
    destructiveLimits: options.destructiveLimits,
    approvedSkills: once(async () => await loadApprovedSkills(local)),
    beside: (work) => besides.beside(work),
    checkpoints,
  }
  return {
    runUuid: run.uuid,
    startedAt: run.startedAt,
    remember: (work) => idle.busy(() => remember(local, work)),
    perform: (work) => idle.busy(() => performOrAsk(local, work)),
    sleep: (work) => idle.busy(() => sleep(local, work)),
    ask: (work) => idle.busy(() => ask(local, work)),
    approve: (work) => idle.busy(() => approveBatch(local, work)),
    release: (paths) => idle.busy(() => journal.insist(() => store.release(run.uuid, paths))),
    finish: () => besides.finish(),
    settled: () => journal.settled(),
    busy: (work) => idle.busy(work),
    insist: (write) => idle.busy(() => journal.insist(write)),
    end: (write) => journal.finish(write),
  }
}

/** What succeeded once is not done again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let known: { readonly result: T } | undefined
  return async () => (known ??= { result: await work() }).result
}

async function remember(local: LocalRun, work: PureWork): Promise<Outcome> {
  const recorded = recordedOutcome(local.journal.entry(work.path))
  if (recorded) return recorded
  const result = evaluate(local, work)
  const endedAt = local.clock.now()
  const begin = { ...begun(work), input: null, attempt: 1, startedAt: work.startedAt ?? endedAt }
  const outcome = record(local, begin, { ...result, endedAt })
  await local.journal.room()
  return outcome
}

function evaluate(local: LocalRun, work: PureWork): PureResult {
  try {
    const result = work.evaluate()
    return result.state === 'failed' ? result : { state: result.state, output: plainJson(result.output) }
  } catch (error) {
    return failedWith(local, work.path, error)
  }
}

async function sleep(local: LocalRun, work: SleepWork): Promise<Outcome> {
  const { path, stepId, kind } = work
  const entry = local.journal.entry(path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  let untilMs = (entry?.input as { until_ms: number } | undefined)?.until_ms
  if (untilMs === undefined) {
    const begin = { path, stepId, kind, input: null, attempt: 1, startedAt: local.clock.now() }
    try {
      untilMs = work.untilMs()
    } catch (error) {
      return record(local, begin, { ...failedWith(local, path, error), endedAt: begin.startedAt })
    }
    await local.journal.begin({ ...begin, input: { until_ms: untilMs } })
  }
  return end(local, work, await wait(local, work, untilMs), 1)
}

async function wait(local: LocalRun, work: SleepWork, untilMs: number): Promise<Outcome> {
  try {
    await waitUntil(local, work, untilMs)
    return { state: 'completed', output: null, endedAt: Math.max(local.clock.now(), untilMs) }
  } catch (error) {
    if (error instanceof RunSuspended) throw error
    return failedOutcome(local, work, error)
  }
}
