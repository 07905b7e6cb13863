import type { Alert, NewAlert } from '../domain/alert.ts'
import type { Actor } from '../domain/audit.ts'
import type { Run } from '../domain/run.ts'
import { identifyAlert, type IdentifiedAlert } from '../alert-source/index.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import type { AwaitingAlert, OnceKey, ReceivedAlert } from '../ports/alert-store.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import { noSignals, type Signals } from '../ports/nodes/signals.ts'
import { AlertRuns, type AlertRunsOptions } from './alert-runs.ts'
import { createLeftBehindWatch, type LeftBehindWatch } from './left-behind.ts'
import { createWaits, type Waits } from './waits.ts'

/** Turns stored alerts into queued runs. */
export interface Investigations {
  /**
   * Stores an alert and starts its investigation if it has a type. Rejects like `AlertStore.createOnce`.
   *
   * @param identified what its content says. Default: read here
   */
  receive(alert: NewAlert, once?: OnceKey, identified?: IdentifiedAlert): Promise<Omit<ReceivedAlert, 'run'>>
  /**
   * Starts the investigation of a stored alert with a type. Returns immediately and never throws: if the run
   * cannot be queued now, the alert stays Created and is retried later.
   */
  submit(alert: Alert): void
  /**
   * Investigates an alert again from the beginning, with the playbook that fits it now. Throws ConflictError
   * `alert_move_forbidden` while it is under investigation, and `alert_without_type`.
   */
  again(alert: Alert, by: Actor): Promise<Run>
  /**
   * False while the organization's queue is full or too many alerts are in memory; alerts with a type must
   * then be refused.
   */
  accepting(organizationUuid: string): boolean
  /**
   * Retries the alerts that an earlier process left at Created, and from then on, each minute, those that are older than a minute, such as of
   * a node that was lost. Resolves when all of now are queued. Of several nodes, one does it.
   */
  recover(): Promise<void>
  /** Resolves when the alert's investigation has ended, or after `ms`. */
  wait(alertId: string, ms: number): Promise<void>
  /** Called by the runner when a run ends. */
  runEnded(run: Run): void
  /** Another node has ended the investigation of an alert. */
  endedElsewhere(alertId: string): void
  /** Looks whether other nodes have ended investigations that are waited for here. */
  lookAtWaits(): Promise<void>
  /** Accepts no more alerts; resolves when the pending ones are done. */
  stop(): Promise<void>
}

export interface InvestigationsOptions extends AlertRunsOptions {
  /** Default: there are no other nodes. */
  readonly signals?: Signals | undefined
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  /** Number of queued runs of an organization that have not started. Default: not limited. */
  readonly queuedOf?: ((organizationUuid: string) => number) | undefined
  /** Maximum number of queued runs per organization. Default 100,000. */
  readonly maxQueued?: number | undefined
}

export const defaultMaxQueued = 100_000

/** Maximum number of alerts that are being queued at the same time, and of characters in their contents. */
const maxUnderWay = 10_000
const maxCharacters = 64 * 1_048_576

/** Alerts that a recovery reads from the store at a time. */
const recoveryBatch = 200

/** Process starts that try to queue an alert before it is given up. */
const maxRecoveryAttempts = 3

const poisonous = `the process crashed ${maxRecoveryAttempts} times while queuing this alert`

const isSuspect = ({ recoveryAttempts }: AwaitingAlert): boolean => recoveryAttempts > 0

/** The result for an alert: its run is queued, it is retried soon, or it is left to the next start. */
type Taken = 'taken' | 'later' | 'left'

/** Delay before retrying an alert that could not be queued, e.g. because the disk is full. */
const secondLookMs = 5_000

export function createInvestigations(options: InvestigationsOptions): Investigations {
  return new AlertIntake(options)
}

class AlertIntake implements Investigations {
  readonly #options: InvestigationsOptions
  readonly #waits: Waits
  readonly #runs: AlertRuns
  readonly #stopping = new AbortController()
  readonly #leftBehind: LeftBehindWatch
  /** By uuid of the alert. */
  readonly #underWay = new Map<string, Promise<Taken>>()
  /** Characters in the contents of the alerts that are being queued. */
  #characters = 0
  #secondLook: Promise<void> | undefined

  constructor(options: InvestigationsOptions) {
    this.#options = options
    this.#waits = createWaits(options.clock)
    this.#runs = new AlertRuns(options, this.#waits)
    const { clock, log, exclusive } = options
    const takeUp = (until: number) => this.#takeUpLeft(until)
    this.#leftBehind = createLeftBehindWatch({ takeUp, exclusive, clock, log })
  }

  async receive(
    given: NewAlert,
    once?: OnceKey,
    { facts, subjects }: IdentifiedAlert = identifyAlert(given),
  ): Promise<Omit<ReceivedAlert, 'run'>> {
    const { type } = given
    const described = { ...given, ...facts }
    const { alert, replayed, run } =
      type === null
        ? await this.#options.stores.alerts.receive(described, { once })
        : await this.#runs.receive({ ...described, type }, subjects, once)
    if (!replayed && run === undefined) this.submit(alert)
    return { alert, replayed }
  }

  submit(alert: Alert): void {
    if (alert.type === null || this.#stopping.signal.aborted) return
    void this.#tryTakeUp(alert).then((taken) => (taken === 'later' ? this.#lookAgainLater() : undefined))
  }

  again(alert: Alert, by: Actor): Promise<Run> {
    return this.#runs.again(alert, by)
  }

  accepting(organizationUuid: string): boolean {
    const { queuedOf = () => 0, maxQueued = defaultMaxQueued } = this.#options
    return (
      queuedOf(organizationUuid) < maxQueued &&
      this.#underWay.size < maxUnderWay &&
      this.#characters < maxCharacters &&
      !this.#stopping.signal.aborted
    )
  }

  async recover(): Promise<void> {
    const { exclusive = onlyProcess } = this.#options
    // Alerts of now may be those that other nodes are queuing.
    if (!exclusive.isShared) await this.#takeUpLeft(Infinity)
    this.#leftBehind.start()
  }

  /** @param until only alerts that were stored until then */
  #takeUpLeft(until: number): Promise<void> {
    return this.#takeUpCreated((alerts) => this.#takeUpLeftBehind(alerts), until)
  }

  wait(alertId: string, ms: number): Promise<void> {
    return this.#waits.wait(alertId, ms)
  }

  runEnded(run: Run): void {
    this.#runs.runEnded(run)
    const { signals = noSignals } = this.#options
    if (run.alertId !== null) signals.publish({ kind: 'investigation_ended', alertId: run.alertId })
  }

  endedElsewhere(alertId: string): void {
    this.#waits.end(alertId)
  }

  async lookAtWaits(): Promise<void> {
    const ids = this.#waits.waitedFor()
    if (ids.length === 0) return
    for (const id of await this.#options.stores.alerts.ended(ids)) this.#waits.end(id)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled([this.#leftBehind.stop(), ...this.#underWay.values(), this.#secondLook])
  }

  /** Never rejects. Does nothing for an alert that is already being queued. */
  #tryTakeUp<A extends Alert>(
    alert: A,
    take: (alert: A) => Promise<void> = (one) => this.#runs.investigate(one),
  ): Promise<Taken> {
    const already = this.#underWay.get(alert.uuid)
    if (already !== undefined) return already
    const work = take(alert)
      .then((): Taken => 'taken')
      .catch((error: unknown) => this.#failed(alert, error))
      .finally(() => {
        this.#underWay.delete(alert.uuid)
        this.#characters -= alert.content.length
      })
    this.#underWay.set(alert.uuid, work)
    this.#characters += alert.content.length
    return work
  }

  async #failed(alert: Alert, error: unknown): Promise<Taken> {
    const { log } = this.#options
    // Another call queued a run for it in the meantime.
    if (error instanceof ConflictError) return 'taken'
    if (error instanceof UnavailableError) {
      log.warn({ alert: alert.id, error }, 'could not queue the alert; it stays Created and is retried soon')
      return 'later'
    }
    log.error({ alert: alert.id, error }, 'could not queue the alert')
    try {
      await this.#runs.giveUp(alert, "could not queue the alert; see the server's log")
      return 'taken'
    } catch (another) {
      log.error({ alert: alert.id, error: another }, 'the alert stays Created until the next start')
      return 'left'
    }
  }

  async #takeUpCreated(
    takeAll: (alerts: readonly AwaitingAlert[]) => Promise<readonly Taken[]>,
    until = Infinity,
  ): Promise<void> {
    let after: string | undefined
    for (;;) {
      const alerts = await this.#options.stores.alerts.awaitingInvestigation(recoveryBatch, after)
      const old = alerts.filter(({ createdAt }) => createdAt <= until)
      if (old.length === 0 || this.#stopping.signal.aborted) return
      if ((await takeAll(old)).includes('later')) return this.#lookAgainLater()
      after = alerts.at(-1)?.uuid
    }
  }

  /**
   * Retries alerts after a start. One of them may have crashed the process, so each try is recorded; alerts
   * that were tried at an earlier start are tried one by one, and given up after `maxRecoveryAttempts` starts.
   */
  async #takeUpLeftBehind(alerts: readonly AwaitingAlert[]): Promise<readonly Taken[]> {
    const others = alerts.filter((alert) => !isSuspect(alert))
    const taken: Taken[] = []
    for (const alert of alerts.filter(isSuspect)) {
      const take = (suspect: AwaitingAlert) => this.#tryTakeUp(suspect, (one) => this.#takeUpSuspect(one))
      taken.push(...(await this.#noted([alert], take)))
    }
    return [...taken, ...(await this.#noted(others, (alert) => this.#tryTakeUp(alert)))]
  }

  #takeUpSuspect(alert: AwaitingAlert): Promise<void> {
    return alert.recoveryAttempts >= maxRecoveryAttempts
      ? this.#runs.giveUp(alert, poisonous)
      : this.#runs.investigate(alert)
  }

  /** Tries the alerts after recording that durably; later if the record cannot be written now. */
  async #noted(
    alerts: readonly AwaitingAlert[],
    take: (alert: AwaitingAlert) => Promise<Taken>,
  ): Promise<readonly Taken[]> {
    try {
      await this.#options.stores.alerts.noteTakeUp(alerts.map(({ uuid }) => uuid))
    } catch (error) {
      if (error instanceof UnavailableError) return ['later']
      throw error
    }
    const taken = await Promise.all(alerts.map(take))
    const later = alerts.filter((_, index) => taken[index] === 'later').map(({ uuid }) => uuid)
    // They did not crash the process. If that cannot be stored, they are only tried with more care.
    if (later.length > 0) await this.#options.stores.alerts.forgetTakeUp(later).catch(() => undefined)
    return taken
  }

  #lookAgainLater(): void {
    const { clock, log } = this.#options
    const { signal } = this.#stopping
    if (this.#secondLook !== undefined || signal.aborted) return
    this.#secondLook = clock
      .sleep(secondLookMs, signal)
      .then(() => {
        this.#secondLook = undefined
        return this.#takeUpCreated((alerts) => Promise.all(alerts.map((alert) => this.#tryTakeUp(alert))))
      })
      .catch((error: unknown) => {
        if (signal.aborted) return
        log.error({ error }, 'could not read the alerts at Created')
        this.#lookAgainLater()
      })
  }
}
