import type { Work } from '../database/work.ts'
import { endedAlertStatuses, endFollowers, followingStatus } from '../../../core/transitions/alert.ts'
import { updateRows } from '../context/rows.ts'
import type { Database } from '../database/database.ts'

type EndedStatus = (typeof endedAlertStatuses)[number]

/** Alerts that end with the one they follow in one write. */
const settledAtOnce = 1_000

/**
 * Inside of the write that ends the investigation of an alert: ends the alerts that follow it, at most `limit` of them. Gives their
 * number.
 */
export function* settleFollowers(
  database: Database,
  alertRow: number,
  status: EndedStatus,
  now: number,
  limit = settledAtOnce,
): Work<number> {
  // Most alerts have no followers, and an UPDATE without rows costs as much as one with rows.
  if ((yield* database.get('SELECT 1 FROM alerts WHERE follows = ? LIMIT 1', alertRow)) === undefined)
    return 0
  const { from, changes } = endFollowers(status, now)
  const statuses = from.map(() => '?').join(', ')
  return yield* updateRows(
    database,
    'alerts',
    { ...changes },
    {
      sql: `id IN (SELECT id FROM alerts WHERE follows = ? AND status IN (${statuses}) LIMIT ?)`,
      values: [alertRow, ...from, limit],
    },
  )
}

/** Inside of a write: ends followers that an earlier process left behind. False: some are left. */
export function* settleLeftBehind(database: Database, now: number): Work<boolean> {
  const found = yield* database.all<{ id: number; status: EndedStatus }>(
    `SELECT DISTINCT first.id, first.status FROM alerts a JOIN alerts first ON first.id = a.follows
     WHERE a.follows IS NOT NULL AND a.status = ? AND first.status IN (?, ?) LIMIT ?`,
    followingStatus,
    ...endedAlertStatuses,
    settledAtOnce,
  )
  let room = settledAtOnce
  for (const { id, status } of found) {
    room -= yield* settleFollowers(database, id, status, now, room)
    if (room === 0) return false
  }
  return true
}

/** Whether alerts still follow the alert of a run that has ended. */
export function* hasUnsettled(database: Database, runUuid: string): Work<boolean> {
  const found = yield* database.get(
    'SELECT 1 FROM alerts WHERE follows = (SELECT alert_id FROM runs WHERE uuid = ?) AND status = ? LIMIT 1',
    runUuid.toLowerCase(),
    followingStatus,
  )
  return found !== undefined
}
