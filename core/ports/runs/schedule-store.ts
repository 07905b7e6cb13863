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
   */
  keep(schedules: readonly StoredSchedule[]): Promise<readonly StoredSchedule[]>
  /**
   * Sets the next time and queues the run in one write. `running`: no run is queued, because the previous one is active and overlap is
   * not allowed. Undefined: another process did this before.
   */
  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    options: { readonly overlap: boolean },
  ): Promise<Run | 'running' | undefined>
}
