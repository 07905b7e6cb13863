import type { NewRun, Run } from '../../../core/domain/run.ts'
import type { ScheduleStore, StoredSchedule } from '../../../core/ports/runs/schedule-store.ts'
import { keptNextAt } from '../../../core/transitions/run.ts'
import { insertRow, updateRow } from '../context/rows.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { publishedHashes } from '../playbooks/folder-rows.ts'
import { queueRun } from './queue-run.ts'
import { SqlStore } from '../context/store-context.ts'

const select = `
  SELECT t.id, t.playbook_name AS "playbookName", o.uuid AS "organizationUuid", t.cron, t.timezone, t.next_at AS "nextAt"
  FROM schedules t JOIN organizations o ON o.id = t.organization_id`

type ScheduleRow = StoredSchedule & { readonly id: number }

export class SqlScheduleStore extends SqlStore implements ScheduleStore {
  keep(
    schedules: readonly StoredSchedule[],
    hashOf?: (name: string) => string | undefined,
  ): Promise<readonly StoredSchedule[]> {
    return this.write(function* () {
      const published = yield* publishedHashes(this.database)
      const isOfOthers = (name: string): boolean =>
        hashOf !== undefined && published.has(name) && published.get(name) !== hashOf(name)
      const wanted = new Set(schedules.map(keyOf))
      const stored = new Map((yield* this.database.all<ScheduleRow>(select)).map((row) => [keyOf(row), row]))
      for (const [key, { id, playbookName }] of stored)
        if (!wanted.has(key) && !isOfOthers(playbookName))
          yield* this.database.run('DELETE FROM schedules WHERE id = ?', id)
      for (const schedule of schedules) {
        if (isOfOthers(schedule.playbookName)) continue
        const { playbookName, organizationUuid, cron, timezone, nextAt } = schedule
        const known = stored.get(keyOf(schedule))
        if (known !== undefined)
          yield* updateRow(this.database, 'schedules', known.id, {
            cron,
            timezone,
            nextAt: keptNextAt(known, schedule),
          })
        else
          yield* insertRow(this.database, 'schedules', {
            organizationId: (yield* requireOrganization(this.database, organizationUuid)).id,
            playbookName,
            cron,
            timezone,
            nextAt,
          })
      }
      return (yield* this.database.all<ScheduleRow>(`${select} ORDER BY t.id`)).map(
        ({ id: _, ...schedule }) => schedule,
      )
    })
  }

  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    { overlap }: { readonly overlap: boolean },
  ): Promise<Run | 'running' | Pick<StoredSchedule, 'nextAt'> | undefined> {
    return this.write(function* () {
      const row = yield* this.database.get<ScheduleRow>(
        `${select} WHERE o.uuid = ? AND t.playbook_name = ?`,
        schedule.organizationUuid,
        schedule.playbookName,
      )
      if (row === undefined) return undefined
      if (row.nextAt !== schedule.nextAt) return { nextAt: row.nextAt }
      yield* this.database.run('UPDATE schedules SET next_at = ? WHERE id = ?', nextAt, row.id)
      const unfinished = 'SELECT 1 FROM runs WHERE schedule_id = ? AND ended_at IS NULL LIMIT 1'
      if (!overlap && (yield* this.database.get(unfinished, row.id)) !== undefined) return 'running'
      return yield* queueRun(this.context, run, { scheduleRow: row.id })
    })
  }
}

const keyOf = ({ organizationUuid, playbookName }: StoredSchedule): string =>
  `${organizationUuid}/${playbookName}`
