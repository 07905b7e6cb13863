import type { Alert } from '../domain/alert.ts'
import { defaultGroupWindowMs, type NewGroup } from '../domain/alert-group.ts'
import type { Actor } from '../domain/audit.ts'
import type { Organization } from '../domain/organization.ts'
import type { Run } from '../domain/run.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { AwaitingAlert } from '../ports/alert-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { caseTitleOf } from '../engine/turns/describe-run.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import { choosePlaybook, describeChoice, type Choice, type Chosen } from './choose-playbook.ts'
import { givingUp } from './give-up.ts'
import { groupOf } from './group-of.ts'
import { createMadeInvestigators } from './made-investigators.ts'
import type { PlaybookLibrary } from './playbook-library.ts'
import { createWaits } from './waits.ts'

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

export interface InvestigationsOptions {
  readonly stores: Stores
  readonly library: PlaybookLibrary
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly log: Log
  readonly enqueue: (run: Run, alert: Alert) => void
  /** How many runs of an organization have been queued and not started. Default: nobody counts. */
  readonly queuedOf?: ((organizationUuid: string) => number) | undefined
  /** Of one organization. Default 100,000. */
  readonly maxQueued?: number | undefined
  /** See `GroupingOptions`. Default: an hour. */
  readonly groupWindowMs?: number | undefined
  /** Told of every repeat that joined a case without a run. */
  readonly onGrouped?: ((alert: Alert) => void) | undefined
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
  const { stores, library, clock, log, enqueue, onGrouped } = options
  const { queuedOf = () => 0, maxQueued = defaultMaxQueued, groupWindowMs = defaultGroupWindowMs } = options
  const made = createMadeInvestigators(options)
  const stopping = new AbortController()
  const underWay = new Map<string, Promise<Taken>>()
  const saidOf = new Set<string>()
  let characters = 0
  const waits = createWaits(clock)
  let secondLook: Promise<void> | undefined

  async function takeUp(alert: Alert): Promise<void> {
    const organization = await organizationOf(alert)
    const { playbook, choice } = await playbookFor(alert, organization)
    const group = groupOf(playbook, alert, organization, (id) => caseTitleOf({ id, type: alert.type }), {
      windowMs: groupWindowMs,
      onError: (error) => sayOnce(playbook, alert, error),
    })
    if (group === undefined) await queueRun(alert, organization, { playbook, choice })
    else await queueOrGroup(alert, organization, { playbook, choice }, group)
  }

  /** Once for each version of a playbook: alerts of another shape come in thousands. */
  function sayOnce({ name, hash }: Playbook, alert: Alert, error: unknown): void {
    if (saidOf.has(hash)) return
    saidOf.add(hash)
    log.warn({ playbook: name, alert: alert.id, error }, 'on.alert.group could not be evaluated')
  }

  async function queueOrGroup(
    alert: Alert,
    organization: Organization,
    { playbook, choice }: Chosen,
    group: NewGroup,
  ): Promise<void> {
    const run = { ...newRun({ playbook, organization, alert, choice }), alertUuid: alert.uuid }
    const queued = await stores.runs.queueOrGroup(run, group)
    if ('run' in queued) return queuedRun(queued.run, alert)
    onGrouped?.(alert)
    if (queued.isOver) waits.end(alert.id)
    else waits.follow(alert.id, queued.groupedWith)
  }

  /** Its run says why it is not investigated. */
  async function giveUp(alert: Alert, reason: string): Promise<void> {
    log.error({ alert: alert.id }, reason)
    const organization = await organizationOf(alert)
    const from = { origin: 'made', organizationUuid: organization.uuid } as const
    await queueRun(alert, organization, { playbook: await library.keep(givingUp(reason), from) })
  }

  async function queueRun(
    alert: Alert,
    organization: Organization,
    { playbook, choice }: Chosen,
    again?: Actor,
  ): Promise<Run> {
    const run = await stores.runs.queue(
      newRun({ playbook, organization, alert, choice, retry: again !== undefined, by: again }),
    )
    queuedRun(run, alert)
    return run
  }

  function queuedRun(run: Run, alert: Alert): void {
    if (run.endedAt === null) enqueue(run, alert)
    else runEnded(run)
  }

  async function playbookFor(alert: Alert, organization: Organization): Promise<Chosen> {
    const choice = chosen(alert, organization)
    const playbook = choice.playbook ?? (await made(alert.type ?? '', organization))
    return { playbook, choice: describeChoice(choice) }
  }

  function chosen(alert: Alert, organization: Organization): Choice {
    const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
    const key = { type: alert.type ?? '', provider: alert.provider }
    return choosePlaybook(library.written(), key, scope, (playbook, error) =>
      log.warn({ playbook: playbook.name, alert: alert.id, error }, 'on.alert.where could not be evaluated'),
    )
  }

  async function organizationOf(alert: Alert): Promise<Organization> {
    const [organization] = await stores.organizations.list([alert.organizationUuid])
    if (organization === undefined) throw new Error(`alert ${alert.id} belongs to no organization`)
    return organization
  }

  /** Never rejects. An alert that is being taken up already is not taken up twice. */
  function tryTakeUp<A extends Alert>(
    alert: A,
    takeIt: (alert: A) => Promise<void> = takeUp,
  ): Promise<Taken> {
    const already = underWay.get(alert.uuid)
    if (already !== undefined) return already
    const work = takeIt(alert)
      .then((): Taken => 'taken')
      .catch((error: unknown) => failed(alert, error))
      .finally(() => {
        underWay.delete(alert.uuid)
        characters -= alert.content.length
      })
    underWay.set(alert.uuid, work)
    characters += alert.content.length
    return work
  }

  async function failed(alert: Alert, error: unknown): Promise<Taken> {
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
      await giveUp(alert, 'the alert could not be taken up: the log of the process says why')
      return 'taken'
    } catch (another) {
      log.error({ alert: alert.id, error: another }, 'the alert stays Created until the next start')
      return 'left'
    }
  }

  async function takeUpCreated(
    takeAll: (alerts: readonly AwaitingAlert[]) => Promise<readonly Taken[]>,
  ): Promise<void> {
    let after: string | undefined
    for (;;) {
      const alerts = await stores.alerts.awaitingInvestigation(recoveryBatch, after)
      if (alerts.length === 0 || stopping.signal.aborted) return
      if ((await takeAll(alerts)).includes('later')) return lookAgainLater()
      after = alerts.at(-1)?.uuid
    }
  }

  /**
   * After a start. One of them may be what brought the process down, so it is noted who is taken up; those that were in hand at
   * an earlier start are taken up one by one, and given up after so many.
   */
  async function takeUpLeftBehind(alerts: readonly AwaitingAlert[]): Promise<readonly Taken[]> {
    const others = alerts.filter((alert) => !isSuspect(alert))
    const taken: Taken[] = []
    for (const alert of alerts.filter(isSuspect))
      taken.push(...(await noted([alert], (suspect) => tryTakeUp(suspect, takeUpSuspect))))
    return [...taken, ...(await noted(others, (alert) => tryTakeUp(alert)))]
  }

  function takeUpSuspect(alert: AwaitingAlert): Promise<void> {
    return alert.takeUps >= maxTakeUps ? giveUp(alert, poisonous) : takeUp(alert)
  }

  /** Takes them up once it is durable that this is about to be done; later, where that cannot be written now. */
  async function noted(
    alerts: readonly AwaitingAlert[],
    take: (alert: AwaitingAlert) => Promise<Taken>,
  ): Promise<readonly Taken[]> {
    try {
      await stores.alerts.noteTakeUp(alerts.map(({ uuid }) => uuid))
    } catch (error) {
      if (error instanceof UnavailableError) return ['later']
      throw error
    }
    return Promise.all(alerts.map(take))
  }

  function lookAgainLater(): void {
    if (secondLook !== undefined || stopping.signal.aborted) return
    secondLook = clock
      .sleep(secondLookMs, stopping.signal)
      .then(() => {
        secondLook = undefined
        return takeUpCreated((alerts) => Promise.all(alerts.map((alert) => tryTakeUp(alert))))
      })
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return
        log.error({ error }, 'alerts at Created could not be looked through for now')
        lookAgainLater()
      })
  }

  function runEnded(run: Run): void {
    if (run.alertId !== null) waits.end(run.alertId)
  }

  return {
    submit(alert) {
      if (alert.type === null || stopping.signal.aborted) return
      void tryTakeUp(alert).then((taken) => (taken === 'later' ? lookAgainLater() : undefined))
    },
    async again(alert, by) {
      if (alert.type === null) {
        throw new ConflictError(
          'alert_without_type',
          `the alert ${alert.id} has no type: no playbook fits it`,
        )
      }
      const organization = await organizationOf(alert)
      return await queueRun(alert, organization, await playbookFor(alert, organization), by)
    },
    accepting: (organizationUuid) =>
      queuedOf(organizationUuid) < maxQueued &&
      underWay.size < maxUnderWay &&
      characters < maxCharacters &&
      !stopping.signal.aborted,
    recover: () => takeUpCreated(takeUpLeftBehind),
    wait: (alertId, ms) => waits.wait(alertId, ms),
    runEnded,
    async stop() {
      stopping.abort()
      await Promise.allSettled([...underWay.values(), secondLook])
    },
  }
}
