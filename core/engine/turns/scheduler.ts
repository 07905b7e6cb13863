import type { Organization } from '../../domain/organization.ts'
import type { Run } from '../../domain/run.ts'
import { UnavailableError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { nextTime } from '../../playbook/language/schedule.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Stores } from '../../ports/stores.ts'
import type { StoredSchedule } from '../../ports/runs/schedule-store.ts'
import { createAlarms, type Alarms } from './alarms.ts'
import { newRun } from './queue-run.ts'

/** Starts runs at their times. */
export interface Scheduler {
  /** Takes over what the playbooks in force say; what was due while no process ran fires once. */
  start(): Promise<void>
  /** Takes over what the playbooks in force say now that one of them, or an organization, is new. Never rejects. */
  takeOver(): Promise<void>
  stop(): void
}

export interface SchedulerOptions {
  readonly stores: Pick<Stores, 'organizations' | 'schedules'>
  readonly clock: Clock
  readonly log: Log
  readonly playbooks: () => readonly Playbook[]
  readonly enqueue: (run: Run) => void
}

/** How long a schedule waits that could not be fired, e.g. because the disk is full. */
const retryMs = 5_000

export function createScheduler({ stores, clock, log, playbooks, enqueue }: SchedulerOptions): Scheduler {
  let alarms: Alarms<StoredSchedule> | undefined
  let organizations: readonly Organization[] = []

  async function start(): Promise<void> {
    organizations = await stores.organizations.list('all')
    const wanted = playbooks().flatMap((playbook) => schedulesOf(playbook, organizations, clock.now()))
    const kept = await stores.schedules.keep(wanted)
    alarms?.clear()
    const mine = createAlarms<StoredSchedule>(clock, (schedule) => void ring(schedule, mine))
    alarms = mine
    for (const schedule of kept) mine.set(schedule.nextAt, schedule)
  }

  /** Never rejects. */
  async function ring(schedule: StoredSchedule, mine: Alarms<StoredSchedule>): Promise<void> {
    const next = await fire(schedule)
    // All may have been taken over anew meanwhile.
    if (next !== undefined && mine === alarms) mine.set(next.atMs, next.schedule)
  }

  /** Gives when to ring again; undefined: never. */
  async function fire(schedule: StoredSchedule) {
    const { playbookName, organizationUuid, cron } = schedule
    const playbook = playbooks().find(({ name }) => name === playbookName)
    const organization = organizations.find(({ uuid }) => uuid === organizationUuid)
    const nextAt = nextTime(cron, clock.now())
    if (playbook?.schedule === undefined || organization === undefined || nextAt === undefined)
      return undefined
    try {
      const { inputs, overlap } = playbook.schedule
      const run = await stores.schedules.fire(schedule, nextAt, newRun({ playbook, organization, inputs }), {
        overlap,
      })
      if (run === undefined)
        log.info({ playbook: playbookName }, 'a scheduled run is left out: the one before goes on')
      else if (run.endedAt === null) enqueue(run)
      return { atMs: nextAt, schedule: { ...schedule, nextAt } }
    } catch (error) {
      log.error({ playbook: playbookName, error }, 'a scheduled run could not be queued')
      // What is wrong with the playbook is no better in a moment.
      return { atMs: error instanceof UnavailableError ? clock.now() + retryMs : nextAt, schedule }
    }
  }

  return {
    start,
    async takeOver() {
      // What is new is there, whatever becomes of its schedules; they are taken over at the next start at the latest.
      await start().catch((error: unknown) =>
        log.error({ error }, 'schedules that are new begin at the next start'),
      )
    },
    stop() {
      alarms?.clear()
      alarms = undefined
    },
  }
}

function schedulesOf(
  { name, schedule }: Playbook,
  organizations: readonly Organization[],
  now: number,
): readonly StoredSchedule[] {
  const nextAt = schedule && nextTime(schedule.cron, now)
  if (schedule === undefined || nextAt === undefined) return []
  const codes = schedule.organizations?.map((code) => code.toLowerCase())
  return organizations
    .filter(({ code }) => codes === undefined || codes.includes(code.toLowerCase()))
    .map(({ uuid }) => ({ playbookName: name, organizationUuid: uuid, cron: schedule.cron, nextAt }))
}
