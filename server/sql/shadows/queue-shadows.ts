import type { Work } from '../database/work.ts'
import { shadowsFor, withoutRoom } from '../../../core/shadow/shadow-rules.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { RunRow } from '../runs/run-rows.ts'

interface AlertOfRun {
  readonly type: string | null
  readonly provider: string
  readonly organization: string
}

/** Inside of the write that ends a run: the shadows that are judged on its alert. A later run of the alert replaces an earlier one. */
export function* queueShadows(database: Database, run: RunRow, now: number): Work<void> {
  const { watched, onQueued } = database.shadows
  if (watched.length === 0 || run.alertRow === null) return
  const { organization, ...alert } = yield* database.one<AlertOfRun>(
    `SELECT a.type, p.code AS provider, o.code AS organization FROM alerts a
     JOIN providers p ON p.id = a.provider_id JOIN organizations o ON o.id = a.organization_id WHERE a.id = ?`,
    run.alertRow,
  )
  const names = shadowsFor(watched, { playbookName: run.playbookName, alert, organization })
  for (const name of names) {
    const full = withoutRoom(yield* waitingFor(database, run.id, name))
    yield* database.run(
      `INSERT INTO shadow_results (organization_id, playbook_name, alert_id, run_id, queued_at, judged_at, outcome, summary)
       SELECT organization_id, ?, alert_id, id, ?, ?, ?, ? FROM runs WHERE id = ?
       ON CONFLICT (alert_id, playbook_name) DO UPDATE SET run_id = excluded.run_id, queued_at = excluded.queued_at,
         judged_at = excluded.judged_at, outcome = excluded.outcome, summary = excluded.summary,
         playbook_hash = NULL, attempts = 0, detail = NULL`,
      name,
      now,
      full === undefined ? null : now,
      full?.outcome ?? null,
      toJson(full?.summary),
      run.id,
    )
  }
  if (names.length > 0) onQueued()
}

function* waitingFor(database: Database, run: number, name: string): Work<number> {
  return (yield* database.one<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM shadow_results
     WHERE organization_id = (SELECT organization_id FROM runs WHERE id = ?) AND playbook_name = ? AND judged_at IS NULL`,
    run,
    name,
  )).waiting
}
