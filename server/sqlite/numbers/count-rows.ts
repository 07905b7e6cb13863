import { bucketOf } from '../../../core/numbers/histogram.ts'
import { dayMs, hourMs, keptHoursMs } from '../../../core/numbers/number-range.ts'
import { measuresOf, questionTime, type TimeMeasure } from '../../../core/numbers/time-measures.ts'
import type { CaseEntry } from '../../../core/domain/case.ts'
import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import { selectCheckpoint, toCheckpoint, type CheckpointRow } from '../checkpoints/checkpoint-rows.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { setFact } from '../database/facts.ts'

/** Rows of one write: a few milliseconds. */
const [runsAtOnce, entriesAtOnce, questionsAtOnce] = [2_000, 5_000, 100]

const periods = `(SELECT ${hourMs} AS period UNION ALL SELECT ${dayMs})`

/** Inside of a write, like all of these: counts alerts that are being taken into the indexes of lists. */
export function countAlerts(database: Database, after: number, upTo: number): void {
  database.run(
    `INSERT INTO alert_numbers (organization_id, period, at, provider_id, type, severity, alerts, repeats)
     SELECT organization_id, period, created_at / period * period, provider_id, ifnull(type, ''), ifnull(severity, ''),
       count(*) FILTER (WHERE group_sequence IS NULL), count(group_sequence)
     FROM alerts CROSS JOIN ${periods} WHERE id > ? AND id <= ? GROUP BY 1, 2, 3, 4, 5, 6
     ON CONFLICT DO UPDATE SET alerts = alerts + excluded.alerts, repeats = repeats + excluded.repeats`,
    after,
    upTo,
  )
}

/** An alert that was counted has become a repeat. */
export function countAsRepeat(database: Database, alertRow: number): void {
  database.run(
    `UPDATE alert_numbers AS n SET alerts = n.alerts - 1, repeats = n.repeats + 1 FROM alerts a
     WHERE a.id = ? AND n.organization_id = a.organization_id AND n.period IN (${hourMs}, ${dayMs})
       AND n.at = a.created_at / n.period * n.period AND n.provider_id = a.provider_id
       AND n.type = ifnull(a.type, '') AND n.severity = ifnull(a.severity, '')`,
    alertRow,
  )
}

const countRunsWhere = (where: string): string =>
  `INSERT INTO run_numbers (organization_id, period, at, playbook_name, status, cause, runs, started, total_ms)
   SELECT organization_id, period, ended_at / period * period, playbook_name, status, ifnull(error ->> '$.code', ''),
     count(*), count(started_at), ifnull(sum(max(0, ended_at - started_at)), 0)
   FROM runs CROSS JOIN ${periods} WHERE ${where} GROUP BY 1, 2, 3, 4, 5, 6
   ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, started = started + excluded.started,
     total_ms = total_ms + excluded.total_ms`

const [countNewRuns, countLateRuns] = [
  countRunsWhere('id > ? AND id <= ? AND ended_at IS NOT NULL'),
  countRunsWhere('id IN (SELECT value FROM json_each(?))'),
]

interface Marks {
  readonly counted: number
  readonly newest: number
}

const selectMarks = (what: 'runs' | 'entries', table: string): string =>
  `SELECT (SELECT value FROM facts WHERE name = '${what}_counted_to') AS counted, (SELECT ifnull(max(id), 0) FROM ${table}) AS newest`

/** Counts the next runs, and those that have ended since. False: all are counted. */
export function countNextRuns(database: Database, upTo = Infinity): boolean {
  const { counted, newest: stored } = database.one<Marks>(selectMarks('runs', 'runs'))
  const newest = Math.min(stored, upTo)
  const last = Math.min(newest, counted + runsAtOnce)
  if (last > counted) {
    database.run(countNewRuns, counted, last)
    database.run('UPDATE runs SET counted = 0 WHERE id > ? AND id <= ? AND ended_at IS NULL', counted, last)
    setFact(database, 'runs_counted_to', last)
  }
  const late = database.all<{ id: number }>(
    'SELECT id FROM runs WHERE counted = 0 AND ended_at IS NOT NULL LIMIT ?',
    runsAtOnce,
  )
  if (late.length > 0) {
    const ids = JSON.stringify(late.map(({ id }) => id))
    database.run(countLateRuns, ids)
    database.run('UPDATE runs SET counted = 1 WHERE id IN (SELECT value FROM json_each(?))', ids)
  }
  return last < newest || late.length === runsAtOnce
}

interface EntryRow {
  readonly caseRow: number
  readonly at: number
  readonly kind: CaseEntry['kind']
  readonly changes: string | null
}

/** Measures the times of cases in the next entries of timelines. False: all are counted. */
export function countNextEntries(database: Database): boolean {
  const { counted, newest } = database.one<Marks>(selectMarks('entries', 'case_entries'))
  const last = Math.min(newest, counted + entriesAtOnce)
  if (last <= counted) return false
  const entries = database.all<EntryRow>(
    `SELECT case_id AS caseRow, at, kind, changes FROM case_entries
     WHERE id > ? AND id <= ? AND kind IN ('action', 'changed') ORDER BY id`,
    counted,
    last,
  )
  for (const { caseRow, at, kind, changes } of entries)
    for (const measure of measuresOf({ kind, changes: fromJson<CaseEntry['changes']>(changes) }))
      countCase(database, caseRow, measure, at)
  setFact(database, 'entries_counted_to', last)
  return last < newest
}

/** Only the first time counts. */
function countCase(database: Database, caseRow: number, measure: TimeMeasure, at: number): void {
  const isFirst = database.run(
    'INSERT OR IGNORE INTO case_marks (case_id, measure) VALUES (?, ?)',
    caseRow,
    measure,
  )
  if (isFirst === 0) return
  const { organization, from } = database.one<{ organization: number; from: number }>(
    `SELECT organization_id AS organization, min(created_at, ifnull((SELECT a.created_at FROM alerts a
       WHERE a.id = (SELECT min(id) FROM alerts WHERE case_id = c.id)), created_at)) AS "from" FROM cases c WHERE id = ?`,
    caseRow,
  )
  countTime(database, { organization, measure, at }, at - from)
}

interface Timed {
  readonly organization: number
  readonly measure: TimeMeasure
  readonly at: number
}

function countTime(database: Database, { organization, measure, at }: Timed, ms: number): void {
  // A clock that was set back, or an entry copied from an older case, gives no time.
  if (ms < 0) return
  for (const period of [hourMs, dayMs])
    database.run(
      `INSERT INTO time_numbers (organization_id, period, at, measure, bucket, count, total_ms) VALUES (?, ?, ?, ?, ?, 1, ?)
       ON CONFLICT DO UPDATE SET count = count + 1, total_ms = total_ms + excluded.total_ms`,
      organization,
      period,
      Math.floor(at / period) * period,
      measure,
      bucketOf(ms),
      ms,
    )
}

/** Characters of a counted answer. */
const maxAnswer = 100

/** Counts the next questions that are no longer open. False: all are counted. */
export function countNextQuestions(database: Database): boolean {
  const rows = database.all<CheckpointRow & { readonly organizationRow: number }>(
    `${selectCheckpoint.replace('SELECT', 'SELECT t.organization_id AS organizationRow,')}
     WHERE t.counted IS NULL AND t.state <> 'waiting' ORDER BY t.id LIMIT ?`,
    questionsAtOnce,
  )
  for (const row of rows) {
    const question = readQuestion(database, row)
    if (question !== undefined) countQuestion(database, row.organizationRow, question)
    database.run('UPDATE checkpoints SET counted = 1 WHERE id = ?', row.id)
  }
  return rows.length === questionsAtOnce
}

/** Undefined: the answer cannot be decrypted. It must not hold up the others. */
function readQuestion(database: Database, row: CheckpointRow): Checkpoint | undefined {
  try {
    return toCheckpoint(database, row)
  } catch {
    return undefined
  }
}

function countQuestion(database: Database, organization: number, checkpoint: Checkpoint): void {
  const { state, question, answer, createdAt } = checkpoint
  const at = questionTime(checkpoint)
  // The values of a form may be sensitive.
  const word = question.answers?.find((each) => each === answer?.value) ?? ''
  for (const period of [hourMs, dayMs])
    database.run(
      `INSERT INTO question_numbers (organization_id, period, at, state, answer, questions) VALUES (?, ?, ?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET questions = questions + 1`,
      organization,
      period,
      Math.floor(at / period) * period,
      state,
      word.slice(0, maxAnswer).toWellFormed(),
    )
  if (answer !== null) countTime(database, { organization, measure: 'answer', at }, answer.at - createdAt)
}

const numbersOf = ['alert_numbers', 'run_numbers', 'time_numbers', 'question_numbers']

/** Deletes hours that are too old to be shown: their days have the same numbers. */
export function clearHours(database: Database, now: number): void {
  for (const { id } of database.all<{ id: number }>('SELECT id FROM organizations'))
    for (const table of numbersOf)
      database.run(
        `DELETE FROM ${table} WHERE organization_id = ? AND period = ${hourMs} AND at < ?`,
        id,
        now - keptHoursMs - dayMs,
      )
}
