import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import { onlyProcess } from '../../ports/nodes/exclusive-work.ts'
import { noSignals, type Signal, type Signals } from '../../ports/nodes/signals.ts'
import type { ParkedRun, RunKey } from '../../ports/runs/run-store.ts'
import { Recovery } from '../recovery/recovery.ts'
import { createSharedTurns, type SharedTurns } from '../recovery/shared-turns.ts'
import { ActiveTurns } from './active-turns.ts'
import { FairShare, type Place } from './fair-share.ts'
import { createParkedRuns, type ParkedRuns } from './parked-runs.ts'
import type { Runner, RunnerOptions } from './runner-types.ts'
import { firstRetryMs, giveTurn, type GiveTurnOptions } from './take-turn.ts'
import { TurnQueue, type QueuedRun } from './turn-queue.ts'

export const defaultMaxRuns = 100

/** Steps that take longer go on beside a quarantine. */
const longestHandOverMs = 60_000

/** Memory holds only the active runs, and the ids of the next ones. */
export const createRunner = (options: RunnerOptions): Runner => new TurnRunner(options)

class TurnRunner implements Runner {
  readonly #options: RunnerOptions
  readonly #active = new ActiveTurns()
  readonly #share: FairShare
  readonly #queue: TurnQueue
  readonly #parked: ParkedRuns
  /** Queued and not started, by organization. */
  readonly #queued = new Map<string, number>()
  readonly #ending = new AbortController()
  readonly #recovery: Recovery
  readonly #signals: Signals
  /** Undefined: this process is the only one. */
  readonly #shared: SharedTurns | undefined
  /** Aborted while runs are paused, or handed over to other nodes. */
  #hold = new AbortController()
  #isPaused = false
  /** The latest wake time of the runs that were queued because their wake time passed. */
  #wokenAtMs = 0

  constructor(options: RunnerOptions) {
    const { clock, log, maxRuns = defaultMaxRuns, maxInMemory, exclusive = onlyProcess } = options
    const { runs, eventWaits } = options.stores
    this.#options = options
    this.#signals = options.signals ?? noSignals
    const isHeld = options.held === true
    this.#recovery = new Recovery({
      runs,
      clock,
      log,
      exclusive,
      signal: this.#ending.signal,
      isHeld,
      begin: (key) => this.#begin({ key }),
      handOver: () => this.#handOver(),
      onOver: () => this.#takeUp(),
    })
    this.#shared = exclusive.isShared ? this.#sharedTurns() : undefined
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
    if (!isNext) this.#tellDue(run)
    this.#push(run, run, isNext ? alert : undefined)
  }

  reserve(organizationUuid: string): Place | undefined {
    if (this.#recovery.isHeld || this.#hold.signal.aborted) return undefined
    return this.#share.reserve(organizationUuid, {
      // If the process ends, the next one resumes the run.
      begin: (run, alert) =>
        this.#ending.signal.aborted ? undefined : void this.#begin({ key: run, run, alert, isNew: true }),
      release: () => this.#fill(),
    })
  }

  wake(run: RunKey): void {
    if (this.#active.wake(run)) return
    this.#push(run)
    this.#signals.publish({ kind: 'run_woken', run: keyOf(run) })
  }

  cancel(run: Run): void {
    if (run.endedAt !== null && run.startedAt === null) this.#countQueued(run, -1)
    if (this.#active.cancel(run)) return
    this.#push(run)
    this.#signals.publish({ kind: 'run_cancelled', run: keyOf(run) })
  }

  heard(signal: Signal): void {
    if (signal.kind === 'run_woken') this.#active.wake(signal.run)
    else if (signal.kind === 'run_cancelled') this.#active.cancel(signal.run)
    else if (signal.kind === 'runs_due') this.#loadDue(signal.organizationUuid)
    else if (signal.kind === 'missed') this.#shared?.lookNow()
  }

  async recover(): Promise<void> {
    const { runs, organizations } = this.#options.stores
    await runs.recover()
    // Includes runs queued since this process began.
    this.#setQueued(await runs.countQueued())
    for (const { uuid } of await organizations.list('all')) this.#share.know(uuid)
    this.#recovery.start()
    this.#shared?.start()
  }

  pause(): void {
    this.#isPaused = true
    this.#hold.abort()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#hold.signal.aborted || this.#ending.signal.aborted || this.#recovery.isHeld) return
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
    const ended = this.#active.ended()
    const stopAll = () => this.#active.stopAll()
    clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})
    await Promise.all([ended, this.#recovery.ended, this.#shared?.stop()])
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

  working(): ReadonlyMap<string, number> {
    return this.#share.working()
  }

  load(): { readonly queued: number; readonly active: number } {
    return { queued: this.#queue.size, active: this.#active.size }
  }

  suspects(): number {
    return this.#recovery.suspects
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
    // Other nodes keep suspects apart.
    const keys = await stores.runs.due(organizationUuid, limit, this.#shared === undefined)
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
    if (this.#recovery.isHeld) return
    while (this.#share.hasPlace() && !this.#hold.signal.aborted) {
      const next = this.#queue.take((organization) => this.#share.mayBegin(organization))
      if (next === undefined) return
      void this.#begin(next)
    }
  }

  #begin(next: QueuedRun): Promise<void> {
    const done = Promise.resolve().then(() => this.#turn(next))
    this.#active.begin(next.key, done)
    this.#share.begin(next.key.organizationUuid)
    return done
  }

  /** Never rejects: an error of one run must not affect others. */
  async #turn(next: QueuedRun): Promise<void> {
    const { key } = next
    const parked = await giveTurn(next, this.#turnOptions())
    const woken = this.#active.end(key)
    this.#share.end(key.organizationUuid)
    if (parked !== undefined && this.#hold.signal.aborted) this.#tellDue(key)
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
      renewControls: (key) => this.#active.renewControls(key),
      wake: (next) => this.wake(next),
    }
  }

  #countQueued({ organizationUuid }: RunKey, change: number): void {
    this.#queued.set(organizationUuid, Math.max(0, this.queuedOf(organizationUuid) + change))
  }

  #setQueued(counts: ReadonlyMap<string, number>): void {
    this.#queued.clear()
    for (const [organizationUuid, count] of counts) this.#queued.set(organizationUuid, count)
  }

  /** Begins with what is due in the store. */
  #takeUp(): void {
    if (!this.#isPaused && this.#hold.signal.aborted) this.#hold = new AbortController()
    for (const uuid of this.#share.known()) this.#queue.loadDue(uuid)
    // Other nodes wake runs too: those that this node has not parked itself are looked for.
    if (this.#shared === undefined) this.#parked.start()
    this.#fill()
  }

  #loadDue(organizationUuid: string): void {
    if (this.#ending.signal.aborted || !this.#share.hasPlace()) return
    this.#share.know(organizationUuid)
    this.#queue.loadDue(organizationUuid)
  }

  #tellDue({ organizationUuid }: RunKey): void {
    this.#signals.publish({ kind: 'runs_due', organizationUuid })
  }

  #sharedTurns(): SharedTurns {
    const { stores, clock, log } = this.#options
    return createSharedTurns({
      runs: stores.runs,
      clock,
      log,
      active: () => this.#active.uuids,
      hasPlace: () => !this.#recovery.isHeld && !this.#hold.signal.aborted && this.#share.hasPlace(),
      onWoken: (turn) => this.#active.found(turn),
      onDue: (organizationUuid) => this.#loadDue(organizationUuid),
      onCounted: (counts) => this.#setQueued(counts),
      onSuspects: () => this.#recovery.foundSuspects(),
    })
  }

  /** Other nodes continue the runs as soon as their current steps have ended. */
  async #handOver(): Promise<boolean> {
    this.#hold.abort()
    await this.#active.endedWithin(longestHandOverMs, this.#options.clock, this.#ending.signal)
    if (!this.#isPaused) this.#hold = new AbortController()
    return this.#active.size === 0
  }
}

const keyOf = ({ uuid, organizationUuid }: RunKey): RunKey => ({ uuid, organizationUuid })
