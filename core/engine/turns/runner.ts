import type { Organization } from '../../domain/organization.ts'
import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { createWakeUps } from '../journal/wake-ups.ts'
import { FairShare, type Place } from './fair-share.ts'
import { createParkedRuns, type ParkedRuns } from './parked-runs.ts'
import { quarantineSuspects } from './quarantine.ts'
import type { TurnControls, TurnOptions } from './run-turn.ts'
import { firstRetryMs, giveTurn, type GiveTurnOptions } from './take-turn.ts'
import { TurnQueue, type QueuedRun } from './turn-queue.ts'

export interface RunnerOptions extends TurnOptions {
  /** Begins nothing before `recover` is called. Default false. */
  readonly held?: boolean
  /** Concurrent runs; waiting runs do not count. Default 100. */
  readonly maxRuns?: number | undefined
  /** Percentage of the concurrent runs that one organization may use if there are several. Default 80. */
  readonly sharePercent?: number | undefined
  /** Ids in memory: of each organization's due runs, and of the runs that wake first. Default 1,000. */
  readonly maxInMemory?: number | undefined
}

export interface Runner {
  /** Accepts a run that was just queued. `alert`: the alert of the run, if the caller has it. */
  enqueue(run: Run, alert?: Alert): void
  /** Keeps a place for a new run, so that the write that queues it can start it. Undefined: there is none now. */
  reserve(organizationUuid: string): Place | undefined
  /** Something that the run may wait for is stored: an answer, a decision, the end of the previous run. */
  wake(run: RunKey): void
  /** Ends current work as cancelled; `finally` still runs. The store must know of the cancellation. */
  cancel(run: Run): void
  /** Resumes the runs of an earlier process, a page at a time. */
  recover(): Promise<void>
  /** Begins and continues no run; current steps end. */
  pause(): void
  resume(): void
  /**
   * Shuts down: begins and continues no run, and stops current steps after `timeoutMs`; the next process continues
   * them. Resolves when no work is left.
   */
  drain(timeoutMs: number): Promise<void>
  /** Runs of an organization that are queued and not started. */
  queuedOf(organizationUuid: string): number
  /** Runs of an organization that have a turn, and their maximum. */
  shareOf(organizationUuid: string): { readonly working: number; readonly most: number }
  /** Runs in memory that wait for a turn, and that have one. */
  load(): { readonly queued: number; readonly active: number }
  /** Runs in quarantine after a crash; nothing else begins until there are none. */
  suspects(): number
}

export const defaultMaxRuns = 100

interface Active {
  readonly done: Promise<void>
  controls: TurnControls
  /** Something happened that this turn may not have seen. */
  woken: boolean
}

/** Memory holds only the active runs, and the ids of the next ones. */
export const createRunner = (options: RunnerOptions): Runner => new TurnRunner(options)

class TurnRunner implements Runner {
  readonly #options: RunnerOptions
  readonly #active = new Map<string, Active>()
  readonly #share: FairShare
  readonly #queue: TurnQueue
  readonly #parked: ParkedRuns
  /** Queued and not started, by organization. */
  readonly #queued = new Map<string, number>()
  readonly #ending = new AbortController()
  /** Aborted while runs are paused. */
  #hold = new AbortController()
  /** Until the quarantine ends, nothing else begins. */
  #held: boolean
  /** Resolves when the quarantine of `recover` has ended. */
  #recovered = Promise.resolve()
  /** The latest wake time of the runs that were queued because their wake time passed. */
  #wokenAtMs = 0
  #suspects = 0

  constructor(options: RunnerOptions) {
    const { clock, maxRuns = defaultMaxRuns, maxInMemory } = options
    const { runs, eventWaits } = options.stores
    this.#options = options
    this.#held = options.held === true
    this.#share = new FairShare(maxRuns, options.sharePercent)
    eventWaits.watch((run) => this.wake(run))
    const onStoreError = (error: unknown) => this.#waitForStore(error)
    this.#queue = new TurnQueue({
      due: (organizationUuid, limit) => this.#due(organizationUuid, limit),
      active: this.#active,
      onFilled: () => this.#fill(),
      onStoreError,
      maxInMemory,
    })
    this.#parked = createParkedRuns({
      clock,
      next: (after, limit) => runs.parked(after, limit),
      wake: (run) => this.#pushWoken(run),
      onStoreError,
      maxInMemory,
    })
  }

  enqueue(run: Run, alert?: Alert): void {
    this.#countQueued(run, 1)
    // Alerts can be large; a run that waits for its turn reads its alert again.
    const isNext = this.#share.hasPlace() && this.#queue.size === 0
    this.#push(run, run, isNext ? alert : undefined)
  }

  reserve(organizationUuid: string): Place | undefined {
    if (this.#held || this.#hold.signal.aborted) return undefined
    return this.#share.reserve(organizationUuid, {
      // If the process ends, the next one resumes the run.
      begin: (run, alert) =>
        this.#ending.signal.aborted ? undefined : void this.#begin({ key: run, run, alert, isNew: true }),
      release: () => this.#fill(),
    })
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
    // Includes runs queued since this process began.
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
      log.error({ error }, 'could not reset crash counters')
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
    // The clock was set back: queued runs that are only in the store wait again.
    if (clock.now() < this.#wokenAtMs && !this.#ending.signal.aborted) {
      this.#wokenAtMs = 0
      this.#parked.start()
    }
    return keys
  }

  async #waitForStore(error: unknown): Promise<void> {
    const { clock, log } = this.#options
    log.error({ error, delay_ms: firstRetryMs }, 'cannot load due runs')
    await clock.sleep(firstRetryMs, this.#ending.signal)
  }

  #fill(): void {
    if (this.#held) return
    while (this.#share.hasPlace() && !this.#hold.signal.aborted) {
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

  /** Never rejects: an error of one run must not affect others. */
  async #turn(next: QueuedRun): Promise<void> {
    const { key } = next
    const parked = await giveTurn(next, this.#turnOptions())
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

  #turnOptions(): GiveTurnOptions {
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
    await quarantineSuspects({
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
      this.#queue.loadDue(uuid)
    }
    this.#parked.start()
    this.#held = false
    this.#fill()
  }
}

function newControls(): TurnControls {
  return { stop: new AbortController(), cancel: new AbortController(), wakeUps: createWakeUps() }
}
