import type { NewCorrelation } from '../../../core/correlation/correlation.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { Run } from '../../../core/domain/run.ts'
import {
  continuedEntry,
  correlationEntries,
  joinedCase,
  keyAfter,
  matchOf,
  takesKey,
  type FoundKey,
  type KeyState,
} from '../../../core/transitions/correlate/correlation.ts'
import type { OrganizationKey } from '../access/organization-store.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import type { Database } from '../database/database.ts'
import { openCase } from '../runs/run-transitions.ts'
import { changeAlert, type AlertStateRow } from './alert-rows.ts'

interface KeyRow extends KeyState {
  readonly caseRow: number
}

const selectKey = `
  SELECT c.id AS caseRow, k.last_at AS lastAt, k.ends_at AS endsAt, c.number, c.status AS caseStatus, c.joined
  FROM correlation_keys k JOIN alerts a ON a.id = k.alert_id JOIN cases c ON c.id = a.case_id WHERE k.organization_id = ? AND k.key = ?`

/** Inside of the write that queues the first run of an alert: gives the alert its case, an earlier one or a new one. */
export function correlate(
  database: Database,
  organization: OrganizationKey,
  alert: AlertStateRow,
  run: Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>,
  { keys: given, skipped, caseTitle }: NewCorrelation,
  now: number,
): AlertStateRow {
  deleteExpired(database, expiringTables.correlationKeys, now)
  const keys = given.map((key): FoundKey<KeyRow> => {
    const row = database.get<Omit<KeyRow, 'caseId'> & { readonly number: number }>(
      selectKey,
      organization.id,
      key.key,
    )
    return { key, state: row && { ...row, caseId: composeCaseId(organization.code, row.number) } }
  })
  const match = joinedCase(keys, now)
  const opened = match === undefined ? openCase(database, run, { title: caseTitle }, now) : undefined
  const caseRow = match?.state.caseRow ?? opened!.row
  const caseId = match?.state.caseId ?? composeCaseId(organization.code, opened!.number)
  changeAlert(database, alert.row, { caseRow, joinedBecause: match?.reason })
  if (match) database.run('UPDATE cases SET joined = joined + 1 WHERE id = ?', caseRow)
  const correlated = { caseId, reason: match?.reason, keys, skipped }
  for (const entry of correlationEntries(alert.id, correlated, now)) insertEntry(database, caseRow, entry)
  const full = new Set(
    keys.flatMap(({ key, state }) =>
      state !== undefined && matchOf(state, key, now) === 'full' && takesKey({ key, state }, caseId, now)
        ? [state.caseRow]
        : [],
    ),
  )
  for (const row of full) insertEntry(database, row, continuedEntry(caseId, alert.id, now))
  for (const found of keys) {
    if (!takesKey(found, caseId, now)) continue
    const { lastAt, endsAt } = keyAfter(found.key, found.state, caseId, now)
    database.run(
      `INSERT OR REPLACE INTO correlation_keys (organization_id, key, alert_id, last_at, ends_at) VALUES (?, ?, ?, ?, ?)`,
      organization.id,
      found.key.key,
      alert.row,
      lastAt,
      endsAt,
    )
  }
  return { ...alert, caseRow }
}
