import type { Organization } from '../../domain/organization.ts'
import type { Run } from '../../domain/run.ts'
import { UnavailableError } from '../../errors/errors.ts'
import { isFor } from '../../playbook/check/owner.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { nextTime } from '../../trigger/schedule.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Stores } from '../../ports/stores.ts'
import type { StoredSchedule } from '../../ports/runs/schedule-store.ts'
import { createAlarms, type Alarms } from './alarms.ts'
import { newRun } from './queue-run.ts'

/** Starts runs by schedule. */
export interface Scheduler {
  /** Loads the schedules of the live playbooks. A time that was missed while no process ran fires once. */
  start(): Promise<void>
  /** Reloads the schedules after a playbook or an organization was added. Never rejects. */
  takeOver(): Promise<void>
  /** Reloads the schedules if another node has added an organization. */
  follow(): Promise<void>
  stop(): void
}

export interface SchedulerOptions {
  readonly stores: Pick<Stores, 'organizations' | 'schedules'>
  readonly clock: Clock
  readonly log: Log
  readonly playbooks: () => readonly Playbook[]
  /** See `PlaybookLibrary`. Default: this process has all playbooks. */
  readonly published?: ((name: string) => string | undefined) | undefined
  readonly enqueue: (run: Run) => void
}

/** Delay before a failed firing is retried, e.g. after a full disk. */
const retryMs = 5_000

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { stores, clock, log, playbooks, published, enqueue } = options
  let alarms: Alarms<StoredSchedule> | undefined
  let organizations: readonly Organization[] = []

  async function start(): Promise<void> {
    organizations = await stores.organizations.list('all')
    const wanted = playbooks().flatMap((playbook) => schedulesOf(playbook, organizations, clock.now()))
    const kept = await stores.schedules.keep(wanted, published)
    alarms?.clear()
    const mine = createAlarms<StoredSchedule>(clock, (schedule) => void ring(schedule, mine))
    alarms = mine
    for (const schedule of kept) mine.set(schedule.nextAt, schedule)
  }

  /** Never rejects. */
  async function ring(schedule: StoredSchedule, mine: Alarms<StoredSchedule>): Promise<void> {
    const next = await fire(schedule)
    // The schedules may have been reloaded meanwhile.
    if (next !== undefined && mine === alarms) mine.set(next.atMs, next.schedule)
  }

  /** Returns the next alarm; undefined: never again. */
  async function fire(schedule: StoredSchedule) {
    const { playbookName, organizationUuid } = schedule
    const playbook = playbooks().find(({ name }) => name === playbookName)
    const organization = organizations.find(({ uuid }) => uuid === organizationUuid)
    const nextAt = nextTime(schedule, clock.now())
    if (playbook?.schedule === undefined || organization === undefined || nextAt === undefined)
      return undefined
    if (!isFor(playbook, organization.code)) return undefined
    try {
      const { inputs, overlap } = playbook.schedule
      const run = await stores.schedules.fire(schedule, nextAt, newRun({ playbook, organization, inputs }), {
        overlap,
      })
      if (run === 'running')
        log.info({ playbook: playbookName }, 'scheduled run skipped: the previous one is still running')
      else if (run !== undefined && 'nextAt' in run)
        return { atMs: run.nextAt, schedule: { ...schedule, nextAt: run.nextAt } }
      else if (run?.endedAt === null) enqueue(run)
      return { atMs: nextAt, schedule: { ...schedule, nextAt } }
    } catch (error) {
      log.error({ playbook: playbookName, error }, 'could not queue a scheduled run')
      // An error of the playbook does not go away by retrying.
      return { atMs: error instanceof UnavailableError ? clock.now() + retryMs : nextAt, schedule }
    }
  }

  return {
    start,
    async takeOver() {
      // The change itself is stored; the next start loads the schedules at the latest.
      await start().catch((error: unknown) =>
        log.error({ error }, 'cannot load new schedules; they begin at the next start'),
      )
    },
    async follow() {
      const { length } = await stores.organizations.list('all')
      if (alarms !== undefined && length !== organizations.length) await start()
    },
    stop() {
      alarms?.clear()
      alarms = undefined
    },
  }
}

function schedulesOf(
  playbook: Playbook,
  organizations: readonly Organization[],
  now: number,
): readonly StoredSchedule[] {
  const { name, schedule } = playbook
  const nextAt = schedule && nextTime(schedule, now)
  if (schedule === undefined || nextAt === undefined) return []
  const { cron, timezone } = schedule
  const codes = schedule.organizations?.map((code) => code.toLowerCase())
  return organizations
    .filter(({ code }) => isFor(playbook, code))
    .filter(({ code }) => codes === undefined || codes.includes(code.toLowerCase()))
    .map(({ uuid }) => ({ playbookName: name, organizationUuid: uuid, cron, timezone, nextAt }))
}
