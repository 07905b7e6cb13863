import type { Alert } from '../domain/alert.ts'
import type { Actor } from '../domain/audit.ts'
import type { Run } from '../domain/run.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import type { AwaitingAlert } from '../ports/alert-store.ts'
import { AlertRuns, type AlertRunsOptions } from './alert-runs.ts'
import { createWaits, type Waits } from './waits.ts'

/** Has alerts investigated: from the stored alert to the queued run. */
export interface Investigations {
  /**
   * Takes up a stored alert that has a type. Returns at once and never throws: an alert whose run cannot be queued now stays
   * Created and is taken up later.
   */
  submit(alert: Alert): void
  /**
   * Investigates an alert again, from the beginning, by the playbook that fits it now. Throws ConflictError
   * `alert_move_forbidden` while an investigation is under way, `alert_without_type`.
   */
  again(alert: Alert, by: Actor): Promise<Run>
  /**
   * False while more runs of the organization wait than should, or more alerts are being taken up than memory should hold; alerts
   * with a type are then to be refused.
   */
  accepting(organizationUuid: string): boolean
  /** Takes up what an earlier process left at Created. Resolves when all of it is queued. */
  recover(): Promise<void>
  /** Resolves when the alert's investigation has ended, or after `ms`. */
  wait(alertId: string, ms: number): Promise<void>
  /** To be told by the runner. */
  runEnded(run: Run): void
  /** Takes up nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface InvestigationsOptions extends AlertRunsOptions {
  /** How many runs of an organization have been queued and not started. Default: nobody counts. */
  readonly queuedOf?: ((organizationUuid: string) => number) | undefined
  /** Of one organization. Default 100,000. */
  readonly maxQueued?: number | undefined
}

export const defaultMaxQueued = 100_000

/** Alerts being taken up at the same time, and characters of their contents; each is a write away from being a queued run. */
const maxUnderWay = 10_000
const maxCharacters = 64 * 1_048_576

/** How many alerts a recovery takes from the store at a time. */
const recoveryBatch = 200

/** Starts of the process at which an alert is taken up, before it is given up. */
const maxTakeUps = 3

const poisonous = `the process stopped ${maxTakeUps} times while this alert was taken up`

const isSuspect = ({ takeUps }: AwaitingAlert): boolean => takeUps > 0

/** What came of an alert: a run is queued, it gets another look soon, or not before the next start. */
type Taken = 'taken' | 'later' | 'left'

/** How long an alert waits that could not be taken up, e.g. because the disk is full. */
const secondLookMs = 5_000

export function createInvestigations(options: InvestigationsOptions): Investigations {
  return new AlertIntake(options)
}

class AlertIntake implements Investigations {
  readonly #options: InvestigationsOptions
  readonly #waits: Waits
  readonly #runs: AlertRuns
  readonly #stopping = new AbortController()
  /** By uuid of the alert. */
  readonly #underWay = new Map<string, Promise<Taken>>()
  /** Of the contents of those under way. */
  #characters = 0
  #secondLook: Promise<void> | undefined

  constructor(options: InvestigationsOptions) {
    this.#options = options
    this.#waits = createWaits(options.clock)
    this.#runs = new AlertRuns(options, this.#waits)
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

  recover(): Promise<void> {
    return this.#takeUpCreated((alerts) => this.#takeUpLeftBehind(alerts))
  }

  wait(alertId: string, ms: number): Promise<void> {
    return this.#waits.wait(alertId, ms)
  }

  runEnded(run: Run): void {
    this.#runs.runEnded(run)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled([...this.#underWay.values(), this.#secondLook])
  }

  /** Never rejects. An alert that is being taken up already is not taken up twice. */
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
    // Somebody else queued a run for it since it was read.
    if (error instanceof ConflictError) return 'taken'
    if (error instanceof UnavailableError) {
      log.warn(
        { alert: alert.id, error },
        'the alert cannot be taken up now; it stays Created, and is looked at again soon',
      )
      return 'later'
    }
    log.error({ alert: alert.id, error }, 'the alert could not be taken up')
    try {
      await this.#runs.giveUp(alert, 'the alert could not be taken up: the log of the process says why')
      return 'taken'
    } catch (another) {
      log.error({ alert: alert.id, error: another }, 'the alert stays Created until the next start')
      return 'left'
    }
  }

  async #takeUpCreated(
    takeAll: (alerts: readonly AwaitingAlert[]) => Promise<readonly Taken[]>,
  ): Promise<void> {
    let after: string | undefined
    for (;;) {
      const alerts = await this.#options.stores.alerts.awaitingInvestigation(recoveryBatch, after)
      if (alerts.length === 0 || this.#stopping.signal.aborted) return
      if ((await takeAll(alerts)).includes('later')) return this.#lookAgainLater()
      after = alerts.at(-1)?.uuid
    }
  }

  /**
   * After a start. One of them may be what brought the process down, so it is noted who is taken up; those that were in hand at
   * an earlier start are taken up one by one, and given up after so many.
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
    return alert.takeUps >= maxTakeUps ? this.#runs.giveUp(alert, poisonous) : this.#runs.investigate(alert)
  }

  /** Takes them up once it is durable that this is about to be done; later, where that cannot be written now. */
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
    return Promise.all(alerts.map(take))
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
        log.error({ error }, 'alerts at Created could not be looked through for now')
        this.#lookAgainLater()
      })
  }
}
