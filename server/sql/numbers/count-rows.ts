import type { Work } from '../database/work.ts'
import { bucketOf } from '../../../core/numbers/histogram.ts'
import { dayMs, hourMs, keptHoursMs } from '../../../core/numbers/number-range.ts'
import { measuresOf, questionTime, type TimeMeasure } from '../../../core/numbers/time-measures.ts'
import type { CaseEntry } from '../../../core/domain/case.ts'
import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import { selectCheckpoint, toCheckpoint, type CheckpointRow } from '../checkpoints/checkpoint-rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { setFact } from '../database/facts.ts'

/** Rows of one write: a few milliseconds. */
const [runsAtOnce, entriesAtOnce, questionsAtOnce] = [2_000, 5_000, 100]

const periods = `(SELECT ${hourMs} AS period UNION ALL SELECT ${dayMs})`

/** Inside of a write, like all of these: counts alerts that are being taken into the indexes of lists. */
export function* countAlerts(database: Database, after: number, upTo: number): Work<void> {
  yield* database.run(
    `INSERT INTO alert_numbers (organization_id, period, at, provider_id, type, severity, alerts, repeats)
     SELECT organization_id, period, created_at / period * period, provider_id, coalesce(type, ''), coalesce(severity, ''),
       count(*) FILTER (WHERE group_sequence IS NULL), count(group_sequence)
     FROM alerts CROSS JOIN ${periods} p ON true WHERE id > ? AND id <= ? GROUP BY 1, 2, 3, 4, 5, 6
     ON CONFLICT (organization_id, period, at, provider_id, type, severity) DO UPDATE
       SET alerts = alert_numbers.alerts + excluded.alerts, repeats = alert_numbers.repeats + excluded.repeats`,
    after,
    upTo,
  )
}

/** An alert that was counted has become a repeat. */
export function* countAsRepeat(database: Database, alertRow: number): Work<void> {
  yield* database.run(
    `UPDATE alert_numbers AS n SET alerts = n.alerts - 1, repeats = n.repeats + 1 FROM alerts a
     WHERE a.id = ? AND n.organization_id = a.organization_id AND n.period IN (${hourMs}, ${dayMs})
       AND n.at = a.created_at / n.period * n.period AND n.provider_id = a.provider_id
       AND n.type = coalesce(a.type, '') AND n.severity = coalesce(a.severity, '')`,
    alertRow,
  )
}

const countRunsWhere = (where: string): string =>
  `INSERT INTO run_numbers (organization_id, period, at, playbook_name, status, cause, runs, started, total_ms)
   SELECT organization_id, period, ended_at / period * period, playbook_name, status, coalesce(error ->> '$.code', ''),
     count(*), count(started_at), coalesce(sum(max(0, ended_at - started_at)), 0)
   FROM runs CROSS JOIN ${periods} p ON true WHERE ${where} GROUP BY 1, 2, 3, 4, 5, 6
   ON CONFLICT (organization_id, period, at, playbook_name, status, cause) DO UPDATE SET runs = run_numbers.runs + excluded.runs,
     started = run_numbers.started + excluded.started, total_ms = run_numbers.total_ms + excluded.total_ms`

const [countNewRuns, countLateRuns] = [
  countRunsWhere('id > ? AND id <= ? AND ended_at IS NOT NULL'),
  countRunsWhere('id IN (SELECT CAST(value AS bigint) FROM json_each(?))'),
]

interface Marks {
  readonly counted: number
  readonly newest: number
}

const selectMarks = (what: 'runs' | 'entries', table: string): string =>
  `SELECT (SELECT CAST(value AS bigint) FROM facts WHERE name = '${what}_counted_to') AS counted, (SELECT coalesce(max(id), 0) FROM ${table}) AS newest`

/** Counts the next runs, and those that have ended since. False: all are counted. */
export function* countNextRuns(database: Database, upTo = Infinity): Work<boolean> {
  const { counted, newest: stored } = yield* database.one<Marks>(selectMarks('runs', 'runs'))
  const newest = Math.min(stored, upTo)
  const last = Math.min(newest, counted + runsAtOnce)
  if (last > counted) {
    yield* database.run(countNewRuns, counted, last)
    yield* database.run(
      'UPDATE runs SET counted = 0 WHERE id > ? AND id <= ? AND ended_at IS NULL',
      counted,
      last,
    )
    yield* setFact(database, 'runs_counted_to', last)
  }
  const late = yield* database.all<{ id: number }>(
    'SELECT id FROM runs WHERE counted = 0 AND ended_at IS NOT NULL LIMIT ?',
    runsAtOnce,
  )
  if (late.length > 0) {
    const ids = JSON.stringify(late.map(({ id }) => id))
    yield* database.run(countLateRuns, ids)
    yield* database.run(
      'UPDATE runs SET counted = 1 WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?))',
      ids,
    )
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
export function* countNextEntries(database: Database): Work<boolean> {
  const { counted, newest } = yield* database.one<Marks>(selectMarks('entries', 'case_entries'))
  const last = Math.min(newest, counted + entriesAtOnce)
  if (last <= counted) return false
  const entries = yield* database.all<EntryRow>(
    `SELECT case_id AS "caseRow", at, kind, changes FROM case_entries
     WHERE id > ? AND id <= ? AND kind IN ('action', 'changed') ORDER BY id`,
    counted,
    last,
  )
  const reached = new Map<string, ReachedTime>()
  for (const { caseRow, at, kind, changes } of entries)
    for (const measure of measuresOf({ kind, changes: fromJson<CaseEntry['changes']>(changes) })) {
      const key = `${caseRow} ${measure}`
      if (!reached.has(key)) reached.set(key, { caseRow, measure, at })
    }
  yield* countCases(database, reached)
  yield* setFact(database, 'entries_counted_to', last)
  return last < newest
}

/** A time that an entry gives for its case. */
interface ReachedTime {
  readonly caseRow: number
  readonly measure: TimeMeasure
  readonly at: number
}

/** Only the first time counts. */
function* countCases(database: Database, reached: ReadonlyMap<string, ReachedTime>): Work<void> {
  if (reached.size === 0) return
  const isFirst = yield* database.all<Omit<ReachedTime, 'at'>>(
    `INSERT INTO case_marks (case_id, measure)
     SELECT CAST(value ->> '$.caseRow' AS bigint), value ->> '$.measure' FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING RETURNING case_id AS "caseRow", measure`,
    toJson([...reached.values()]),
  )
  const cases = yield* database.all<{ id: number; organization: number; from: number }>(
    `SELECT id, organization_id AS organization, min(created_at, coalesce((SELECT a.created_at FROM alerts a
       WHERE a.id = (SELECT min(id) FROM alerts WHERE case_id = c.id)), created_at)) AS "from"
     FROM cases c WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?))`,
    toJson([...new Set(isFirst.map(({ caseRow }) => caseRow))]),
  )
  const caseOf = new Map(cases.map((each) => [each.id, each]))
  const times = isFirst.map(({ caseRow, measure }) => {
    const { organization, from } = caseOf.get(caseRow)!
    const { at } = reached.get(`${caseRow} ${measure}`)!
    return { organization, measure, at, ms: at - from }
  })
  yield* countTimes(database, times)
}

interface Timed {
  readonly organization: number
  readonly measure: TimeMeasure
  readonly at: number
  readonly ms: number
}

function* countTimes(database: Database, times: readonly Timed[]): Work<void> {
  const rows = new Map<string, { count: number; totalMs: number } & Record<string, number | string>>()
  for (const { organization, measure, at, ms } of times) {
    // A clock that was set back, or an entry copied from an older case, gives no time.
    if (ms < 0) continue
    for (const period of [hourMs, dayMs]) {
      const row = {
        organization,
        period,
        at: Math.floor(at / period) * period,
        measure,
        bucket: bucketOf(ms),
      }
      const key = Object.values(row).join(' ')
      const { count, totalMs } = rows.get(key) ?? { count: 0, totalMs: 0 }
      rows.set(key, { ...row, count: count + 1, totalMs: totalMs + ms })
    }
  }
  if (rows.size === 0) return
  const number = (name: string) => `CAST(value ->> '$.${name}' AS bigint)`
  yield* database.run(
    `INSERT INTO time_numbers (organization_id, period, at, measure, bucket, count, total_ms)
     SELECT ${number('organization')}, ${number('period')}, ${number('at')}, value ->> '$.measure', ${number('bucket')},
       ${number('count')}, ${number('totalMs')} FROM json_each(?) WHERE true
     ON CONFLICT (organization_id, period, at, measure, bucket) DO UPDATE
       SET count = time_numbers.count + excluded.count, total_ms = time_numbers.total_ms + excluded.total_ms`,
    toJson([...rows.values()]),
  )
}

/** Characters of a counted answer. */
const maxAnswer = 100

/** Counts the next questions that are no longer open. False: all are counted. */
export function* countNextQuestions(database: Database): Work<boolean> {
  const rows = yield* database.all<CheckpointRow & { readonly organizationRow: number }>(
    `${selectCheckpoint.replace('SELECT', 'SELECT t.organization_id AS "organizationRow",')}
     WHERE t.counted IS NULL AND t.state <> 'waiting' ORDER BY t.id LIMIT ?`,
    questionsAtOnce,
  )
  for (const row of rows) {
    const question = yield* readQuestion(database, row)
    if (question !== undefined) yield* countQuestion(database, row.organizationRow, question)
    yield* database.run('UPDATE checkpoints SET counted = 1 WHERE id = ?', row.id)
  }
  return rows.length === questionsAtOnce
}

/** Undefined: the answer cannot be decrypted. It must not hold up the others. */
function* readQuestion(database: Database, row: CheckpointRow): Work<Checkpoint | undefined> {
  try {
    return yield* toCheckpoint(database, row)
  } catch {
    return undefined
  }
}

function* countQuestion(database: Database, organization: number, checkpoint: Checkpoint): Work<void> {
  const { state, question, answer, createdAt } = checkpoint
  const at = questionTime(checkpoint)
  // The values of a form may be sensitive.
  const word = question.answers?.find((each) => each === answer?.value) ?? ''
  for (const period of [hourMs, dayMs])
    yield* database.run(
      `INSERT INTO question_numbers (organization_id, period, at, state, answer, questions) VALUES (?, ?, ?, ?, ?, 1)
       ON CONFLICT (organization_id, period, at, state, answer) DO UPDATE SET questions = question_numbers.questions + 1`,
      organization,
      period,
      Math.floor(at / period) * period,
      state,
      word.slice(0, maxAnswer).toWellFormed(),
    )
  if (answer !== null)
    yield* countTimes(database, [{ organization, measure: 'answer', at, ms: answer.at - createdAt }])
}

const numbersOf = ['alert_numbers', 'run_numbers', 'time_numbers', 'question_numbers']

/** Deletes hours that are too old to be shown: their days have the same numbers. */
export function* clearHours(database: Database, now: number): Work<void> {
  for (const { id } of yield* database.all<{ id: number }>('SELECT id FROM organizations'))
    for (const table of numbersOf)
      yield* database.run(
        `DELETE FROM ${table} WHERE organization_id = ? AND period = ${hourMs} AND at < ?`,
        id,
        now - keptHoursMs - dayMs,
      )
}
