import { AsyncResource } from 'node:async_hooks'
import { createAlarms, type Alarms } from '../engine/turns/alarms.ts'
import type { RunControl } from '../engine/turns/run-control.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { Stores } from '../ports/stores.ts'
import { theExpiry, type Containment } from './containment.ts'
import { judgeExpiry } from './undo-condition.ts'
import { undoingRun, type UndoServices } from './undo-run.ts'

/** Undoes containments when they expire. */
export interface ContainmentExpiry {
  /** Begins with those that expired while no process ran. */
  start(): void
  /** Resolves when no expiry is being handled. */
  stop(): Promise<void>
}

export interface ContainmentExpiryOptions extends UndoServices {
  readonly stores: UndoServices['stores'] & Pick<Stores, 'cases'>
  /** Starts the runs, as for a person. */
  readonly control: Pick<RunControl, 'start'>
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Expired containments that are read at a time. */
const batch = 100

/** Delay before expiries are handled again after an error of the store. */
const retryMs = 5_000
/** How often to look for expiries that other nodes have stored. */
const lookMs = 5_000

export function createContainmentExpiry(options: ContainmentExpiryOptions): ContainmentExpiry {
  return new Expiries(options)
}

class Expiries implements ContainmentExpiry {
  readonly #options: ContainmentExpiryOptions
  readonly #alarms: Alarms<'expiry'>
  readonly #wake: () => void
  #working: Promise<void> | undefined
  #isChanged = false
  #isStopped = false

  constructor(options: ContainmentExpiryOptions) {
    this.#options = options
    // Expiries are stored within requests and runs, whose context must not be carried into this work.
    this.#wake = AsyncResource.bind(() => this.#begin())
    this.#alarms = createAlarms(options.clock, this.#wake)
  }

  start(): void {
    this.#options.stores.containments.watchExpiry(this.#wake)
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#alarms.clear()
    await this.#working
  }

  #begin(): void {
    this.#isChanged = true
    if (this.#isStopped) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (this.#isChanged) this.#begin()
    })
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { clock, log, exclusive = onlyProcess } = this.#options
    this.#isChanged = false
    let next: number | undefined
    try {
      if (await exclusive.isMine('containment_expiry')) next = await this.#settleDue()
      if (exclusive.isShared) next = Math.min(next ?? Infinity, clock.now() + lookMs)
    } catch (error) {
      log.error({ error }, 'could not handle the expiry of containments; trying again soon')
      next = clock.now() + retryMs
    }
    this.#alarms.clear()
    if (next !== undefined && !this.#isStopped) this.#alarms.set(next, 'expiry')
  }

  /** Gives the time of the next expiry. */
  async #settleDue(): Promise<number | undefined> {
    const { stores, clock } = this.#options
    for (;;) {
      const due = await stores.containments.due(clock.now(), batch)
      if (due.length === 0 || this.#isStopped) return await stores.containments.nextExpiry()
      await this.#settleAll(due)
    }
  }

  /** Together, so that they share a commit. */
  async #settleAll(due: readonly Containment[]): Promise<void> {
    const results = await Promise.allSettled(due.map((one) => this.#settle(one)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Undoes it, or records why not: afterwards it is no longer due. */
  async #settle(one: Containment): Promise<void> {
    const { stores, control, clock } = this.#options
    const { id, expiresAt } = one
    if (expiresAt === null) return
    try {
      const outcome = judgeExpiry(one, await this.#caseOf(one), clock.now())
      if (outcome !== 'undo') return void (await stores.containments.settleExpiry(id, expiresAt, outcome))
      const request = await undoingRun(one, this.#options)
      await control.start({ ...request, expiredAt: expiresAt, by: theExpiry })
    } catch (error) {
      await this.#giveUp(one, expiresAt, error)
    }
  }

  /** The case is read only for a condition. */
  async #caseOf({ unless, caseId, organizationUuid }: Containment) {
    if (unless === null || caseId === null) return undefined
    return await this.#options.stores.cases.find([organizationUuid], caseId)
  }

  /** People decide about a containment that cannot be undone, and it does not hold up others. */
  async #giveUp({ id, caseId }: Containment, expiresAt: number, error: unknown): Promise<void> {
    if (error instanceof UnavailableError) throw error
    // A person began to undo it, or changed its expiry.
    if (error instanceof ConflictError && takenCodes.includes(error.code)) return
    if (!(error instanceof TocsinError))
      this.#options.log.error(
        { case: caseId ?? undefined, error },
        'could not undo a containment that has expired',
      )
    const note = error instanceof TocsinError ? error.message : 'see the log of the server'
    await this.#options.stores.containments.settleExpiry(id, expiresAt, { kind: 'overdue', note })
  }
}

const takenCodes: readonly string[] = [
  'containment_undone',
  'containment_being_undone',
  'containment_changed',
]
