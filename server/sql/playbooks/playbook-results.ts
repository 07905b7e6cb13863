import type { Work } from '../database/work.ts'
import { dayMs } from '../../../core/numbers/number-range.ts'
import type { PlaybookActivity, PlaybookResults, ResultsRequest } from '../../../core/ports/runs/run-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import type { RunStatus } from '../../../core/domain/run.ts'
import { countResults } from '../../../core/transitions/run.ts'
import type { Database } from '../database/database.ts'
import { whereAll } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'

/** Maximum of runs of a playbook that are counted, of all organizations. */
const maxSeen = 10_000
/** Maximum of runs whose results are counted. */
const maxJudged = 100

interface Counts {
  readonly seen: number
  readonly oldest: number | null
  readonly week: number
  readonly month: number
}

interface ResultRow {
  readonly uuid: string
  readonly status: RunStatus
  readonly createdAt: number
  readonly endedAt: number | null
}

/** Results of a playbook, from an index and at most a hundred rows. */
export function* playbookResults(
  database: Database,
  scope: OrganizationScope,
  { name, weekFrom, monthFrom, runs }: ResultsRequest,
): Work<PlaybookResults> {
  const conditions = scopeConditions(scope, 'n.organization_id')
  const values = conditions.flatMap((condition) => condition.values)
  const inScope = conditions.map(({ sql }) => sql).join(' AND ') || 'true'
  const counted = `alert_id IS NOT NULL AND ${inScope}`
  const counts = yield* database.get<Counts>(
    `SELECT count(*) AS seen, min(created_at) AS oldest,
       count(DISTINCT alert_id) FILTER (WHERE created_at >= ? AND ${counted}) AS week,
       count(DISTINCT alert_id) FILTER (WHERE ${counted}) AS month
     FROM (${newestRuns}) n WHERE created_at >= ?`,
    weekFrom,
    ...values,
    ...values,
    name,
    monthFrom,
  )
  const rows = yield* database.all<ResultRow>(
    `SELECT t.uuid, t.status, t.created_at AS "createdAt", t.ended_at AS "endedAt"
     FROM (SELECT n.id FROM (${newestRuns}) n ${whereAll(conditions)} ORDER BY n.id DESC LIMIT ${maxJudged}) newest
     JOIN runs t ON t.id = newest.id ORDER BY t.created_at DESC, t.id DESC`,
    name,
    ...values,
  )
  const { seen = 0, oldest = null, week = 0, month = 0 } = counts ?? {}
  return {
    since: seen < maxSeen || oldest === null ? monthFrom : oldest,
    alerts: { week, month },
    repeats: yield* countRepeats(database, scope, { name, weekFrom, monthFrom }),
    ...countResults(rows.map(({ status }) => status)),
    runs: rows.slice(0, runs),
  }
}

/** A repeat that took over a failed investigation has a run, and counts as an alert. */
function* countRepeats(
  database: Database,
  scope: OrganizationScope,
  { name, weekFrom, monthFrom }: Omit<ResultsRequest, 'runs'>,
): Work<PlaybookResults['repeats']> {
  const conditions = [
    { sql: 't.investigator = ? AND t.group_sequence IS NOT NULL', values: [name] },
    { sql: 't.created_at >= ?', values: [monthFrom] },
    ...scopeConditions(scope, 't.organization_id'),
    { sql: 'NOT EXISTS (SELECT 1 FROM runs WHERE alert_id = t.id)', values: [] },
  ]
  return yield* database.one<PlaybookResults['repeats']>(
    `SELECT count(*) FILTER (WHERE created_at >= ?) AS week, count(*) AS month
     FROM (SELECT t.created_at FROM alerts t ${whereAll(conditions)} ORDER BY t.created_at DESC LIMIT ${maxSeen}) AS repeats`,
    weekFrom,
    ...conditions.flatMap(({ values }) => values),
  )
}

const newestRuns = `SELECT id, created_at, organization_id, alert_id FROM runs
  WHERE playbook_name = ? ORDER BY id DESC LIMIT ${maxSeen}`

/** See `RunStore.activityOf`. */
export function* playbookActivity(
  database: Database,
  scope: OrganizationScope,
  names: readonly string[],
  since: number,
): Work<ReadonlyMap<string, PlaybookActivity>> {
  const conditions = scopeConditions(scope, 'n.organization_id')
  const values = conditions.flatMap((condition) => condition.values)
  const counted = yield* database.all<{ readonly name: string; readonly runs: number }>(
    `SELECT n.playbook_name AS name, sum(n.runs) AS runs FROM run_numbers n
     ${whereAll([...conditions, { sql: 'n.period = ? AND n.at >= ?', values: [] }])} GROUP BY 1`,
    ...values,
    dayMs,
    Math.floor(since / dayMs) * dayMs,
  )
  const runs = new Map(counted.map(({ name, runs: count }) => [name, count]))
  const newest = yield* database.all<{ readonly name: string; readonly lastRunAt: number | null }>(
    `SELECT p.value AS name, (
       SELECT n.created_at FROM (${newestRuns.replace('= ?', '= p.value')}) n ${whereAll(conditions)} ORDER BY n.id DESC LIMIT 1
     ) AS "lastRunAt" FROM json_each(?) p`,
    ...values,
    JSON.stringify(names),
  )
  return new Map(newest.map(({ name, lastRunAt }) => [name, { lastRunAt, runs: runs.get(name) ?? 0 }]))
}
