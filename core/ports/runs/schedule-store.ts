import type { NewRun, Run } from '../../domain/run.ts'

/** The next time of a playbook's schedule in an organization. */
export interface StoredSchedule {
  readonly playbookName: string
  readonly organizationUuid: string
  readonly cron: string
  /** The time zone of `cron`. */
  readonly timezone: string
  /** Epoch milliseconds. */
  readonly nextAt: number
}

export interface ScheduleStore {
  /**
   * Stores exactly these schedules. A known schedule with the same cron and time zone keeps its next time, even an overdue one, unless that is
   * more than three hours after the given one: then the clock was set back.
   *
   * @param hashOf the content hash of the published playbook with a name, as this process has it. Of playbooks that are published in other
   * versions, the schedules stay as they are. Default: there are none.
   */
  keep(
    schedules: readonly StoredSchedule[],
    hashOf?: (name: string) => string | undefined,
  ): Promise<readonly StoredSchedule[]>
  /**
   * Sets the next time and queues the run in one write. `running`: no run is queued, because the previous one is active and overlap is
   * not allowed. With `nextAt`: another process did this before, and that is the next time now. Undefined: it is no longer stored.
   */
  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    options: { readonly overlap: boolean },
  ): Promise<Run | 'running' | Pick<StoredSchedule, 'nextAt'> | undefined>
}
