import type { Work } from '../database/work.ts'
import { endedAlertStatuses, endFollowers, followingStatus } from '../../../core/transitions/alert.ts'
import { updateRows } from '../context/rows.ts'
import type { Database } from '../database/database.ts'

type EndedStatus = (typeof endedAlertStatuses)[number]

/** Alerts that end with the one they follow in one write. */
const settledAtOnce = 1_000

/** Inside of the write that ends the investigation of an alert: ends the alerts that follow it. False: some are left. */
export function* settleFollowers(
  database: Database,
  alertRow: number,
  status: EndedStatus,
  now: number,
): Work<boolean> {
  return (yield* settleSome(database, alertRow, status, now, settledAtOnce)) < settledAtOnce
}

function* settleSome(
  database: Database,
  alertRow: number,
  status: EndedStatus,
  now: number,
  limit: number,
): Work<number> {
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
    room -= yield* settleSome(database, id, status, now, room)
    if (room === 0) return false
  }
  return true
}
