import type { Run } from '../domain/run.ts'
import { createAlarms } from './alarms.ts'
import { FairQueue } from './fair-queue.ts'
import { runTurn, type TurnControls, type TurnEnd, type TurnOptions } from './run-turn.ts'
import { createWakeUps } from './wake-ups.ts'

export interface RunnerOptions extends TurnOptions {
  /** Whether nothing begins before `recover` is called. Default false. */
  readonly held?: boolean
  /** Runs that work at the same time; those that only wait do not count. Default 50. */
  readonly maxRuns?: number | undefined
}

export interface Runner {
  /** Takes up a queued or running run; one that is taken up already is left alone. */
  enqueue(run: RunKey): void
  /** Something that the run may wait for has happened: an answer, a decision, the end of the run before it. */
  wake(run: RunKey): void
  /** To be told when the store knows of the request. Ends what is under way as cancelled; `finally` still runs. */
  cancel(run: RunKey): void
  /** Takes up what an earlier process left behind. */
  recover(): Promise<void>
  /**
   * Begins no further run, gives those under way up to `timeoutMs` to end, then stops them where they are: their journals are
   * complete, and the next process goes on. Resolves when nothing is under way.
   */
  drain(timeoutMs: number): Promise<void>
  /** How many runs wait for their turn, work, and are put away. */
  load(): { readonly queued: number; readonly active: number; readonly parked: number }
}

export const defaultMaxRuns = 50
/** While the store cannot be used. */
const firstRetryMs = 1_000
const longestRetryMs = 60_000

type RunKey = Pick<Run, 'uuid' | 'organizationUuid'>

/** A run that has a turn. */
interface Active extends TurnControls {
  readonly done: Promise<void>
  /** Something has happened that this turn may not have seen. */
  woken: boolean
}

/** Runs runs. Holds ids of those that wait and memory only for those that work. */
export function createRunner(options: RunnerOptions): Runner {
  const { clock, log, maxRuns = defaultMaxRuns } = options
  const queue = new FairQueue()
  /** Queued, or parked: then the alarm that ends it. Active runs are in `active`. */
  const resting = new Map<string, 'queued' | RunKey>()
  const active = new Map<string, Active>()
  /** Consecutive turns that the store spoiled. */
  const troubles = new Map<string, number>()
  const draining = new AbortController()
  let held = options.held === true
  /** Not looked at yet in this process. */
  const fresh = new Set<string>()
  const parked = createAlarms<RunKey>(clock, (run) => {
    // Woken meanwhile: that alarm is not the one of the present rest.
    if (resting.get(run.uuid) === run) push(run)
  })

  function push({ uuid, organizationUuid }: RunKey): void {
    resting.set(uuid, 'queued')
    queue.push(organizationUuid, uuid)
    fill()
  }

  function enqueue(run: RunKey): void {
    if (active.has(run.uuid) || resting.has(run.uuid) || draining.signal.aborted) return
    fresh.add(run.uuid)
    push(run)
  }

  function wake(run: RunKey): void {
    const now = active.get(run.uuid)
    if (now) {
      now.woken = true
      now.wakeUps.wake()
    } else if (!resting.has(run.uuid)) enqueue(run)
    else if (resting.get(run.uuid) !== 'queued' && !draining.signal.aborted) push(run)
  }

  function fill(): void {
    if (held) return
    while (active.size < maxRuns && !draining.signal.aborted) {
      const uuid = queue.take()
      if (uuid === undefined) return
      resting.delete(uuid)
      const controls = {
        stop: new AbortController(),
        cancel: new AbortController(),
        wakeUps: createWakeUps(),
        woken: false,
      }
      const mine: Active = Object.assign(controls, {
        done: Promise.resolve().then(() => turn(uuid, controls)),
      })
      active.set(uuid, mine)
    }
  }

  /** Never rejects: the errors of one run never touch another. */
  async function turn(uuid: string, controls: Omit<Active, 'done'>): Promise<void> {
    let run: Run | undefined
    let result: TurnEnd
    try {
      run = await options.stores.runs.find('all', uuid)
      const leftBehind = fresh.delete(uuid) && (run?.status === 'running' || run?.status === 'waiting')
      const given = { leftBehind, controls, draining: draining.signal }
      result = run ? await runTurn(options, { run, ...given }) : 'over'
      troubles.delete(uuid)
    } catch (error) {
      result = spoiled(uuid, error)
    }
    const last = active.get(uuid)
    active.delete(uuid)
    const key = { uuid, organizationUuid: run?.organizationUuid ?? '' }
    if (!draining.signal.aborted) goOn(key, result, last?.woken === true)
    fill()
    if (result === 'over') await wakeNext(key)
  }

  function goOn(key: RunKey, result: TurnEnd, woken: boolean): void {
    if (result === 'over') return
    if (woken) push(key)
    else if (result !== 'held') {
      resting.set(key.uuid, key)
      // What has no time of its own waits for a wake-up alone.
      if (result.againAtMs < Infinity) parked.set(result.againAtMs, key)
    }
  }

  /** The next run of the concurrency key may begin. If this cannot be found out now, the next process finds it. */
  async function wakeNext({ uuid }: RunKey): Promise<void> {
    try {
      const next = await options.stores.runs.nextInLine(uuid)
      if (next) wake(next)
    } catch (error) {
      log.error({ run: uuid, error }, 'the next run in line could not be looked up')
    }
  }

  function spoiled(uuid: string, error: unknown): TurnEnd {
    const trouble = (troubles.get(uuid) ?? 0) + 1
    troubles.set(uuid, trouble)
    const delayMs = Math.min(firstRetryMs * 2 ** (trouble - 1), longestRetryMs)
    log.error({ run: uuid, error, delay_ms: delayMs }, 'the run cannot go on for now')
    return { againAtMs: clock.now() + delayMs }
  }

  return {
    enqueue,
    wake,
    cancel(run) {
      active.get(run.uuid)?.cancel.abort()
      wake(run)
    },
    async recover() {
      held = false
      for (const run of await options.stores.runs.unfinished()) enqueue(run)
      fill()
    },
    async drain(timeoutMs) {
      draining.abort()
      parked.clear()
      for (const [uuid, rest] of resting) if (rest !== 'queued') resting.delete(uuid)
      const over = new AbortController()
      const ended = Promise.all(Array.from(active.values(), ({ done }) => done))
      const stopAll = () => {
        for (const { stop } of active.values()) stop.abort()
      }
      clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})
      await ended
      over.abort()
    },
    load: () => {
      const queued = queue.size
      return { queued, active: active.size, parked: resting.size - queued }
    },
  }
}
