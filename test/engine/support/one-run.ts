import { expect } from 'chai'
import type { FailedAttempt, JournalEntry, Run } from '../../../core/domain/run.ts'
import { RunSuspended, type EffectWork } from '../../../core/engine/journal/durable-context.ts'
import {
  openLocalContext,
  type LocalContext,
  type LocalContextOptions,
} from '../../../core/engine/context/local-context.ts'
import { defaultRetry } from '../../../core/playbook/language/constants.ts'
import type { RetryPolicy } from '../../../core/playbook/language/playbook.ts'
import { openBench, type Bench } from './bench.ts'
import { ManualClock, settle } from './manual-clock.ts'

export const retry: RetryPolicy = { ...defaultRetry, backoffMs: 1_000 }

/** A call at the path `a` that may be repeated by default. */
export const effect = (work: Partial<EffectWork> & Pick<EffectWork, 'run'>): EffectWork => ({
  path: 'a',
  stepId: 'a',
  kind: 'x.do',
  input: () => ({ n: 1 }),
  timeoutMs: 60_000,
  deadlineMs: Infinity,
  shielded: false,
  retry,
  interrupted: 'repeat',
  ...work,
})

export interface OneRun {
  readonly bench: Bench
  readonly clock: ManualClock
  readonly run: Run
  /** Continues with a new run. */
  anotherRun(): Promise<void>
  /** A process of the run. */
  open(options?: Partial<LocalContextOptions>): Promise<LocalContext>
  /** Path in the journal; default `a`. */
  entry(path?: string): Promise<JournalEntry | undefined>
  attempts(): Promise<readonly FailedAttempt[]>
  /** An attempt during which the process crashes: intent, no result. */
  interrupt(work: EffectWork): Promise<void>
}

/** A run in its own store for each test of this `describe`. */
export function useOneRun(): OneRun {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  let contexts: LocalContext[] = []
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
    contexts = []
  })
  afterEach(() => bench.close())

  /** Resolves when all writes of earlier processes are durable, or the processes have crashed. */
  const settled = () => Promise.allSettled(contexts.map((context) => context.settled()))

  const open: OneRun['open'] = async (options = {}) => {
    await settled()
    const context = await openLocalContext({
      run: { uuid: run.uuid, startedAt: run.startedAt! },
      journal: bench.stores.journal,
      clock,
      log: bench.log,
      ...options,
    })
    contexts.push(context)
    return context
  }
  const entry: OneRun['entry'] = async (path = 'a') => {
    await settled()
    return (await bench.stores.journal.entries(run.uuid)).find((each) => each.path === path)
  }

  return {
    get bench() {
      return bench
    },
    get clock() {
      return clock
    },
    get run() {
      return run
    },
    async anotherRun() {
      run = await bench.startRun()
    },
    open,
    entry,
    async attempts() {
      await settled()
      return await bench.stores.journal.failedAttempts(run.uuid)
    },
    async interrupt(work) {
      const stop = new AbortController()
      const context = await open({ stop: stop.signal })
      const going = context
        .perform({ ...work, run: () => new Promise(() => {}) })
        .catch((error: unknown) => error)
      await settle()
      stop.abort()
      expect(await going).to.be.instanceOf(RunSuspended)
      expect((await entry())?.state).to.equal('started')
    },
  }
}
