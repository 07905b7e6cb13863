import { eachTogether, type Work } from '../database/work.ts'
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
import { expiringTables, makeRoom } from '../context/rows.ts'
import type { Database } from '../database/database.ts'
import { openCase } from '../runs/run-transitions.ts'
import { changeAlert, type AlertStateRow } from './alert-rows.ts'

interface KeyRow extends KeyState {
  readonly caseRow: number
}

const selectKey = `
  SELECT c.id AS "caseRow", k.last_at AS "lastAt", k.ends_at AS "endsAt", c.number, c.status AS "caseStatus", c.joined
  FROM correlation_keys k JOIN alerts a ON a.id = k.alert_id JOIN cases c ON c.id = a.case_id WHERE k.organization_id = ? AND k.key = ?`

function* findKey(
  database: Database,
  organization: OrganizationKey,
  key: NewCorrelation['keys'][number],
): Work<FoundKey<KeyRow>> {
  const row = yield* database.get<Omit<KeyRow, 'caseId'> & { readonly number: number }>(
    selectKey,
    organization.id,
    key.key,
  )
  return { key, state: row && { ...row, caseId: composeCaseId(organization.code, row.number) } }
}

/** Inside of the write that queues the first run of an alert: gives the alert its case, an earlier one or a new one. */
export function* correlate(
  database: Database,
  organization: OrganizationKey,
  alert: AlertStateRow,
  run: Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>,
  { keys: given, skipped, caseTitle }: NewCorrelation,
  now: number,
): Work<AlertStateRow> {
  yield* makeRoom(database, expiringTables.correlationKeys, now)
  const keys = yield* eachTogether(given, (key) => findKey(database, organization, key))
  const match = joinedCase(keys, now)
  const opened = match === undefined ? yield* openCase(database, run, { title: caseTitle }, now) : undefined
  const caseRow = match?.state.caseRow ?? opened!.row
  const caseId = match?.state.caseId ?? composeCaseId(organization.code, opened!.number)
  yield* changeAlert(database, alert.row, { caseRow, joinedBecause: match?.reason })
  if (match) yield* database.run('UPDATE cases SET joined = joined + 1 WHERE id = ?', caseRow)
  const correlated = { caseId, reason: match?.reason, keys, skipped }
  for (const entry of correlationEntries(alert.id, correlated, now))
    yield* insertEntry(database, caseRow, entry)
  const full = new Set(
    keys.flatMap(({ key, state }) =>
      state !== undefined && matchOf(state, key, now) === 'full' && takesKey({ key, state }, caseId, now)
        ? [state.caseRow]
        : [],
    ),
  )
  for (const row of full) yield* insertEntry(database, row, continuedEntry(caseId, alert.id, now))
  for (const found of keys) {
    if (!takesKey(found, caseId, now)) continue
    const { lastAt, endsAt } = keyAfter(found.key, found.state, caseId, now)
    yield* database.run(
      `INSERT INTO correlation_keys (organization_id, key, alert_id, last_at, ends_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (organization_id, key) DO UPDATE SET alert_id = excluded.alert_id, last_at = excluded.last_at, ends_at = excluded.ends_at`,
      organization.id,
      found.key.key,
      alert.row,
      lastAt,
      endsAt,
    )
  }
  return { ...alert, caseRow }
}
