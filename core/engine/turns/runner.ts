import type { Organization } from '../../domain/organization.ts'
import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { FairShare } from './fair-share.ts'
import { createParkedRuns } from './parked-runs.ts'
import { takeUpAlone } from './quarantine.ts'
import { runTurn, type TurnControls, type TurnOptions } from './run-turn.ts'
import { TurnQueue, type InLine } from './turn-queue.ts'
import { createWakeUps } from '../journal/wake-ups.ts'

export interface RunnerOptions extends TurnOptions {
  /** Whether nothing begins before `recover` is called. Default false. */
  readonly held?: boolean
  /** Runs that work at the same time; those that only wait do not count. Default 50. */
  readonly maxRuns?: number | undefined
  /** Of these, how many of a hundred may belong to one organization while there are others. Default 80. */
  readonly sharePercent?: number | undefined
  /** Ids in memory of each organization's runs that are to have a turn, and of all that wake first. Default 1,000. */
  readonly maxInMemory?: number | undefined
}

export interface Runner {
  /** Takes up a run that was queued just now: once. `alert`: its own, where it is at hand. */
  enqueue(run: Run, alert?: Alert): void
  /** Something that the run may wait for has happened: an answer, a decision, the end of the run before it. The store knows. */
  wake(run: RunKey): void
  /** To be told when the store knows of the request. Ends what is under way as cancelled; `finally` still runs. */
  cancel(run: Run): void
  /** Takes up what an earlier process left behind, a page at a time. */
  recover(): Promise<void>
  /** No run begins or goes on; the steps under way end. */
  pause(): void
  resume(): void
  /**
   * Ends for good: no run begins or goes on, the steps under way have up to `timeoutMs` to end and are cut off then; the next process
   * goes on. Resolves when nothing is under way.
   */
  drain(timeoutMs: number): Promise<void>
  /** How many runs of an organization have been queued and not started. */
  queuedOf(organizationUuid: string): number
  /** How many runs of an organization have a turn now, and how many may at most. */
  shareOf(organizationUuid: string): { readonly working: number; readonly most: number }
  /** How many runs are in memory since they are to have a turn, and since they have one. */
  load(): { readonly queued: number; readonly active: number }
  /** How many runs are still to be watched since the process crashed while they were under way. Nothing else begins until there are none. */
  suspects(): number
}

export const defaultMaxRuns = 50
/** While the store cannot be used. */
const firstRetryMs = 1_000
const longestRetryMs = 60_000

/** A run that has a turn. */
interface Active {
  readonly done: Promise<void>
  controls: TurnControls
  /** Something has happened that this turn may not have seen. */
  woken: boolean
}

/** Runs runs. Holds memory for those that work, and for the ids of those that are next. */
export function createRunner(options: RunnerOptions): Runner {
  const { clock, log, maxRuns = defaultMaxRuns, maxInMemory } = options
  const { runs, organizations } = options.stores
  const active = new Map<string, Active>()
  const share = new FairShare(maxRuns, options.sharePercent)
  const queued = new Map<string, number>()
  const ending = new AbortController()
  let hold = new AbortController()
  let held = options.held === true
  /** Resolves when the suspects among what an earlier process left have had their turn. */
  let recovered = Promise.resolve()
  /** The latest time that a run has waited for which stands in line since then. */
  let wokenAtMs = 0
  let suspects = 0

  const onTrouble = async (error: unknown): Promise<void> => {
    log.error({ error, delay_ms: firstRetryMs }, 'the store does not say which runs are next')
    await clock.sleep(firstRetryMs, ending.signal)
  }
  const queue = new TurnQueue({
    due,
    active,
    onFilled: fill,
    onTrouble,
    maxInMemory,
  })
  const parked = createParkedRuns({
    clock,
    next: (after, limit) => runs.parked(after, limit),
    wake: pushWoken,
    onTrouble,
    maxInMemory,
  })

  function push(key: RunKey, run?: Run, alert?: Alert): void {
    if (ending.signal.aborted || active.has(key.uuid)) return
    share.know(key.organizationUuid)
    queue.push(key, run, alert)
    fill()
  }

  function pushWoken(run: ParkedRun): void {
    wokenAtMs = Math.max(wokenAtMs, run.wakeAt)
    push(run)
  }

  async function due(organizationUuid: string, limit: number): Promise<readonly RunKey[]> {
    const keys = await runs.due(organizationUuid, limit)
    // The clock has been set back: what stood behind these in line, and in the store alone, waits again.
    if (clock.now() < wokenAtMs && !ending.signal.aborted) {
      wokenAtMs = 0
      parked.start()
    }
    return keys
  }

  function fill(): void {
    if (held) return
    while (active.size < maxRuns && !hold.signal.aborted) {
      const next = queue.take((organization) => share.mayBegin(organization))
      if (next === undefined) return
      void begin(next)
    }
  }

  function begin(next: InLine): Promise<void> {
    const done = Promise.resolve().then(() => turn(next))
    active.set(next.key.uuid, { done, controls: newControls(), woken: false })
    share.begin(next.key.organizationUuid)
    return done
  }

  /** Never rejects: the errors of one run never touch another. */
  async function turn({ key, ...known }: InLine): Promise<void> {
    const again = await insist(key, known)
    const woken = active.get(key.uuid)?.woken === true
    active.delete(key.uuid)
    share.end(key.organizationUuid)
    if (again !== undefined && !ending.signal.aborted) {
      if (woken) push(key)
      else if (again.wakeAt <= clock.now()) pushWoken(again)
      else parked.add(again)
    }
    fill()
  }

  /**
   * Tries again while the store cannot be used. The run keeps its place meanwhile, so that no others come into the same trouble.
   * Gives what was put away; undefined where nothing was.
   */
  async function insist(key: RunKey, known: Omit<InLine, 'key'>): Promise<ParkedRun | undefined> {
    let { run } = known
    let convictions = 0
    for (let trouble = 0; ; trouble++) {
      try {
        if (trouble > 0) run = await runs.find('all', key.uuid)
        else if (run === undefined) {
          const taken = await runs.take(key.uuid)
          if (taken === undefined || 'wakeAt' in taken) return taken
          ;({ run, convictions } = taken)
        }
        return run && (await goOn(run, convictions, known.alert))
      } catch (error) {
        const delayMs = Math.min(firstRetryMs * 2 ** trouble, longestRetryMs)
        log.error({ run: key.uuid, error, delay_ms: delayMs }, 'the run cannot go on for now')
        if (await isOverAfter(delayMs)) return undefined
      }
    }
  }

  /** Rejects where the store spoiled it. */
  async function goOn(run: Run, convictions: number, alert?: Alert): Promise<ParkedRun | undefined> {
    const { uuid, organizationUuid } = run
    const mine = active.get(uuid)
    const controls = newControls()
    if (mine) mine.controls = controls
    const given = { run, alert, convictions, controls, hold: hold.signal }
    const end = await runTurn({ ...options, onStarted }, given)
    if (end === 'over' && run.exclusive) await wakeNextInLine(uuid)
    if (end === 'over') return undefined
    // The store knows it as put away until the one before it has ended, which may have happened already.
    if (end === 'held') return { uuid, organizationUuid, wakeAt: Infinity }
    // Not put away: it was woken since it was taken.
    const isParked = await runs.park(uuid, end.againAtMs)
    return { uuid, organizationUuid, wakeAt: isParked ? end.againAtMs : 0 }
  }

  /** The next run of the concurrency key may begin; the store knows it already. */
  async function wakeNextInLine(uuid: string): Promise<void> {
    const next = await runs.nextInLine(uuid)
    if (next) wake(next)
  }

  /** Also where the process ends meanwhile. */
  const isOverAfter = (ms: number): Promise<boolean> =>
    clock.sleep(ms, ending.signal).then(
      () => false,
      () => true,
    )

  function countQueued(organizationUuid: string, change: number): void {
    queued.set(organizationUuid, Math.max(0, (queued.get(organizationUuid) ?? 0) + change))
  }
  const onStarted = ({ organizationUuid }: Run): void => countQueued(organizationUuid, -1)

  function wake(run: RunKey): void {
    const now = active.get(run.uuid)
    if (now === undefined) return push(run)
    now.woken = true
    now.controls.wakeUps.wake()
  }

  async function takeUpRest(all: readonly Organization[]): Promise<void> {
    const signal = ending.signal
    await takeUpAlone({
      runs,
      clock,
      log,
      signal,
      begin: (key) => begin({ key }),
      onLeft: (left) => (suspects = left),
    })
    if (signal.aborted) return
    for (const { uuid } of all) {
      share.know(uuid)
      queue.lookFor(uuid)
    }
    parked.start()
    held = false
    fill()
  }

  return {
    enqueue(run, alert) {
      countQueued(run.organizationUuid, 1)
      // Alerts can be large: those in line are read again when their turn has come.
      push(run, run, active.size < maxRuns && queue.size === 0 ? alert : undefined)
    },
    wake,
    cancel(run) {
      if (run.endedAt !== null && run.startedAt === null) countQueued(run.organizationUuid, -1)
      active.get(run.uuid)?.controls.cancel.abort()
      wake(run)
    },
    async recover() {
      await runs.recover()
      // Also those that were queued since this process began.
      for (const [organizationUuid, count] of await runs.countQueued()) queued.set(organizationUuid, count)
      held = true
      recovered = takeUpRest(await organizations.list('all'))
    },
    pause: () => hold.abort(),
    resume() {
      if (!hold.signal.aborted || ending.signal.aborted) return
      hold = new AbortController()
      fill()
    },
    async drain(timeoutMs) {
      hold.abort()
      ending.abort()
      queue.clear()
      parked.clear()
      const over = new AbortController()
      const ended = Promise.all(Array.from(active.values(), ({ done }) => done))
      const stopAll = () => {
        for (const { controls } of active.values()) controls.stop.abort()
      }
      clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})
      await Promise.all([ended, recovered])
      over.abort()
      await runs.forgetCrashes().catch((error: unknown) => {
        log.error({ error }, 'runs that the process once stopped in stay under suspicion')
      })
    },
    queuedOf: (organizationUuid) => queued.get(organizationUuid) ?? 0,
    shareOf: (organizationUuid) => share.of(organizationUuid),
    load: () => ({ queued: queue.size, active: active.size }),
    suspects: () => suspects,
  }
}

function newControls(): TurnControls {
  return { stop: new AbortController(), cancel: new AbortController(), wakeUps: createWakeUps() }
}
