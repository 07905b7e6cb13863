import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Lease } from '../../ports/nodes/lease.ts'
import type { Log } from '../../ports/log.ts'
import type { ApprovalRule, DestructiveLimits } from '../../domain/destructive-use.ts'
import { admit } from './admit.ts'
import { approveBatch, loadApprovedSkills, mayNeedApproval, performOrAsk } from './approval.ts'
import { ask } from './ask.ts'
import { awaitEvent } from './await-event.ts'
import { perform } from './effect.ts'
import {
  RunSuspended,
  type DurableContext,
  type WorkOutcome,
  type PureResult,
  type PureWork,
  type SleepWork,
} from '../journal/durable-context.ts'
import type { EarlierTry } from '../journal/earlier-tries.ts'
import { createIdleWatch, type IdleWatch } from '../journal/idle-watch.ts'
import {
  begun,
  end,
  failedOutcome,
  failedWith,
  recordOutcome,
  recordedOutcome,
  type LocalRun,
  type RunCheckpoints,
  type RunEvents,
} from '../journal/local-run.ts'
import { once } from '../../common/once.ts'
import { plainJson } from '../journal/plain-json.ts'
import { openRunJournal } from '../journal/run-journal.ts'
import { useState } from './use-state.ts'
import { waitUntil } from './wait-until.ts'
import { createWakeUps, type WakeUps } from '../journal/wake-ups.ts'

export interface LocalContextOptions {
  readonly run: { readonly uuid: string; readonly startedAt: number }
  /** The run is new and its journal empty. Default false. */
  readonly isNew?: boolean | undefined
  /**
   * An interrupted step fails, whatever its class, because it may be what crashes the process. Default false.
   */
  readonly failsInterrupted?: boolean | undefined
  readonly journal: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the run is cancelled. */
  readonly cancel?: AbortSignal | undefined
  /**
   * Aborted to stop the run in this process: operations reject with RunSuspended, and another context can
   * continue.
   */
  readonly stop?: AbortSignal | undefined
  /** Called when a write was refused because another turn has begun; abort `stop` then. Default: none. */
  readonly onTurnLost?: (() => void) | undefined
  /** Aborted: new work rejects with RunSuspended; current work continues to its end. Default: never. */
  readonly hold?: AbortSignal | undefined
  /** Notifies of answers and decisions. Default: none. */
  readonly wakeUps?: WakeUps | undefined
  /** Loads the effects of the retried runs; called once, on demand. Default: none. */
  readonly earlierTries?: (() => Promise<readonly EarlierTry[]>) | undefined
  /**
   * Uses of destructive skills per hour without approval, for organizations without own limits. Default: no
   * limit.
   */
  readonly destructiveLimits?: DestructiveLimits | undefined
  /** Approval rules of the server, after those of the organization. Default: none. */
  readonly approvalRules?: readonly ApprovalRule[] | undefined
  /** Without it, no skill is called: the call waits until it is held again. Default: always held. */
  readonly lease?: Lease | undefined
  /** Where questions are stored. Default: none, and checkpoints fail. */
  readonly checkpoints?: RunCheckpoints | undefined
  /** The store of waits for events. Default: none; steps that wait for events fail. */
  readonly events?: RunEvents | undefined
  /** Called, possibly repeatedly, when every branch waits; `wakeAtMs` is the first wake time, or Infinity. */
  readonly onIdle?: ((wakeAtMs: number) => void) | undefined
}

const never = new AbortController().signal

/** A durable context on a journal store. */
export interface LocalContext extends DurableContext {
  /** Resolves when all writes are durable. Await it before leaving the run. */
  settled(): Promise<void>
  /** Wraps other work of the run, so that the run does not count as idle. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Any other write for the run, retried while the store is unavailable. */
  insist<T>(write: () => Promise<T>): Promise<T>
  /** Calls `onIdle` soon if every branch waits. */
  lookIdle(): void
  /** Ends the run, retried while the store is unavailable. */
  end<T>(write: () => Promise<T>): Promise<T>
}

/** Loads the journal of the run; recorded work does not happen again. */
export async function openLocalContext(options: LocalContextOptions): Promise<LocalContext> {
  const { run, clock, log, cancel = never, stop = never } = options
  const { isNew, hold, onTurnLost } = options
  const store = options.journal
  const journal = await openRunJournal({
    runUuid: run.uuid,
    store,
    clock,
    log,
    stop,
    hold,
    isNew,
    onTurnLost,
  })
  const idle = createIdleWatch(options.onIdle ?? (() => {}))
  const { wakeUps = createWakeUps(), checkpoints, events } = options
  const tasks = createBackgroundTasks(idle, (error) =>
    log.error({ run: run.uuid, error }, 'background task failed'),
  )
  const local: LocalRun = {
    uuid: run.uuid,
    failsInterrupted: options.failsInterrupted === true,
    journal,
    clock,
    log,
    cancel,
    stop,
    idle,
    wakeUps,
    earlierTries: once(options.earlierTries ?? (async () => [])),
    destructiveLimits: options.destructiveLimits,
    approvalRules: options.approvalRules ?? [],
    lease: options.lease,
    approvedSkills: once(async () => await loadApprovedSkills(local)),
    startTask: (work) => tasks.start(work),
    checkpoints,
    events,
  }
  return {
    runUuid: run.uuid,
    startedAt: run.startedAt,
    async remember(work) {
      const recorded = recordedOutcome(journal.entry(work.path))
      if (recorded) return recorded
      const outcome = remember(local, work)
      const room = journal.room()
      if (room !== undefined) await idle.busy(() => room)
      return outcome
    },
    perform: (work) =>
      idle.busy(() => (mayNeedApproval(local, work) ? performOrAsk(local, work) : perform(local, work))),
    sleep: (work) => idle.busy(() => sleep(local, work)),
    state: (work) => idle.busy(() => useState(local, work)),
    ask: (work) => idle.busy(() => ask(local, work)),
    admit: (work) => idle.busy(() => admit(local, work)),
    awaitEvent: (work) => idle.busy(() => awaitEvent(local, work)),
    approve: (work) => idle.busy(() => approveBatch(local, work)),
    release: (paths) => idle.busy(() => journal.insist(() => store.release(run.uuid, paths))),
    finish: () => tasks.finish(),
    settled: () => journal.settled(),
    busy: (work) => idle.busy(work),
    insist: (write) => idle.busy(() => journal.insist(write)),
    lookIdle: () => idle.look(),
    end: (write) => journal.finish(write),
  }
}

/** Runs synchronously, so the run cannot become idle here. */
function remember(local: LocalRun, work: PureWork): WorkOutcome {
  const result = evaluate(local, work)
  const endedAt = local.clock.now()
  const begin = { ...begun(work), input: null, attempt: 1, startedAt: work.startedAt ?? endedAt }
  return recordOutcome(local, begin, { ...result, endedAt })
}

function evaluate(local: LocalRun, work: PureWork): PureResult {
  try {
    const result = work.evaluate()
    return result.state === 'failed' ? result : { state: result.state, output: plainJson(result.output) }
  } catch (error) {
    return failedWith(local, work.path, error)
  }
}

async function sleep(local: LocalRun, work: SleepWork): Promise<WorkOutcome> {
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
      return recordOutcome(local, begin, { ...failedWith(local, path, error), endedAt: begin.startedAt })
    }
    await local.journal.begin({ ...begin, input: { until_ms: untilMs } })
  }
  return end(local, work, await wait(local, work, untilMs), 1)
}

async function wait(local: LocalRun, work: SleepWork, untilMs: number): Promise<WorkOutcome> {
  try {
    await waitUntil(local, work, untilMs)
    return { state: 'completed', output: null, endedAt: Math.max(local.clock.now(), untilMs) }
  } catch (error) {
    if (error instanceof RunSuspended) throw error
    return failedOutcome(local, work, error)
  }
}

/** Work of a run that its steps do not wait for. */
interface BackgroundTasks {
  start(work: () => Promise<unknown>): void
  /** Resolves when all tasks have ended; rejects with RunSuspended if some continue in a later turn. */
  finish(): Promise<void>
}

/** @param onFailure called for bugs only: the outcome of a task is recorded and never fails the run */
function createBackgroundTasks(idle: IdleWatch, onFailure: (error: unknown) => void): BackgroundTasks {
  const underWay = new Set<Promise<void>>()
  let suspended: RunSuspended | undefined

  async function carryOut(work: () => Promise<unknown>): Promise<void> {
    try {
      await idle.busy(work)
    } catch (error) {
      if (error instanceof RunSuspended) suspended = error
      else onFailure(error)
    }
  }

  return {
    start(work) {
      const mine = carryOut(work).finally(() => underWay.delete(mine))
      underWay.add(mine)
    },
    async finish() {
      while (underWay.size > 0) await Promise.all(underWay)
      if (suspended) throw suspended
    },
  }
}
