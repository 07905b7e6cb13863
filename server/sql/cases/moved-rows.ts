import type { Work } from '../database/work.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import { mergeBounds, requireMovable, type Moved } from '../../../core/transitions/correlate/merge.ts'
import { toJson } from '../database/columns.ts'
import { moveContainments } from '../containments/containment-rows.ts'
import type { Database } from '../database/database.ts'
import { sourceOfAlert } from './case-assessments.ts'

/** Inside of a write, like all of these. */
export function* requireRoomToMove(database: Database, caseRow: number, caseId: string): Work<void> {
  for (const table of ['alerts', 'runs']) {
    const { rows } = yield* database.one<{ rows: number }>(
      `SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} WHERE case_id = ? LIMIT ?) AS counted`,
      caseRow,
      mergeBounds.moved + 1,
    )
    requireMovable(caseId, rows, 'merge the other cases into this one instead')
  }
}

/** Moves everything of a case; its timeline stays, and is read with that of the other case. */
export function* moveCase(database: Database, from: number, to: number, reason: string): Work<Moved> {
  const investigated = yield* countInvestigated(database, from)
  yield* database.run(
    'INSERT INTO run_moves (run_id, case_id) SELECT id, case_id FROM runs WHERE case_id = ? ON CONFLICT DO NOTHING',
    from,
  )
  const runs = yield* database.run('UPDATE runs SET case_id = ? WHERE case_id = ?', to, from)
  yield* database.run('UPDATE containments SET case_id = ? WHERE case_id = ?', to, from)
  const alerts = yield* database.run(
    'UPDATE alerts SET case_id = ?, joined_because = coalesce(joined_because, ?) WHERE case_id = ?',
    to,
    reason,
    from,
  )
  yield* database.run('UPDATE case_tasks SET case_id = ? WHERE case_id = ?', to, from)
  yield* moveLinks(database, from, to)
  // A content that both cases have stays with the first.
  for (const [table, key] of [
    ['case_files', 'sha256'],
    ['case_assessments', 'source'],
  ] as const)
    yield* database.run(
      `UPDATE ${table} SET case_id = ? WHERE case_id = ? AND ${key} NOT IN (SELECT ${key} FROM ${table} WHERE case_id = ?)`,
      to,
      from,
      to,
    )
  yield* database.run('UPDATE cases SET merged_into = ? WHERE merged_into = ?', to, from)
  yield* database.run('UPDATE cases SET joined = joined + ? WHERE id = ?', Math.max(investigated, 1), to)
  return { alerts, runs }
}

/** Links of both cases to a third one stay once, and a link between the two is gone with the merge. */
function* moveLinks(database: Database, from: number, to: number): Work<void> {
  const linked =
    'SELECT other_id FROM case_links WHERE case_id = ? UNION SELECT case_id FROM case_links WHERE other_id = ?'
  for (const [own, other] of [
    ['case_id', 'other_id'],
    ['other_id', 'case_id'],
  ] as const) {
    yield* database.run(
      `UPDATE case_links SET ${own} = ? WHERE ${own} = ? AND ${other} <> ? AND ${other} NOT IN (${linked})`,
      to,
      from,
      to,
      to,
      to,
    )
    yield* database.run(`DELETE FROM case_links WHERE ${own} = ?`, from)
  }
}

/** Alerts that are no repeats. */
function* countInvestigated(database: Database, caseRow: number): Work<number> {
  return (yield* database.one<{ count: number }>(
    'SELECT count(*) AS count FROM alerts WHERE case_id = ? AND group_sequence IS NULL',
    caseRow,
  )).count
}

export function* countLeft(database: Database, caseRow: number): Work<number> {
  return (yield* database.one<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM alerts WHERE case_id = ? LIMIT 1) AS counted',
    caseRow,
  )).count
}

interface MovedAlert {
  readonly id: number
  readonly organization: string
  readonly provider: string
  readonly sequence: number
}

interface SplitRows {
  readonly from: number
  /** The id of that case. */
  readonly caseId: string
  readonly to: number
  readonly reason: string
}

/** Moves alerts with their repeats and runs. Throws ConflictError `case_too_large`. */
export function* moveAlerts(
  database: Database,
  given: readonly number[],
  { from, caseId, to, reason }: SplitRows,
): Work<{ readonly alertIds: readonly string[]; readonly runs: readonly number[] }> {
  const chosen = toJson(given)
  const alerts = yield* database.all<MovedAlert>(
    `SELECT a.id, o.code AS organization, p.code AS provider, a.sequence FROM alerts a
       JOIN organizations o ON o.id = a.organization_id JOIN providers p ON p.id = a.provider_id
     WHERE a.case_id = ? AND (a.id IN (SELECT CAST(value AS bigint) FROM json_each(?)) OR (a.provider_id, a.group_sequence) IN (
       SELECT provider_id, sequence FROM alerts WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?)))) ORDER BY a.id LIMIT ?`,
    from,
    chosen,
    chosen,
    mergeBounds.moved + 1,
  )
  requireMovable(caseId, alerts.length, 'leave alerts with many repeats where they are')
  const moved = toJson(alerts.map(({ id }) => id))
  const inMoved = 'IN (SELECT CAST(value AS bigint) FROM json_each(?))'
  const runs = yield* database.all<{ id: number }>(
    `SELECT id FROM runs WHERE case_id = ? AND alert_id ${inMoved}`,
    from,
    moved,
  )
  for (const { id } of runs) {
    yield* database.run(
      'INSERT INTO run_moves (run_id, case_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      id,
      from,
    )
    yield* database.run('UPDATE runs SET case_id = ? WHERE id = ?', to, id)
  }
  yield* moveContainments(
    database,
    runs.map(({ id }) => id),
    to,
  )
  yield* database.run(
    `UPDATE alerts SET case_id = ?, joined_because = ? WHERE id ${inMoved}`,
    to,
    reason,
    moved,
  )
  const sources = toJson(alerts.map(({ id }) => sourceOfAlert(id)))
  yield* database.run(
    `UPDATE case_assessments SET case_id = ? WHERE case_id = ? AND source IN (SELECT value FROM json_each(?))`,
    to,
    from,
    sources,
  )
  for (const row of [from, to])
    yield* database.run(
      'UPDATE cases SET joined = ? WHERE id = ?',
      Math.max(0, (yield* countInvestigated(database, row)) - 1),
      row,
    )
  return {
    alertIds: alerts.map(({ organization, provider, sequence }) =>
      composeAlertId(organization, provider, sequence),
    ),
    runs: runs.map(({ id }) => id),
  }
}

/** Actions of moved runs are in both timelines: an effect is never hidden. */
export function* copyActions(
  database: Database,
  from: number,
  to: number,
  runs: readonly number[],
): Work<void> {
  yield* database.run(
    `INSERT INTO case_entries (case_id, at, author_kind, author_id, author, request_id, kind, text, changes, action)
     SELECT ?, at, author_kind, author_id, author, request_id, kind, text, changes, action FROM case_entries
     WHERE case_id IN (SELECT id FROM cases WHERE id = ? OR merged_into = ?) AND kind = 'action'
       AND action ->> '$.run_uuid' IN (SELECT r.uuid FROM runs r WHERE r.id IN (SELECT CAST(value AS bigint) FROM json_each(?)))
     ORDER BY id`,
    to,
    from,
    from,
    toJson(runs),
  )
}
