import type { RunFilter } from '../../../core/domain/run.ts'
import { findAlertRow } from '../alerts/alert-rows.ts'
import { ofCase } from '../cases/case-rows.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from '../database/paging.ts'
import { isSuperseded } from './reruns.ts'

/** What a filter says, of the runs `t`. */
export function runConditions(database: Database, filter: RunFilter): readonly Condition[] {
  const {
    alertId,
    caseId,
    playbookName,
    status,
    errorCode,
    createdAfter,
    createdBefore,
    retriable,
    waitsFor,
  } = filter
  const conditions: (Condition | false)[] = [
    alertId !== undefined && is('t.alert_id = ?', findAlertRow(database, alertId)?.id ?? 0),
    caseId !== undefined && ofCase('t.case_id', caseId),
    playbookName !== undefined && is('t.playbook_name = ?', playbookName),
    status !== undefined && is('t.status = ?', status),
    errorCode !== undefined && is(`t.error IS NOT NULL AND (t.error ->> '$.code') = ?`, errorCode),
    createdAfter !== undefined && is('t.created_at >= ?', createdAfter),
    createdBefore !== undefined && is('t.created_at < ?', createdBefore),
    waitsFor !== undefined && {
      sql: `t.status = 'waiting' AND t.id ${waitsFor === 'decision' ? 'IN' : 'NOT IN'} (SELECT run_id FROM journal WHERE state = 'unknown')`,
      values: [],
    },
    // Said so that the index of failed runs is used.
    retriable === true && {
      sql: `t.status = 'failed' AND t.pruned_at IS NULL AND NOT ${isSuperseded}`,
      values: [],
    },
  ]
  return conditions.filter((condition) => condition !== false)
}

const is = (sql: string, value: string | number): Condition => ({ sql, values: [value] })
