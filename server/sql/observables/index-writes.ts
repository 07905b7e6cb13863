import type { Work } from '../database/work.ts'
import type { ObservableKey } from '../../../core/observable/normalize-observable.ts'
import type { RunObservables } from '../../../core/observable/run-observables.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** What has observables, and is counted in the column of this name. */
type Holder = 'alerts' | 'runs'

const linkOf = {
  alerts: { table: 'observable_alerts', column: 'alert_id' },
  runs: { table: 'observable_runs', column: 'run_id' },
} as const

interface HolderRow {
  readonly organization: number
  readonly at: number
  readonly caseRow: number | null
}

const holder = 'organization_id AS organization, created_at AS at, case_id AS "caseRow"'
const selectAlert = `SELECT ${holder} FROM alerts WHERE id = ?`
const selectRun = `
  SELECT ${holder}, ended_at IS NOT NULL AS "isEnded", pruned_at IS NOT NULL AS "isPruned" FROM runs WHERE id = ?`

interface RunRow extends HolderRow {
  readonly isEnded: 0 | 1
  readonly isPruned: 0 | 1
}

/** Inside of a write, like all of these: indexes an alert, unless it was deleted meanwhile. */
export function* indexAlert(
  database: Database,
  row: number,
  observables: readonly ObservableKey[],
): Work<void> {
  const alert = yield* database.get<HolderRow>(selectAlert, row)
  if (alert === undefined) return
  yield* linkAll(database, 'alerts', row, alert, observables)
  yield* database.send('UPDATE alerts SET observed_case = ? WHERE id = ?', alert.caseRow ?? 0, row)
}

/** Indexes what is new in a run. A pruned run has no steps to read. */
export function* indexRun(
  database: Database,
  row: number,
  { observables, findings }: RunObservables,
): Work<void> {
  const run = yield* database.get<RunRow>(selectRun, row)
  if (run === undefined) return
  if (run.isPruned === 0) {
    yield* linkAll(database, 'runs', row, run, observables)
    for (const { observable, path, source, at, score, level, summary, error } of findings)
      yield* database.send(
        `INSERT INTO observable_findings (observable_id, run_id, path, source, at, score, level, summary, error)
         SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM observables WHERE value = ? AND kind = ? AND organization_id = ? ON CONFLICT DO NOTHING`,
        row,
        path,
        source,
        at,
        score,
        level,
        summary,
        error && toJson(error),
        observable.value,
        observable.kind,
        run.organization,
      )
  }
  yield* database.send(
    'UPDATE runs SET observed_case = ?, observed_end = ? WHERE id = ?',
    run.caseRow ?? 0,
    run.isEnded,
    row,
  )
}

/** Rows of one statement with a list of values; each number of them has its own text. */
const rowsAtOnce = 16

/** In a fixed number of statements, however many observables there are. */
function* linkAll(
  database: Database,
  holder: Holder,
  row: number,
  of: HolderRow,
  keys: readonly ObservableKey[],
): Work<void> {
  const { table, column } = linkOf[holder]
  for (let at = 0; at < keys.length; at += rowsAtOnce) {
    const ids = yield* rowsOf(database, of, keys.slice(at, at + rowsAtOnce))
    const linked = yield* database.all<{ id: number }>(
      `INSERT INTO ${table} (observable_id, ${column}) SELECT CAST(value AS bigint), CAST(? AS bigint) FROM json_each(?)
       WHERE true ON CONFLICT DO NOTHING RETURNING observable_id AS id`,
      row,
      listOf(ids),
    )
    if (linked.length === 0) continue
    yield* database.send(
      `UPDATE observables SET ${holder} = ${holder} + 1 WHERE id IN ${inList}`,
      listOf(linked),
    )
    if (of.caseRow !== null) yield* addToCase(database, holder, linked, of.caseRow)
  }
}

interface Keyed {
  readonly id: number
}

const listOf = (rows: readonly Keyed[]): string => JSON.stringify(rows.map(({ id }) => id))
const inList = '(SELECT CAST(value AS bigint) FROM json_each(?))'

/** Creates the observables that are new. Two keys of different text may be stored as the same one. */
function* rowsOf(database: Database, of: HolderRow, keys: readonly ObservableKey[]): Work<readonly Keyed[]> {
  yield* database.send(
    `INSERT INTO observables (organization_id, kind, value, first_at, last_at)
     VALUES ${keys.map(() => '(?, ?, ?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
    ...keys.flatMap(({ kind, value }) => [of.organization, kind, value, of.at, of.at]),
  )
  return yield* database.all<Keyed>(
    `UPDATE observables SET first_at = min(first_at, ?), last_at = max(last_at, ?)
     WHERE (value, kind, organization_id) IN (VALUES ${keys.map(() => '(?, ?, CAST(? AS bigint))').join(', ')}) RETURNING id`,
    of.at,
    of.at,
    ...keys.flatMap(({ kind, value }) => [value, kind, of.organization]),
  )
}

function* addToCase(
  database: Database,
  holder: Holder,
  observables: readonly Keyed[],
  caseRow: number,
): Work<void> {
  const added = yield* database.all<Keyed>(
    `INSERT INTO observable_cases (observable_id, case_id, alerts, runs) SELECT CAST(value AS bigint), CAST(? AS bigint), 0, 0 FROM json_each(?)
     WHERE true ON CONFLICT DO NOTHING RETURNING observable_id AS id`,
    caseRow,
    listOf(observables),
  )
  if (added.length > 0)
    yield* database.send(`UPDATE observables SET cases = cases + 1 WHERE id IN ${inList}`, listOf(added))
  yield* database.send(
    `UPDATE observable_cases SET ${holder} = ${holder} + 1 WHERE case_id = ? AND observable_id IN ${inList}`,
    caseRow,
    listOf(observables),
  )
}

function* takeFromCase(database: Database, holder: Holder, observable: number, caseRow: number): Work<void> {
  yield* database.run(
    `UPDATE observable_cases SET ${holder} = ${holder} - 1 WHERE observable_id = ? AND case_id = ?`,
    observable,
    caseRow,
  )
  const removed = yield* database.run(
    'DELETE FROM observable_cases WHERE observable_id = ? AND case_id = ? AND alerts <= 0 AND runs <= 0',
    observable,
    caseRow,
  )
  if (removed === 1) yield* database.run('UPDATE observables SET cases = cases - 1 WHERE id = ?', observable)
}

function* observablesOf(database: Database, holder: Holder, row: number): Work<readonly number[]> {
  const { table, column } = linkOf[holder]
  return (yield* database.all<{ id: number }>(
    `SELECT observable_id AS id FROM ${table} WHERE ${column} = ?`,
    row,
  )).map(({ id }) => id)
}

interface MovedRow {
  readonly row: number
  readonly from: number
  readonly to: number
}

/** Counts rows whose case has changed for their new case. Gives their number. */
export function* followMoves(database: Database, holder: Holder, limit: number): Work<number> {
  const moved = yield* database.all<MovedRow>(
    `SELECT id AS row, observed_case AS "from", coalesce(case_id, 0) AS "to" FROM ${holder}
     WHERE observed_case IS NOT NULL AND observed_case <> coalesce(case_id, 0) ORDER BY id LIMIT ?`,
    limit,
  )
  for (const { row, from, to } of moved) {
    for (const id of yield* observablesOf(database, holder, row)) {
      if (from !== 0) yield* takeFromCase(database, holder, id, from)
      if (to !== 0) yield* addToCase(database, holder, [{ id }], to)
    }
    yield* database.run(`UPDATE ${holder} SET observed_case = ? WHERE id = ?`, to, row)
  }
  return moved.length
}

/** Before an alert is deleted, or the steps of a run: gives the number of deleted rows. */
export function* forgetObservables(database: Database, holder: Holder, row: number): Work<number> {
  const { table, column } = linkOf[holder]
  const counted = yield* database.get<{ caseRow: number | null }>(
    `SELECT observed_case AS "caseRow" FROM ${holder} WHERE id = ?`,
    row,
  )
  const ids = yield* observablesOf(database, holder, row)
  const findings =
    holder === 'runs' ? yield* database.run('DELETE FROM observable_findings WHERE run_id = ?', row) : 0
  yield* database.run(`DELETE FROM ${table} WHERE ${column} = ?`, row)
  for (const id of ids) {
    if (counted !== undefined && counted.caseRow !== null && counted.caseRow !== 0)
      yield* takeFromCase(database, holder, id, counted.caseRow)
    yield* database.run(`UPDATE observables SET ${holder} = ${holder} - 1 WHERE id = ?`, id)
    yield* database.run('DELETE FROM observables WHERE id = ? AND alerts <= 0 AND runs <= 0', id)
  }
  return ids.length + findings
}
