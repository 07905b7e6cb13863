import type { Organization } from '../domain/organization.ts'
import type { Run } from '../domain/run.ts'
import type { Playbook } from '../playbook/playbook.ts'
import { nextTime } from '../playbook/schedule.ts'
import type { Clock, Log, Stores, StoredSchedule } from '../ports.ts'
import { createAlarms, type Alarms } from './alarms.ts'
import { newRun } from './queue-run.ts'

/** Starts runs at their times. */
export interface Scheduler {
  /** Takes over what the playbooks in force say; what was due while no process ran fires once. */
  start(): Promise<void>
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

  async function fire(schedule: StoredSchedule): Promise<void> {
    const { playbookName, organizationUuid, cron } = schedule
    const playbook = playbooks().find(({ name }) => name === playbookName)
    const organization = organizations.find(({ uuid }) => uuid === organizationUuid)
    const nextAt = nextTime(cron, clock.now())
    if (playbook?.schedule === undefined || organization === undefined || nextAt === undefined) return
    try {
      const { inputs, overlap } = playbook.schedule
      const run = await stores.schedules.fire(schedule, nextAt, newRun({ playbook, organization, inputs }), {
        overlap,
      })
      if (run === undefined)
        log.info({ playbook: playbookName }, 'a scheduled run is left out: the one before goes on')
      else if (run.endedAt === null) enqueue(run)
      alarms?.set(nextAt, { ...schedule, nextAt })
    } catch (error) {
      log.error({ playbook: playbookName, error }, 'a scheduled run could not be queued')
      alarms?.set(clock.now() + retryMs, schedule)
    }
  }

  return {
    async start() {
      organizations = await stores.organizations.list('all')
      const wanted = playbooks().flatMap((playbook) => schedulesOf(playbook, organizations, clock.now()))
      alarms = createAlarms(clock, (schedule) => void fire(schedule))
      for (const schedule of await stores.schedules.keep(wanted)) alarms.set(schedule.nextAt, schedule)
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
