import type { Work } from '../database/work.ts'
import type { RunFilter } from '../../../core/domain/run.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type { ListedRun } from '../../../core/ports/runs/run-store.ts'
import { findAlertRow } from '../alerts/alert-rows.ts'
import { ofCase } from '../cases/case-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import type { Database } from '../database/database.ts'
import { filterBy, listPage, type Condition } from '../database/paging.ts'
import { havingObservable } from '../observables/observable-rows.ts'
import { isSuperseded } from './reruns.ts'
import { selectListedRun, toRunOfList, type ListedRunRow } from './run-rows.ts'

/** Inside of a read. */
export function* listRuns(
  database: Database,
  scope: OrganizationScope,
  filter: RunFilter,
  page: ListRequest,
): Work<ListPage<ListedRun>> {
  return yield* listPage<ListedRunRow, ListedRun>(database, {
    name: 'runs',
    table: 'runs t',
    select: selectListedRun,
    conditions: [...scopeConditions(scope, 't.organization_id'), ...(yield* runConditions(database, filter))],
    page,
    toItem: toRunOfList,
  })
}

/** Conditions of a list filter on runs `t`. */
function* runConditions(database: Database, filter: RunFilter): Work<readonly Condition[]> {
  const { alertId, caseId, waitsFor, retriable = false } = filter
  const alertRow = alertId === undefined ? undefined : ((yield* findAlertRow(database, alertId))?.id ?? 0)
  const isUndecided = `t.id ${waitsFor === 'decision' ? 'IN' : 'NOT IN'} (SELECT run_id FROM journal WHERE state = 'unknown')`
  return [
    ...filterBy('t.alert_id = ?', alertRow),
    ...(caseId === undefined ? [] : [ofCase('t.case_id', caseId)]),
    ...filterBy('t.playbook_name = ?', filter.playbookName),
    ...filterBy('t.status = ?', filter.status),
    ...filterBy(`t.error IS NOT NULL AND (t.error ->> '$.code') = ?`, filter.errorCode),
    ...havingObservable('runs', filter.observable),
    ...filterBy('t.id < (SELECT id FROM runs WHERE uuid = ?)', filter.before?.toLowerCase()),
    ...filterBy('t.created_at >= ?', filter.createdAfter),
    ...filterBy('t.created_at < ?', filter.createdBefore),
    ...(waitsFor === undefined ? [] : [{ sql: `t.status = 'waiting' AND ${isUndecided}`, values: [] }]),
    // In this form, SQLite uses the index of failed runs.
    ...(retriable
      ? [{ sql: `t.status = 'failed' AND t.pruned_at IS NULL AND NOT ${isSuperseded}`, values: [] }]
      : []),
  ]
}
