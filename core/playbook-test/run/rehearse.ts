import { identifyAlert } from '../../alert-source/index.ts'
import { correlationOf, type CorrelationKeys } from '../../correlation/correlation-of.ts'
import type { Organization } from '../../domain/organization.ts'
import type { RunTrigger } from '../../domain/run.ts'
import type { Program } from '../../expression/index.ts'
import { whereOf } from '../../trigger/example-trigger.ts'
import { alertStatus, notInvestigated, type Alert } from '../../domain/alert.ts'
import { alertScope, organizationScope, triggerScope } from '../../engine/scope/alert-scope.ts'
import { interpret } from '../../engine/steps/interpreter.ts'
import { openLocalContext } from '../../engine/context/local-context.ts'
import type { RunCheckpoints, RunEvents } from '../../engine/journal/local-run.ts'
import type { WakeUps } from '../../engine/journal/wake-ups.ts'
import type { RunOutcome } from '../../engine/scope/flow.ts'
import type { RunNames } from '../../engine/scope/scope.ts'
import type { CalledPlaybooks } from '../../engine/steps/walk.ts'
import { NotFoundError } from '../../errors/errors.ts'
import { isForProvider, isForType } from '../../investigation/choose-playbook.ts'
import { isFor, ownerText } from '../../playbook/check/owner.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { AlertFixture, CalledByName, Fixtures } from '../read/playbook-test.ts'
import type { Skills } from '../../engine/skills/skill-caller.ts'

/** Fixed, so that keys and retry jitter are the same each time. */
const rehearsalRunUuid = '00000000-0000-4000-8000-000000000000'
/** Id of the run in the fixtures. */
export const runIdOf = ({ run }: Pick<Fixtures, 'run'>): string => run?.id ?? rehearsalRunUuid

const organizationUuid = '00000000-0000-4000-8000-00000000000a'

export interface RehearsalOptions {
  readonly playbook: Playbook
  readonly fixtures: Fixtures
  readonly skills: Skills
  readonly journal: JournalStore
  readonly clock: Clock
  readonly log: Log
  /** The store and id of the run's case. */
  readonly caseId: string
  /** Organization whose connections may be used. Default: none. */
  readonly organizationUuid?: string | undefined
  readonly dryRun?: boolean
  /** Aborts the run as if the process ended. */
  readonly stop?: AbortSignal
  readonly cancel?: AbortSignal
  /** Store of questions to people. Default: checkpoints fail. */
  readonly checkpoints?: RunCheckpoints
  readonly wakeUps?: WakeUps
  /** The store of waits for events. Default: none; steps that wait for events fail. */
  readonly events?: RunEvents | undefined
  /** Callable playbooks. Default: none. */
  readonly called?: CalledByName | undefined
}

/** Runs a playbook in memory with the real engine. Resumes where the journal ends. */
export async function rehearse(options: RehearsalOptions): Promise<RunOutcome> {
  const { playbook, fixtures, skills, journal, clock, log, stop, cancel, caseId, checkpoints, wakeUps } =
    options
  const uuid = runIdOf(fixtures)
  const context = await openLocalContext({
    run: { uuid, startedAt: fixtures.nowMs },
    journal,
    clock,
    log,
    stop,
    cancel,
    checkpoints,
    events: options.events,
    wakeUps,
  })
  const names: RunNames = {
    ...namesOf(fixtures),
    case: { id: caseId },
    run: { url: fixtures.run?.url ?? `/runs/${uuid}`, dry_run: options.dryRun === true },
  }
  const run = {
    uuid,
    organizationUuid: options.organizationUuid ?? organizationUuid,
    playbookName: playbook.name,
    openCase: async () => caseId,
  }
  const inputs = { run, names, playbooks: calledPlaybooks(options.called) }
  const outcome = await interpret(playbook, inputs, context, skills)
  await context.settled()
  return outcome
}

function calledPlaybooks(called: CalledByName = new Map()): CalledPlaybooks {
  return {
    newest: (name) => called.get(name)?.hash,
    load: async (hash) => {
      const found = called.values().find((playbook) => playbook.hash === hash)
      if (found === undefined)
        throw new NotFoundError('playbook_not_found', `no playbook has the content hash ${hash}`)
      return found
    },
  }
}

/** The names in expressions other than `steps`, `now`, `run` and `case`. */
function namesOf(fixtures: Fixtures): RunNames {
  const { alert, organization, inputs, trigger } = fixtures
  return {
    inputs,
    organization: organizationScope(toOrganization(organization)),
    ...(alert ? { alert: alertScope(alertOf(alert, organization.code)) } : {}),
    trigger: triggerScope(trigger, alert !== undefined),
  }
}

const toOrganization = (given: Fixtures['organization']): Organization => ({
  uuid: organizationUuid,
  revision: 1,
  createdAt: 0,
  ...given,
})

/** The result of the correlation rules for the alert. */
export function correlationFor(playbook: Playbook, { alert, organization }: Fixtures): CorrelationKeys {
  if (alert === undefined) return { keys: [], skipped: [] }
  return correlationOf(playbook, alertOf(alert, organization.code), toOrganization(organization))
}

export function alertOf(fixture: AlertFixture, organizationCode: string): Alert {
  const { createdAtSource, createdAt } = fixture
  return {
    ...notInvestigated,
    ...identifyAlert(fixture).facts,
    ...fixture,
    status: alertStatus.inProgress,
    createdAtSource: createdAtSource === null ? null : BigInt(createdAtSource),
    organizationUuid,
    organizationCode,
    createdBy: 'rehearsal',
    modifiedAt: createdAt,
  }
}

/** `'a' or 'b'`. */
export const either = (words: readonly string[] = []): string => words.map((word) => `'${word}'`).join(' or ')

/** True if the alert or event would start the playbook, else the reason. */
export function startsFor(playbook: Playbook, fixtures: Fixtures): true | string {
  const { alertTrigger: trigger } = playbook
  const { alert, organization } = fixtures
  if (!isFor(playbook, organization.code))
    return `the playbook belongs to ${ownerText(playbook)}, not to '${organization.code}'`
  if (fixtures.trigger !== undefined) return startsForEvent(playbook, fixtures, fixtures.trigger)
  if (trigger === undefined || alert === undefined) return true
  if (!isForType(trigger, alert.type))
    return `the playbook investigates alerts of type ${either(trigger.types)}, not '${alert.type}'`
  if (!isForProvider(playbook, alert))
    return `the playbook investigates alerts of provider ${either(trigger.providers)}, not '${alert.provider}'`
  return holdsFor(trigger.where, fixtures, 'alert')
}

function startsForEvent(
  playbook: Playbook,
  fixtures: Fixtures,
  { kind, ...fields }: RunTrigger,
): true | string {
  const events = fields['events'] as readonly string[]
  const wanted: readonly string[] =
    (kind === 'run' ? playbook.runTrigger : playbook.caseTrigger)?.events ?? []
  if ((kind === 'case' || kind === 'run') && !events.some((event) => wanted.includes(event)))
    return `the playbook starts for the events ${either(wanted)}, not ${either(events)}`
  return holdsFor(whereOf(playbook, kind), fixtures, 'event')
}

function holdsFor(where: Program | undefined, fixtures: Fixtures, what: string): true | string {
  if (where === undefined) return true
  try {
    return where.evaluate(namesOf(fixtures)) === true || `\`where\` does not hold for this ${what}`
  } catch (error) {
    return `\`where\` cannot be evaluated for this ${what}: ${(error as Error).message}`
  }
}
