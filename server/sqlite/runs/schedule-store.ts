import type { NewRun, Run } from '../../../core/domain/run.ts'
import type { ScheduleStore, StoredSchedule } from '../../../core/ports/runs/schedule-store.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { queueRun } from './run-moves.ts'
import type { StoreContext } from '../context/store-context.ts'

const select = `
  SELECT t.id, t.playbook_name AS playbookName, o.uuid AS organizationUuid, t.cron, t.next_at AS nextAt
  FROM schedules t JOIN organizations o ON o.id = t.organization_id`

/**
 * A next time so much later than the next one by the clock was reckoned when the clock was wrong. Three hours, as cron(8) has it: a
 * clock that is set back by less does not fire again what has fired.
 */
const setBackMs = 3 * 3_600_000

type ScheduleRow = StoredSchedule & { readonly id: number }

export class SqliteScheduleStore implements ScheduleStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  keep(schedules: readonly StoredSchedule[]): Promise<readonly StoredSchedule[]> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const wanted = new Set(schedules.map(keyOf))
      for (const row of database.all<ScheduleRow>(select)) {
        if (!wanted.has(keyOf(row))) database.run('DELETE FROM schedules WHERE id = ?', row.id)
      }
      for (const { playbookName, organizationUuid, cron, nextAt } of schedules) {
        database.run(
          `INSERT INTO schedules (organization_id, playbook_name, cron, next_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (organization_id, playbook_name) DO UPDATE SET cron = excluded.cron, next_at = excluded.next_at
             WHERE cron <> excluded.cron OR next_at > excluded.next_at + ?`,
          requireOrganization(database, organizationUuid).id,
          playbookName,
          cron,
          nextAt,
          setBackMs,
        )
      }
      return database.all<ScheduleRow>(`${select} ORDER BY t.id`).map(({ id: _, ...schedule }) => schedule)
    })
  }

  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    { overlap }: { readonly overlap: boolean },
  ): Promise<Run | undefined> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const row = database.get<ScheduleRow>(
        `${select} WHERE o.uuid = ? AND t.playbook_name = ? AND t.next_at = ?`,
        schedule.organizationUuid,
        schedule.playbookName,
        schedule.nextAt,
      )
      if (row === undefined) return undefined
      database.run('UPDATE schedules SET next_at = ? WHERE id = ?', nextAt, row.id)
      const unfinished = 'SELECT 1 FROM runs WHERE schedule_id = ? AND ended_at IS NULL LIMIT 1'
      if (!overlap && database.get(unfinished, row.id) !== undefined) return undefined
      return queueRun(this.#context, run, row.id)
    })
  }
}

const keyOf = ({ organizationUuid, playbookName }: StoredSchedule): string =>
  `${organizationUuid}/${playbookName}`
