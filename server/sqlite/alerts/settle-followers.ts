import { alertStatus, type AlertStatus } from '../../../core/domain/alert.ts'
import type { Database } from '../database/database.ts'

type Ended = Extract<AlertStatus, 15 | 20>

/** Alerts that end with the one they follow, in one write. */
const settledAtOnce = 1_000

/**
 * Inside of the write that ends the investigation of an alert: it is the end of those that follow it, too. Those that failed with it
 * complete when a retry does. Gives how many there were; where it is `atMost`, some may be left.
 */
export function settleFollowers(
  database: Database,
  alertRow: number,
  status: Ended,
  now: number,
  atMost = settledAtOnce,
): number {
  // Most have none, and to find no row to change costs as much as to change one.
  if (database.get('SELECT 1 FROM alerts WHERE follows = ? LIMIT 1', alertRow) === undefined) return 0
  const isCompleted = status === alertStatus.completed
  const also = isCompleted ? alertStatus.failed : alertStatus.submitted
  return database.run(
    `UPDATE alerts SET status = ?, completed_at = ?, modified_at = ?, follows = CASE ? WHEN 1 THEN NULL ELSE follows END
     WHERE id IN (SELECT id FROM alerts WHERE follows = ? AND status IN (?, ?) LIMIT ?)`,
    status,
    now,
    now,
    Number(isCompleted),
    alertRow,
    alertStatus.submitted,
    also,
    atMost,
  )
}

/** Inside of a write: followers of what has ended, that a process left behind. False: some are left. */
export function settleLeftBehind(database: Database, now: number): boolean {
  const found = database.all<{ id: number; status: Ended }>(
    `SELECT DISTINCT first.id, first.status FROM alerts a JOIN alerts first ON first.id = a.follows
     WHERE a.follows IS NOT NULL AND a.status = 5 AND first.status IN (15, 20) LIMIT ?`,
    settledAtOnce,
  )
  let room = settledAtOnce
  for (const { id, status } of found) {
    room -= settleFollowers(database, id, status, now, room)
    if (room === 0) return false
  }
  return true
}

/** Whether some follow the alert of a run that has ended, and have not yet. */
export function hasUnsettled(database: Database, runUuid: string): boolean {
  const found = database.get(
    'SELECT 1 FROM alerts WHERE follows = (SELECT alert_id FROM runs WHERE uuid = ?) AND status = 5 LIMIT 1',
    runUuid.toLowerCase(),
  )
  return found !== undefined
}
