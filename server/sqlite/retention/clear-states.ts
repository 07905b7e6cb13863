import type { Database } from '../database/database.ts'
import { shrinkStates } from '../playbooks/state-rows.ts'

/** Inside of a write: deletes entries of states that have expired. Gives their number. */
export function clearExpiredEntries(database: Database, now: number, limit: number): number {
  const expired = 'SELECT id FROM state_entries WHERE expires_at <= ?'
  // Mostly there are none, and a DELETE without rows costs as much as one with rows.
  if (database.get(`${expired} LIMIT 1`, now) === undefined) return 0
  return deleteEntries(database, `${expired} ORDER BY expires_at LIMIT ?`, now, limit)
}

/** Not changed since a time, of a playbook that was removed before it. */
const abandoned = `
  SELECT id FROM playbook_states t WHERE t.changed_at <= ?
    AND NOT EXISTS (SELECT 1 FROM playbooks p WHERE p.name = t.playbook_name AND p.newest = 1
      AND (p.removed_at IS NULL OR p.removed_at > ?))`

/** Inside of a write: deletes what playbooks kept that were removed by then, at most so many entries. */
export function clearAbandonedStates(database: Database, by: number, limit: number): void {
  deleteEntries(
    database,
    `SELECT id FROM state_entries WHERE state_id IN (${abandoned}) LIMIT ?`,
    by,
    by,
    limit,
  )
  database.run(`DELETE FROM playbook_states WHERE entries = 0 AND id IN (${abandoned})`, by, by)
}

function deleteEntries(database: Database, selected: string, ...values: number[]): number {
  const removed = database.all<{ stateId: number; bytes: number }>(
    `DELETE FROM state_entries WHERE id IN (${selected}) RETURNING state_id AS stateId, bytes`,
    ...values,
  )
  shrinkStates(database, removed)
  return removed.length
}
