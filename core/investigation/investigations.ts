import type { Alert } from '../domain/alert.ts'
import type { Organization } from '../domain/organization.ts'
import type { Run } from '../domain/run.ts'
import { ConflictError, UnavailableError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/index.ts'
import type { Clock, Log, Stores } from '../ports.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { alertScope, organizationScope } from '../engine/alert-scope.ts'
import { newRun } from '../engine/queue-run.ts'
import { choosePlaybook } from './choose-playbook.ts'
import { findLookups } from './find-lookups.ts'
import { makeInvestigator } from './make-investigator.ts'
import type { PlaybookLibrary } from './playbook-library.ts'

/** Has alerts investigated: from the stored alert to the queued run. */
export interface Investigations {
  /**
   * Takes up a stored alert that has a type. Returns at once and never throws: an alert whose run cannot be queued now stays
   * Created and is taken up later.
   */
  submit(alert: Alert): void
  /** False while more alerts are being taken up than memory should hold; alerts with a type are then to be refused. */
  accepting(): boolean
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
  readonly enqueue: (run: Run) => void
}

/** Alerts being taken up at the same time; each is a write away from being a queued run. */
const maxUnderWay = 10_000

/** How many alerts a recovery takes from the store at a time. */
const recoveryBatch = 200

/** What came of an alert: a run is queued, it gets another look soon, or not before the next start. */
type Taken = 'taken' | 'later' | 'left'

/** How long an alert waits that could not be taken up, e.g. because the disk is full. */
const secondLookMs = 5_000

export function createInvestigations(options: InvestigationsOptions): Investigations {
  const { stores, library, catalogue, clock, log, enqueue } = options
  const stopping = new AbortController()
  const underWay = new Map<string, Promise<Taken>>()
  const waiting = new Map<string, Set<() => void>>()
  let secondLook: Promise<void> | undefined

  async function takeUp(alert: Alert): Promise<void> {
    const organization = await organizationOf(alert)
    const playbook = chosen(alert, organization) ?? (await made(alert, organization))
    const run = await stores.runs.queue(newRun({ playbook, organization, alert }))
    if (run.endedAt === null) enqueue(run)
    else runEnded(run)
  }

  function chosen(alert: Alert, organization: Organization): Playbook | undefined {
    const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
    const key = { type: alert.type ?? '', provider: alert.provider }
    return choosePlaybook(library.written(), key, scope, (playbook, error) =>
      log.warn({ playbook: playbook.name, alert: alert.id, error }, 'on.alert.where could not be evaluated'),
    )
  }

  /** Made anew for each alert, so that a connection added since is used; the same text is the same playbook. */
  async function made(alert: Alert, organization: Organization): Promise<Playbook> {
    const lookups = findLookups(catalogue, await stores.connections.list([organization.uuid]))
    return library.keep(makeInvestigator(alert.type ?? '', organization, lookups), {
      origin: 'made',
      organizationUuid: organization.uuid,
    })
  }

  async function organizationOf(alert: Alert): Promise<Organization> {
    const [organization] = await stores.organizations.list([alert.organizationUuid])
    if (organization === undefined) throw new Error(`alert ${alert.id} belongs to no organization`)
    return organization
  }

  /** Never rejects. An alert that is being taken up already is not taken up twice. */
  function tryTakeUp(alert: Alert): Promise<Taken> {
    const already = underWay.get(alert.uuid)
    if (already !== undefined) return already
    const work = takeUp(alert)
      .then((): Taken => 'taken')
      .catch((error: unknown) => failed(alert, error))
      .finally(() => underWay.delete(alert.uuid))
    underWay.set(alert.uuid, work)
    return work
  }

  function failed(alert: Alert, error: unknown): Taken {
    // Somebody else queued a run for it since it was read.
    if (error instanceof ConflictError) return 'taken'
    if (error instanceof UnavailableError) {
      log.warn(
        { alert: alert.id, error },
        'the alert cannot be taken up now; it stays Created, and is looked at again soon',
      )
      return 'later'
    }
    log.error(
      { alert: alert.id, error },
      'the alert could not be taken up; it stays Created until the next start',
    )
    return 'left'
  }

  async function takeUpCreated(): Promise<void> {
    let after: string | undefined
    for (;;) {
      const alerts = await stores.alerts.awaitingInvestigation(recoveryBatch, after)
      if (alerts.length === 0 || stopping.signal.aborted) return
      const taken = await Promise.all(alerts.map(tryTakeUp))
      if (taken.includes('later')) return lookAgainLater()
      after = alerts.at(-1)?.uuid
    }
  }

  function lookAgainLater(): void {
    if (secondLook !== undefined || stopping.signal.aborted) return
    secondLook = clock
      .sleep(secondLookMs, stopping.signal)
      .then(() => {
        secondLook = undefined
        return takeUpCreated()
      })
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ error }, 'alerts at Created could not be looked through')
      })
  }

  function runEnded(run: Run): void {
    for (const done of waiting.get(run.alertId ?? '') ?? []) done()
  }

  return {
    submit(alert) {
      if (alert.type === null || stopping.signal.aborted) return
      void tryTakeUp(alert).then((taken) => (taken === 'later' ? lookAgainLater() : undefined))
    },
    accepting: () => underWay.size < maxUnderWay && !stopping.signal.aborted,
    recover: takeUpCreated,
    wait(alertId, ms) {
      return new Promise((resolve) => {
        const resolvers = waiting.get(alertId) ?? new Set()
        waiting.set(alertId, resolvers)
        const over = new AbortController()
        const done = () => {
          resolvers.delete(done)
          if (resolvers.size === 0) waiting.delete(alertId)
          over.abort()
          resolve()
        }
        resolvers.add(done)
        clock.sleep(ms, over.signal).then(done, () => undefined)
      })
    },
    runEnded,
    async stop() {
      stopping.abort()
      await Promise.allSettled([...underWay.values(), secondLook])
    },
  }
}
