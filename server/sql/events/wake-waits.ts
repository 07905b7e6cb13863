import type { Work } from '../database/work.ts'
import type { Case, CaseEvent } from '../../../core/domain/case.ts'
import type { RunTrigger } from '../../../core/domain/run.ts'
import {
  alertKey,
  caseKey,
  changesLost,
  maxKeptChanges,
  takesChange,
} from '../../../core/events/event-filter.ts'
import type { AwaitedChanges } from '../../../core/ports/runs/event-wait-store.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { wakeRun } from '../runs/run-turns.ts'

interface WaitRow {
  readonly id: number
  readonly runRow: number
  readonly uuid: string
  readonly organizationUuid: string
  readonly filter: string
}

const selectWaits = `
  SELECT k.wait_id AS id, w.run_id AS "runRow", w.filter, r.uuid, o.uuid AS "organizationUuid" FROM event_wait_keys k
    CROSS JOIN event_waits w ON w.id = k.wait_id CROSS JOIN runs r ON r.id = w.run_id
    CROSS JOIN organizations o ON o.id = k.organization_id
  WHERE k.organization_id = ? AND k.key IN (?, ?)`

/** The waits for an alert of this type. */
export const waitsForAlert = (
  database: Database,
  organizationRow: number,
  type: string | null,
): Work<readonly WaitRow[]> =>
  database.all<WaitRow>(selectWaits, organizationRow, alertKey(null), alertKey(type ?? ''))

/**
 * Inside of the write that stores an alert: wakes the runs that wait for an alert of its type. Each run wakes
 * once, and arms its wait again after it has looked, so that a flood of alerts writes to each wait once. No
 * alert since the wait was armed matches, so the run looks from this alert on.
 */
export function* wakeWaits(database: Database, waits: readonly WaitRow[], alertRow: number): Work<void> {
  for (const { id, runRow, uuid, organizationUuid } of waits) {
    yield* disarm(database, id)
    yield* database.run('UPDATE event_waits SET position = max(position, ?) WHERE id = ?', alertRow - 1, id)
    yield* wakeRun(database, runRow)
    database.onWoken({ uuid, organizationUuid })
  }
}

/** Inside of the write that changes an awaited case: gives the change to the waits for it, and wakes their runs. */
export function* wakeWaitsForCase(
  database: Database,
  caseRow: number,
  {
    caseId,
    events,
    trigger,
  }: { readonly caseId: string; readonly events: readonly CaseEvent[]; readonly trigger: RunTrigger },
  at: number,
): Work<void> {
  const { organizationRow } = yield* database.one<{ organizationRow: number }>(
    'SELECT organization_id AS "organizationRow" FROM cases WHERE id = ?',
    caseRow,
  )
  const waits = yield* database.all<WaitRow>(selectWaits, organizationRow, caseKey(null), caseKey(caseId))
  for (const { id, runRow, uuid, organizationUuid, filter } of waits) {
    if (!takesChange(fromJson<AwaitedChanges>(filter), events)) continue
    yield* keepChange(database, id, trigger, at)
    yield* wakeRun(database, runRow)
    database.onWoken({ uuid, organizationUuid })
  }
}

/** Whether runs wait for changes of cases. Keys of cases are adjacent. */
const selectCaseWait = (organization: string): string => `
  SELECT 1 FROM event_wait_keys WHERE organization_id = ${organization} AND key >= 'case' AND key < 'casf' LIMIT 1`
const caseWaits = {
  ofOrganization: selectCaseWait('?'),
  ofCase: selectCaseWait('(SELECT organization_id FROM cases WHERE id = ?)'),
}

/** @param of the row of an organization, or of one of its cases */
export function* areChangesAwaited(
  database: Database,
  of: { readonly organizationRow: number } | { readonly caseRow: number },
): Work<boolean> {
  const found =
    'caseRow' in of
      ? yield* database.get(caseWaits.ofCase, of.caseRow)
      : yield* database.get(caseWaits.ofOrganization, of.organizationRow)
  return found !== undefined
}

function* keepChange(database: Database, wait: number, trigger: RunTrigger, at: number): Work<void> {
  const { kept, last } = yield* database.one<{ kept: number; last: number }>(
    `SELECT count(c.position) AS kept, max(w.position, coalesce(max(c.position), 0)) AS last
     FROM event_waits w LEFT JOIN awaited_changes c ON c.wait_id = w.id WHERE w.id = ? GROUP BY w.id`,
    wait,
  )
  if (kept >= maxKeptChanges)
    yield* database.run('UPDATE event_waits SET last_failure = ? WHERE id = ?', changesLost, wait)
  else
    yield* database.run(
      'INSERT INTO awaited_changes (wait_id, position, at, change) VALUES (?, ?, ?, ?)',
      wait,
      last + 1,
      at,
      toJson(trigger),
    )
}

/** Inside of the write that merges or splits a case: waits for it go on with the other one; of a split, those of the moved runs. */
export function* moveWaits(
  database: Database,
  from: Pick<Case, 'id' | 'organizationUuid'>,
  to: Pick<Case, 'id'>,
  runs?: readonly number[],
): Work<void> {
  const ofRuns = `AND wait_id IN (SELECT id FROM event_waits WHERE run_id IN (SELECT CAST(value AS bigint) FROM json_each(?)))`
  const moved = `FROM event_wait_keys WHERE organization_id = (SELECT id FROM organizations WHERE uuid = ?) AND key = ?
    ${runs === undefined ? '' : ofRuns}`
  const given = [from.organizationUuid, caseKey(from.id), ...(runs === undefined ? [] : [toJson(runs)])]
  // A wait may have both keys.
  yield* database.run(
    `INSERT INTO event_wait_keys (organization_id, key, wait_id) SELECT organization_id, ?, wait_id ${moved} ON CONFLICT DO NOTHING`,
    caseKey(to.id),
    ...given,
  )
  yield* database.run(`DELETE ${moved}`, ...given)
}

export function* isArmed(database: Database, wait: number): Work<boolean> {
  return (yield* database.get('SELECT 1 FROM event_wait_keys WHERE wait_id = ? LIMIT 1', wait)) !== undefined
}

export function* disarm(database: Database, wait: number): Work<void> {
  return void (yield* database.run('DELETE FROM event_wait_keys WHERE wait_id = ?', wait))
}

/** Inside of the write that ends a run. Most runs wait for no events, and a DELETE without rows costs as much as one with rows. */
export function* forgetWaits(database: Database, run: number): Work<void> {
  if ((yield* database.get('SELECT 1 FROM event_waits WHERE run_id = ? LIMIT 1', run)) === undefined) return
  yield* database.run(
    'DELETE FROM event_wait_keys WHERE wait_id IN (SELECT id FROM event_waits WHERE run_id = ?)',
    run,
  )
  yield* database.run(
    'DELETE FROM awaited_changes WHERE wait_id IN (SELECT id FROM event_waits WHERE run_id = ?)',
    run,
  )
  yield* database.run('DELETE FROM event_waits WHERE run_id = ?', run)
}
