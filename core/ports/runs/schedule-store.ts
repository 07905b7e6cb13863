import type { NewRun, Run } from '../../domain/run.ts'

/** When a playbook runs next in an organization. */
export interface StoredSchedule {
  readonly playbookName: string
  readonly organizationUuid: string
  readonly cron: string
  /** Epoch milliseconds. */
  readonly nextAt: number
}

export interface ScheduleStore {
  /**
   * Keeps exactly these. One that is there with the same cron keeps its next time, also an overdue one, unless that is more than
   * three hours after the one given here: then the clock has been set back.
   */
  keep(schedules: readonly StoredSchedule[]): Promise<readonly StoredSchedule[]>
  /**
   * Moves on to `nextAt` and queues the run, in one: undefined when somebody else did, or when the run before has not ended
   * and may not overlap.
   */
  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    options: { readonly overlap: boolean },
  ): Promise<Run | undefined>
}
