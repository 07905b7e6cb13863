import type { IdentifiedAlert } from '../alert-source/index.ts'
import type { Alert, AlertFacts, NewAlert } from '../domain/alert.ts'
import { correlationOf } from '../correlation/correlation-of.ts'
import { defaultGroupWindowMs, type NewGroup } from '../domain/alert-group.ts'
import type { Actor } from '../domain/audit.ts'
import type { NewCorrelation } from '../correlation/correlation.ts'
import type { Organization } from '../domain/organization.ts'
import type { Run } from '../domain/run.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { caseTitleOf, type TitledAlert } from '../engine/turns/describe-run.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import type { Place } from '../engine/turns/fair-share.ts'
import { ConflictError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { OnceKey, ReceivedAlert } from '../ports/alert-store.ts'
import type { NewRunCase } from '../ports/runs/run-store.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import {
  choosePlain,
  choosePlaybook,
  describeChoice,
  isPlain,
  type PlaybookChoice,
  type Chosen,
} from './choose-playbook.ts'
import { groupOf, plainGroupOf } from './group-of.ts'
import { createInvestigatorGenerator } from './investigator-generator.ts'
import type { PlaybookLibrary } from './playbook-library.ts'
import type { Waits } from './waits.ts'

export interface AlertRunsOptions {
  readonly stores: Stores
  readonly library: PlaybookLibrary
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly log: Log
  readonly enqueue: (run: Run, alert: Alert) => void
  /** See `Runner.reserve`. Default: runs are started after they were queued. */
  readonly reserve?: ((organizationUuid: string) => Place | undefined) | undefined
  /** See `GroupingOptions`. Default: an hour. */
  readonly groupWindowMs?: number | undefined
  /** Called for every repeat that joined a case without a run. */
  readonly onGrouped?: ((alert: Alert) => void) | undefined
  /** Called for every alert that joined the case of earlier alerts; each has its own run. */
  readonly onJoined?: ((alert: Alert) => void) | undefined
}

type TypedAlert = NewAlert & Partial<AlertFacts> & { readonly type: string }

/** Queues the run of an alert: chooses or generates its playbook, and groups repeats. */
export class AlertRuns {
  readonly #options: AlertRunsOptions
  readonly #waits: Waits
  readonly #generator: ReturnType<typeof createInvestigatorGenerator>
  /** Keys and content hashes of playbooks whose failing `group` or `correlate` was logged. */
  readonly #logged = new Set<string>()

  constructor(options: AlertRunsOptions, waits: Waits) {
    this.#options = options
    this.#waits = waits
    this.#generator = createInvestigatorGenerator(options)
  }

  /**
   * Stores an alert. Queues its first run in the same write, and starts it if there is a place, if that evaluates no expression: an
   * alert must be stored before it can crash the process.
   */
  async receive(
    given: TypedAlert,
    subjects: IdentifiedAlert['subjects'],
    once?: OnceKey,
  ): Promise<ReceivedAlert> {
    const { stores } = this.#options
    const { organizationUuid } = given
    const [organization] = await stores.organizations.list([organizationUuid])
    const playbook = organization && (await this.#plainPlaybook(given, organization))
    if (organization === undefined || playbook === undefined)
      return await stores.alerts.receive(given, { once })
    return await this.#inPlace(organizationUuid, (mayBegin) =>
      stores.alerts.receive(given, {
        once,
        group: plainGroupOf(playbook, given, this.#groupWindowMs),
        firstRun: (alert) => ({
          run: newRun({ playbook, organization }),
          begin: mayBegin ? newCaseOf(alert, playbook, subjects) : undefined,
        }),
      }),
    )
  }

  /** Queues a run, or groups the alert with an earlier one. */
  async investigate(alert: Alert): Promise<void> {
    const organization = await this.#organizationOf(alert)
    const chosen = await this.#playbookFor(alert, organization)
    const group = this.#groupOf(chosen.playbook, alert, organization)
    if (group === undefined) await this.#queueRun(alert, organization, chosen)
    else await this.#queueOrGroup(alert, organization, chosen, group)
  }

  /** Queues a new run from the beginning. Throws like `Investigations.again`. */
  async again(alert: Alert, by: Actor): Promise<Run> {
    if (alert.type === null) {
      throw new ConflictError(
        'alert_without_type',
        `the alert ${alert.id} has no type, so no playbook fits it`,
      )
    }
    const organization = await this.#organizationOf(alert)
    return await this.#queueRun(alert, organization, await this.#playbookFor(alert, organization), by)
  }

  /** Queues a failing run whose error says why the alert is not investigated. */
  async giveUp(alert: Alert, reason: string): Promise<void> {
    const { library, log } = this.#options
    log.error({ alert: alert.id }, reason)
    const organization = await this.#organizationOf(alert)
    const from = { origin: 'made', organizationUuid: organization.uuid } as const
    await this.#queueRun(alert, organization, { playbook: await library.keep(failingPlaybook(reason), from) })
  }

  runEnded(run: Run): void {
    if (run.alertId !== null) this.#waits.end(run.alertId)
  }

  async #queueOrGroup(
    alert: Alert,
    organization: Organization,
    { playbook, choice }: Chosen,
    group: NewGroup,
  ): Promise<void> {
    const { stores, onGrouped } = this.#options
    const correlation = this.#correlationOf(playbook, alert, organization)
    const given = newRun({ playbook, organization, alert, choice })
    const run = { ...given, alertUuid: alert.uuid, correlation }
    const { queued } = await this.#inPlace(alert.organizationUuid, async (mayBegin) => {
      const result = await stores.runs.queueOrGroup(
        run,
        group,
        mayBegin ? newCaseOf(alert, playbook) : undefined,
      )
      return 'run' in result ? { alert, run: result.run } : { alert, queued: result }
    })
    if (queued === undefined) return await this.#noteJoin(alert, correlation)
    onGrouped?.(alert)
    if (queued.isOver) this.#waits.end(alert.id)
    else this.#waits.follow(alert.id, queued.groupedWith)
  }

  async #queueRun(
    alert: Alert,
    organization: Organization,
    { playbook, choice }: Chosen,
    again?: Actor,
  ): Promise<Run> {
    const correlation = again ? undefined : this.#correlationOf(playbook, alert, organization)
    const run = newRun({ playbook, organization, alert, choice, retry: again !== undefined, by: again })
    const given = { ...run, correlation }
    const queued = await this.#inPlace(alert.organizationUuid, async (mayBegin) => ({
      alert,
      // A requester gets the run as it was queued.
      run: await this.#options.stores.runs.queue(
        given,
        mayBegin && !again ? newCaseOf(alert, playbook) : undefined,
      ),
    }))
    await this.#noteJoin(alert, correlation)
    return queued.run
  }

  /** Counts an alert that joined an earlier case. */
  async #noteJoin({ uuid }: Alert, correlation: NewCorrelation | undefined): Promise<void> {
    const { stores, onJoined } = this.#options
    if (correlation === undefined || onJoined === undefined) return
    const alert = await stores.alerts.find('all', uuid)
    if (alert !== undefined && alert.joinedBecause !== null) onJoined(alert)
  }

  /** Gives a new run its first turn or its place in the queue. `queue` may start it in the same write if there is a place. */
  async #inPlace<T extends { readonly alert: Alert; readonly run?: Run | undefined }>(
    organizationUuid: string,
    queue: (mayBegin: boolean) => Promise<T>,
  ): Promise<T> {
    const place = this.#options.reserve?.(organizationUuid)
    let queued: T | undefined
    try {
      return (queued = await queue(place !== undefined))
    } finally {
      const { alert, run } = queued ?? {}
      if (place && alert && run?.status === 'running') place.begin(run, alert)
      else place?.release()
      if (run?.status === 'queued' && alert) this.#options.enqueue(run, alert)
      else if (run && run.endedAt !== null) this.runEnded(run)
    }
  }

  get #groupWindowMs(): number {
    return this.#options.groupWindowMs ?? defaultGroupWindowMs
  }

  #groupOf(playbook: Playbook, alert: Alert, organization: Organization): NewGroup | undefined {
    return groupOf(playbook, alert, organization, (id) => newCaseOf({ ...alert, id }, playbook).title, {
      windowMs: this.#groupWindowMs,
      onError: (error) => this.#logOnce(playbook, alert, error, 'on.alert.group'),
    })
  }

  #correlationOf(playbook: Playbook, alert: Alert, organization: Organization): NewCorrelation | undefined {
    if (playbook.alertTrigger?.correlate === undefined) return undefined
    const found = correlationOf(playbook, alert, organization, (error) =>
      this.#logOnce(playbook, alert, error, 'on.alert.correlate'),
    )
    if (found.keys.length === 0 && found.skipped.length === 0) return undefined
    return { ...found, caseTitle: newCaseOf(alert, playbook).title }
  }

  /** The playbook of an alert, if choosing and queuing it evaluates no expression, and it exists already. */
  async #plainPlaybook(given: TypedAlert, organization: Organization): Promise<Playbook | undefined> {
    const choice = choosePlain(this.#options.library.authored(), {
      ...given,
      organization: organization.code,
    })
    const playbook = choice === 'none' ? await this.#generator.known(given.type, organization) : choice
    return playbook && isPlain(playbook) ? playbook : undefined
  }

  async #playbookFor(alert: Alert, organization: Organization): Promise<Chosen> {
    const choice = this.#choose(alert, organization)
    const playbook = choice.playbook ?? (await this.#generator.generate(alert.type ?? '', organization))
    return { playbook, choice: describeChoice(choice) }
  }

  #choose(alert: Alert, organization: Organization): PlaybookChoice {
    const { library, log } = this.#options
    const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
    const { type, provider } = alert
    const key = { type: type ?? '', provider, organization: organization.code }
    return choosePlaybook(library.authored(), key, scope, (playbook, error) =>
      log.warn({ playbook: playbook.name, alert: alert.id, error }, 'could not evaluate on.alert.where'),
    )
  }

  /** Logs once per version of a playbook, because alerts of an unexpected shape may arrive in thousands. */
  #logOnce({ name, hash }: Playbook, alert: Alert, error: unknown, key: string): void {
    if (this.#logged.has(`${key} ${hash}`)) return
    this.#logged.add(`${key} ${hash}`)
    this.#options.log.warn({ playbook: name, alert: alert.id, error }, `could not evaluate ${key}`)
  }

  async #organizationOf(alert: Alert): Promise<Organization> {
    const [organization] = await this.#options.stores.organizations.list([alert.organizationUuid])
    if (organization === undefined) throw new Error(`alert ${alert.id} belongs to no organization`)
    return organization
  }
}

const newCaseOf = (
  alert: TitledAlert,
  playbook: Playbook,
  subjects?: IdentifiedAlert['subjects'],
): NewRunCase => ({ title: caseTitleOf(alert, playbook, subjects) })

/**
 * The playbook for an alert that cannot be investigated: its run fails with the reason, so the alert becomes
 * Failed instead of staying Created forever. `reason` never contains text of the alert.
 */
function failingPlaybook(reason: string): string {
  return [
    '# Generated by Tocsin for alerts that it cannot investigate.',
    'apiVersion: tocsin/v1',
    'name: not-investigated',
    'description: Says why an alert was not investigated.',
    'on: { manual: true }',
    'steps:',
    `  - fail: ${JSON.stringify(reason)}`,
    '',
  ].join('\n')
}
