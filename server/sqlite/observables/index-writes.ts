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

const holder = 'organization_id AS organization, created_at AS at, case_id AS caseRow'
const selectAlert = `SELECT ${holder} FROM alerts WHERE id = ?`
const selectRun = `
  SELECT ${holder}, ended_at IS NOT NULL AS isEnded, pruned_at IS NOT NULL AS isPruned FROM runs WHERE id = ?`

interface RunRow extends HolderRow {
  readonly isEnded: 0 | 1
  readonly isPruned: 0 | 1
}

/** Inside of a write, like all of these: indexes an alert, unless it was deleted meanwhile. */
export function indexAlert(database: Database, row: number, observables: readonly ObservableKey[]): void {
  const alert = database.get<HolderRow>(selectAlert, row)
  if (alert === undefined) return
  for (const key of observables) link(database, 'alerts', row, alert, key)
  database.run('UPDATE alerts SET observed_case = ? WHERE id = ?', alert.caseRow ?? 0, row)
}

/** Indexes what is new in a run. A pruned run has no steps to read. */
export function indexRun(database: Database, row: number, { observables, findings }: RunObservables): void {
  const run = database.get<RunRow>(selectRun, row)
  if (run === undefined) return
  if (run.isPruned === 0) {
    for (const key of observables) link(database, 'runs', row, run, key)
    for (const { observable, path, source, at, score, level, summary, error } of findings)
      database.run(
        `INSERT OR IGNORE INTO observable_findings (observable_id, run_id, path, source, at, score, level, summary, error)
         SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM observables WHERE value = ? AND kind = ? AND organization_id = ?`,
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
  database.run(
    'UPDATE runs SET observed_case = ?, observed_end = ? WHERE id = ?',
    run.caseRow ?? 0,
    run.isEnded,
    row,
  )
}

function link(database: Database, holder: Holder, row: number, of: HolderRow, key: ObservableKey): void {
  const { table, column } = linkOf[holder]
  const { id } = database.one<{ id: number }>(
    `INSERT INTO observables (organization_id, kind, value, first_at, last_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (value, kind, organization_id) DO UPDATE
       SET first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
     RETURNING id`,
    of.organization,
    key.kind,
    key.value,
    of.at,
    of.at,
  )
  if (database.run(`INSERT OR IGNORE INTO ${table} (observable_id, ${column}) VALUES (?, ?)`, id, row) === 0)
    return
  database.run(`UPDATE observables SET ${holder} = ${holder} + 1 WHERE id = ?`, id)
  if (of.caseRow !== null) addToCase(database, holder, id, of.caseRow)
}

function addToCase(database: Database, holder: Holder, observable: number, caseRow: number): void {
  const added = database.run(
    'INSERT OR IGNORE INTO observable_cases (observable_id, case_id, alerts, runs) VALUES (?, ?, 0, 0)',
    observable,
    caseRow,
  )
  if (added === 1) database.run('UPDATE observables SET cases = cases + 1 WHERE id = ?', observable)
  database.run(
    `UPDATE observable_cases SET ${holder} = ${holder} + 1 WHERE observable_id = ? AND case_id = ?`,
    observable,
    caseRow,
  )
}

function takeFromCase(database: Database, holder: Holder, observable: number, caseRow: number): void {
  database.run(
    `UPDATE observable_cases SET ${holder} = ${holder} - 1 WHERE observable_id = ? AND case_id = ?`,
    observable,
    caseRow,
  )
  const removed = database.run(
    'DELETE FROM observable_cases WHERE observable_id = ? AND case_id = ? AND alerts <= 0 AND runs <= 0',
    observable,
    caseRow,
  )
  if (removed === 1) database.run('UPDATE observables SET cases = cases - 1 WHERE id = ?', observable)
}

const observablesOf = (database: Database, holder: Holder, row: number): readonly number[] => {
  const { table, column } = linkOf[holder]
  return database
    .all<{ id: number }>(`SELECT observable_id AS id FROM ${table} WHERE ${column} = ?`, row)
    .map(({ id }) => id)
}

interface MovedRow {
  readonly row: number
  readonly from: number
  readonly to: number
}

/** Counts rows whose case has changed for their new case. Gives their number. */
export function followMoves(database: Database, holder: Holder, limit: number): number {
  const moved = database.all<MovedRow>(
    `SELECT id AS row, observed_case AS "from", ifnull(case_id, 0) AS "to" FROM ${holder}
     WHERE observed_case IS NOT NULL AND observed_case <> ifnull(case_id, 0) LIMIT ?`,
    limit,
  )
  for (const { row, from, to } of moved) {
    for (const id of observablesOf(database, holder, row)) {
      if (from !== 0) takeFromCase(database, holder, id, from)
      if (to !== 0) addToCase(database, holder, id, to)
    }
    database.run(`UPDATE ${holder} SET observed_case = ? WHERE id = ?`, to, row)
  }
  return moved.length
}

/** Before an alert is deleted, or the steps of a run: gives the number of deleted rows. */
export function forgetObservables(database: Database, holder: Holder, row: number): number {
  const { table, column } = linkOf[holder]
  const counted = database.get<{ caseRow: number | null }>(
    `SELECT observed_case AS caseRow FROM ${holder} WHERE id = ?`,
    row,
  )
  const ids = observablesOf(database, holder, row)
  const findings =
    holder === 'runs' ? database.run('DELETE FROM observable_findings WHERE run_id = ?', row) : 0
  database.run(`DELETE FROM ${table} WHERE ${column} = ?`, row)
  for (const id of ids) {
    if (counted !== undefined && counted.caseRow !== null && counted.caseRow !== 0)
      takeFromCase(database, holder, id, counted.caseRow)
    database.run(`UPDATE observables SET ${holder} = ${holder} - 1 WHERE id = ?`, id)
    database.run('DELETE FROM observables WHERE id = ? AND alerts <= 0 AND runs <= 0', id)
  }
  return ids.length + findings
}
