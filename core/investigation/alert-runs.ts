import type { Alert } from '../domain/alert.ts'
import { defaultGroupWindowMs, type NewGroup } from '../domain/alert-group.ts'
import type { Actor } from '../domain/audit.ts'
import type { Organization } from '../domain/organization.ts'
import type { Run } from '../domain/run.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { caseTitleOf } from '../engine/turns/describe-run.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import { ConflictError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { choosePlaybook, describeChoice, type PlaybookChoice, type Chosen } from './choose-playbook.ts'
import { groupOf } from './group-of.ts'
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
  /** See `GroupingOptions`. Default: an hour. */
  readonly groupWindowMs?: number | undefined
  /** Called for every repeat that joined a case without a run. */
  readonly onGrouped?: ((alert: Alert) => void) | undefined
}

/** Queues the run of an alert: chooses or generates its playbook, and groups repeats. */
export class AlertRuns {
  readonly #options: AlertRunsOptions
  readonly #waits: Waits
  readonly #generate: ReturnType<typeof createInvestigatorGenerator>
  /** Content hashes of playbooks whose failing `group` was logged. */
  readonly #logged = new Set<string>()

  constructor(options: AlertRunsOptions, waits: Waits) {
    this.#options = options
    this.#waits = waits
    this.#generate = createInvestigatorGenerator(options)
  }

  /** Queues a run, or groups the alert with an earlier one. */
  async investigate(alert: Alert): Promise<void> {
    const { groupWindowMs = defaultGroupWindowMs } = this.#options
    const organization = await this.#organizationOf(alert)
    const chosen = await this.#playbookFor(alert, organization)
    const { playbook } = chosen
    const title = (id: string) => caseTitleOf({ id, type: alert.type })
    const group = groupOf(playbook, alert, organization, title, {
      windowMs: groupWindowMs,
      onError: (error) => this.#logOnce(playbook, alert, error),
    })
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
    const run = { ...newRun({ playbook, organization, alert, choice }), alertUuid: alert.uuid }
    const queued = await stores.runs.queueOrGroup(run, group)
    if ('run' in queued) return this.#enqueue(queued.run, alert)
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
    const run = await this.#options.stores.runs.queue(
      newRun({ playbook, organization, alert, choice, retry: again !== undefined, by: again }),
    )
    this.#enqueue(run, alert)
    return run
  }

  #enqueue(run: Run, alert: Alert): void {
    if (run.endedAt === null) this.#options.enqueue(run, alert)
    else this.runEnded(run)
  }

  async #playbookFor(alert: Alert, organization: Organization): Promise<Chosen> {
    const choice = this.#choose(alert, organization)
    const playbook = choice.playbook ?? (await this.#generate(alert.type ?? '', organization))
    return { playbook, choice: describeChoice(choice) }
  }

  #choose(alert: Alert, organization: Organization): PlaybookChoice {
    const { library, log } = this.#options
    const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
    const key = { type: alert.type ?? '', provider: alert.provider }
    return choosePlaybook(library.authored(), key, scope, (playbook, error) =>
      log.warn({ playbook: playbook.name, alert: alert.id, error }, 'could not evaluate on.alert.where'),
    )
  }

  /** Logs once per version of a playbook, because alerts of an unexpected shape may arrive in thousands. */
  #logOnce({ name, hash }: Playbook, alert: Alert, error: unknown): void {
    if (this.#logged.has(hash)) return
    this.#logged.add(hash)
    this.#options.log.warn({ playbook: name, alert: alert.id, error }, 'could not evaluate on.alert.group')
  }

  async #organizationOf(alert: Alert): Promise<Organization> {
    const [organization] = await this.#options.stores.organizations.list([alert.organizationUuid])
    if (organization === undefined) throw new Error(`alert ${alert.id} belongs to no organization`)
    return organization
  }
}

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
