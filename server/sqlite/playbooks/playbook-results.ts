import type { PlaybookResults, ResultsRequest } from '../../../core/ports/runs/run-store.ts'
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
export function playbookResults(
  database: Database,
  scope: OrganizationScope,
  { name, weekFrom, monthFrom, runs }: ResultsRequest,
): PlaybookResults {
  const conditions = scopeConditions(scope, 'n.organization_id')
  const values = conditions.flatMap((condition) => condition.values)
  const inScope = conditions.map(({ sql }) => sql).join(' AND ') || '1'
  const counted = `alert_id IS NOT NULL AND ${inScope}`
  const counts = database.get<Counts>(
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
  const rows = database.all<ResultRow>(
    `SELECT t.uuid, t.status, t.created_at AS createdAt, t.ended_at AS endedAt
     FROM (SELECT n.id FROM (${newestRuns}) n ${whereAll(conditions)} LIMIT ${maxJudged}) newest
     JOIN runs t ON t.id = newest.id ORDER BY t.created_at DESC, t.id DESC`,
    name,
    ...values,
  )
  const { seen = 0, oldest = null, week = 0, month = 0 } = counts ?? {}
  return {
    since: seen < maxSeen || oldest === null ? monthFrom : oldest,
    alerts: { week, month },
    ...countResults(rows.map(({ status }) => status)),
    runs: rows.slice(0, runs),
  }
}

const newestRuns = `SELECT id, created_at, organization_id, alert_id FROM runs
  WHERE playbook_name = ? ORDER BY id DESC LIMIT ${maxSeen}`
