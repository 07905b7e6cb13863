import type { Organization } from '../../domain/organization.ts'
import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { createWakeUps } from '../journal/wake-ups.ts'
import { FairShare } from './fair-share.ts'
import { createParkedRuns, type ParkedRuns } from './parked-runs.ts'
import { takeUpAlone } from './quarantine.ts'
import type { TurnControls, TurnOptions } from './run-turn.ts'
import { firstRetryMs, takeTurn, type TakeTurnOptions } from './take-turn.ts'
import { TurnQueue, type QueuedRun } from './turn-queue.ts'

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

/** A run that has a turn. */
interface Active {
  readonly done: Promise<void>
  controls: TurnControls
  /** Something has happened that this turn may not have seen. */
  woken: boolean
}

/** Runs runs. Holds memory for those that work, and for the ids of those that are next. */
export function createRunner(options: RunnerOptions): Runner {
  return new TurnRunner(options)
}

class TurnRunner implements Runner {
  readonly #options: RunnerOptions
  readonly #maxRuns: number
  readonly #active = new Map<string, Active>()
  readonly #share: FairShare
  readonly #queue: TurnQueue
  readonly #parked: ParkedRuns
  /** How many runs of each organization have been queued and not started. */
  readonly #queued = new Map<string, number>()
  readonly #ending = new AbortController()
  /** Aborted while runs are paused. */
  #hold = new AbortController()
  /** Nothing begins before the suspects have had their turn. */
  #held: boolean
  /** Resolves when the suspects among what an earlier process left have had their turn. */
  #recovered = Promise.resolve()
  /** The latest time that a run has waited for which is queued since then. */
  #wokenAtMs = 0
  #suspects = 0

  constructor(options: RunnerOptions) {
    const { clock, maxRuns = defaultMaxRuns, maxInMemory } = options
    const { runs } = options.stores
    this.#options = options
    this.#maxRuns = maxRuns
    this.#held = options.held === true
    this.#share = new FairShare(maxRuns, options.sharePercent)
    const onTrouble = (error: unknown) => this.#waitForStore(error)
    this.#queue = new TurnQueue({
      due: (organizationUuid, limit) => this.#due(organizationUuid, limit),
      active: this.#active,
      onFilled: () => this.#fill(),
      onTrouble,
      maxInMemory,
    })
    this.#parked = createParkedRuns({
      clock,
      next: (after, limit) => runs.parked(after, limit),
      wake: (run) => this.#pushWoken(run),
      onTrouble,
      maxInMemory,
    })
  }

  enqueue(run: Run, alert?: Alert): void {
    this.#countQueued(run, 1)
    // Alerts can be large: those of runs that wait for a turn are read again when it has come.
    const isNext = this.#active.size < this.#maxRuns && this.#queue.size === 0
    this.#push(run, run, isNext ? alert : undefined)
  }

  wake(run: RunKey): void {
    const active = this.#active.get(run.uuid)
    if (active === undefined) return this.#push(run)
    active.woken = true
    active.controls.wakeUps.wake()
  }

  cancel(run: Run): void {
    if (run.endedAt !== null && run.startedAt === null) this.#countQueued(run, -1)
    this.#active.get(run.uuid)?.controls.cancel.abort()
    this.wake(run)
  }

  async recover(): Promise<void> {
    const { runs, organizations } = this.#options.stores
    await runs.recover()
    // Also those that were queued since this process began.
    for (const [organizationUuid, count] of await runs.countQueued())
      this.#queued.set(organizationUuid, count)
    this.#held = true
    this.#recovered = this.#takeUpRest(await organizations.list('all'))
  }

  pause(): void {
    this.#hold.abort()
  }

  resume(): void {
    if (!this.#hold.signal.aborted || this.#ending.signal.aborted) return
    this.#hold = new AbortController()
    this.#fill()
  }

  async drain(timeoutMs: number): Promise<void> {
    const { clock, log, stores } = this.#options
    this.#hold.abort()
    this.#ending.abort()
    this.#queue.clear()
    this.#parked.clear()
    const over = new AbortController()
    const ended = Promise.all(Array.from(this.#active.values(), ({ done }) => done))
    const stopAll = () => {
      for (const { controls } of this.#active.values()) controls.stop.abort()
    }
    clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})
    await Promise.all([ended, this.#recovered])
    over.abort()
    await stores.runs.forgetCrashes().catch((error: unknown) => {
      log.error({ error }, 'runs that the process once stopped in stay under suspicion')
    })
  }

  queuedOf(organizationUuid: string): number {
    return this.#queued.get(organizationUuid) ?? 0
  }

  shareOf(organizationUuid: string): { readonly working: number; readonly most: number } {
    return this.#share.of(organizationUuid)
  }

  load(): { readonly queued: number; readonly active: number } {
    return { queued: this.#queue.size, active: this.#active.size }
  }

  suspects(): number {
    return this.#suspects
  }

  #push(key: RunKey, run?: Run, alert?: Alert): void {
    if (this.#ending.signal.aborted || this.#active.has(key.uuid)) return
    this.#share.know(key.organizationUuid)
    this.#queue.push(key, run, alert)
    this.#fill()
  }

  #pushWoken(run: ParkedRun): void {
    this.#wokenAtMs = Math.max(this.#wokenAtMs, run.wakeAt)
    this.#push(run)
  }

  async #due(organizationUuid: string, limit: number): Promise<readonly RunKey[]> {
    const { clock, stores } = this.#options
    const keys = await stores.runs.due(organizationUuid, limit)
    // The clock has been set back: what is queued behind these, and in the store alone, waits again.
    if (clock.now() < this.#wokenAtMs && !this.#ending.signal.aborted) {
      this.#wokenAtMs = 0
      this.#parked.start()
    }
    return keys
  }

  async #waitForStore(error: unknown): Promise<void> {
    const { clock, log } = this.#options
    log.error({ error, delay_ms: firstRetryMs }, 'the store does not say which runs are next')
    await clock.sleep(firstRetryMs, this.#ending.signal)
  }

  #fill(): void {
    if (this.#held) return
    while (this.#active.size < this.#maxRuns && !this.#hold.signal.aborted) {
      const next = this.#queue.take((organization) => this.#share.mayBegin(organization))
      if (next === undefined) return
      void this.#begin(next)
    }
  }

  #begin(next: QueuedRun): Promise<void> {
    const done = Promise.resolve().then(() => this.#turn(next))
    this.#active.set(next.key.uuid, { done, controls: newControls(), woken: false })
    this.#share.begin(next.key.organizationUuid)
    return done
  }

  /** Never rejects: the errors of one run never touch another. */
  async #turn(next: QueuedRun): Promise<void> {
    const { key } = next
    const parked = await takeTurn(next, this.#turnOptions())
    const woken = this.#active.get(key.uuid)?.woken === true
    this.#active.delete(key.uuid)
    this.#share.end(key.organizationUuid)
    if (parked !== undefined && !this.#ending.signal.aborted) {
      if (woken) this.#push(key)
      else if (parked.wakeAt <= this.#options.clock.now()) this.#pushWoken(parked)
      else this.#parked.add(parked)
    }
    this.#fill()
  }

  #turnOptions(): TakeTurnOptions {
    return {
      ...this.#options,
      onStarted: (run) => this.#countQueued(run, -1),
      ending: this.#ending.signal,
      hold: () => this.#hold.signal,
      renewControls: (key) => this.#renewControls(key),
      wake: (next) => this.wake(next),
    }
  }

  #renewControls({ uuid }: RunKey): TurnControls {
    const controls = newControls()
    const active = this.#active.get(uuid)
    if (active) active.controls = controls
    return controls
  }

  #countQueued({ organizationUuid }: RunKey, change: number): void {
    this.#queued.set(organizationUuid, Math.max(0, this.queuedOf(organizationUuid) + change))
  }

  async #takeUpRest(all: readonly Organization[]): Promise<void> {
    const { clock, log, stores } = this.#options
    const { signal } = this.#ending
    await takeUpAlone({
      runs: stores.runs,
      clock,
      log,
      signal,
      begin: (key) => this.#begin({ key }),
      onLeft: (left) => (this.#suspects = left),
    })
    if (signal.aborted) return
    for (const { uuid } of all) {
      this.#share.know(uuid)
      this.#queue.lookFor(uuid)
    }
    this.#parked.start()
    this.#held = false
    this.#fill()
  }
}

function newControls(): TurnControls {
  return { stop: new AbortController(), cancel: new AbortController(), wakeUps: createWakeUps() }
}
