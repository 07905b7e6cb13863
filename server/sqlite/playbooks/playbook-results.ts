import type { PlaybookResults, ResultsRequest } from '../../../core/ports/runs/run-store.ts'
import type { Scope } from '../../../core/ports/common.ts'
import type { RunStatus } from '../../../core/domain/run.ts'
import type { Database } from '../database/database.ts'
import { whereAll } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'

/** So many of the newest runs of a playbook are looked at, whoever they belong to. */
const maxSeen = 10_000
/** Of these it is said how many failed. */
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

/** What became of a playbook's runs, from an index alone and from a hundred rows at most. */
export function playbookResults(
  database: Database,
  scope: Scope,
  { name, weekFrom, monthFrom, runs }: ResultsRequest,
): PlaybookResults {
  const conditions = scopeConditions(scope, 'n.organization_id')
  const values = conditions.flatMap((condition) => condition.values)
  const inScope = conditions.map(({ sql }) => sql).join(' AND ') || '1'
  const counted = `alert_id IS NOT NULL AND ${inScope}`
  const counts = database.get<Counts>(
    `SELECT count(*) AS seen, min(created_at) AS oldest,
       count(*) FILTER (WHERE created_at >= ? AND ${counted}) AS week, count(*) FILTER (WHERE ${counted}) AS month
     FROM (${newestRuns('AND created_at >= ?')}) n`,
    weekFrom,
    ...values,
    ...values,
    name,
    monthFrom,
  )
  const rows = database.all<ResultRow>(
    `SELECT t.uuid, t.status, t.created_at AS createdAt, t.ended_at AS endedAt
     FROM (SELECT n.id FROM (${newestRuns('')}) n ${whereAll(conditions)} LIMIT ${maxJudged}) newest
     JOIN runs t ON t.id = newest.id ORDER BY t.created_at DESC, t.id DESC`,
    name,
    ...values,
  )
  const { seen = 0, oldest = null, week = 0, month = 0 } = counts ?? {}
  return {
    since: seen < maxSeen || oldest === null ? monthFrom : oldest,
    alerts: { week, month },
    judged: rows.filter(({ status }) => status === 'completed' || status === 'failed').length,
    failed: rows.filter(({ status }) => status === 'failed').length,
    runs: rows.slice(0, runs),
  }
}

const newestRuns = (since: string): string =>
  `SELECT id, created_at, organization_id, alert_id FROM runs
   WHERE playbook_name = ? ${since} ORDER BY created_at DESC, id DESC LIMIT ${maxSeen}`
