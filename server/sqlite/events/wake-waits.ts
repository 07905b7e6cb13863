import type { Database } from '../database/database.ts'
import { wakeRun } from '../runs/run-turns.ts'

const anyType = '*'

export const waitKeysOf = (types: readonly string[] | null): readonly string[] =>
  types === null ? [anyType] : types.map((type) => `:${type}`)

interface WaitRow {
  readonly id: number
  readonly runRow: number
  readonly uuid: string
  readonly organizationUuid: string
}

const selectWaits = `
  SELECT k.wait_id AS id, w.run_id AS runRow, r.uuid, o.uuid AS organizationUuid FROM event_wait_keys k
    CROSS JOIN event_waits w ON w.id = k.wait_id CROSS JOIN runs r ON r.id = w.run_id
    CROSS JOIN organizations o ON o.id = k.organization_id
  WHERE k.organization_id = ? AND k.key IN (?, ?)`

/**
 * Inside of the write that stores an alert: wakes the runs that wait for one of its type. Each wakes once, and arms its wait again
 * when it has looked, so a flood of alerts writes to each wait once. No alert since the wait was armed fits, so the run looks from
 * this one on.
 */
export function wakeWaits(
  database: Database,
  {
    row,
    organizationRow,
    type,
  }: { readonly row: number; readonly organizationRow: number; readonly type: string | null },
): void {
  const waits = database.all<WaitRow>(selectWaits, organizationRow, anyType, `:${type ?? ''}`)
  for (const { id, runRow, uuid, organizationUuid } of waits) {
    disarm(database, id)
    database.run('UPDATE event_waits SET position = max(position, ?) WHERE id = ?', row - 1, id)
    wakeRun(database, runRow)
    database.onWoken({ uuid, organizationUuid })
  }
}

export const isArmed = (database: Database, wait: number): boolean =>
  database.get('SELECT 1 FROM event_wait_keys WHERE wait_id = ? LIMIT 1', wait) !== undefined

export const disarm = (database: Database, wait: number): void =>
  void database.run('DELETE FROM event_wait_keys WHERE wait_id = ?', wait)

/** Inside of the write that ends a run. Most runs wait for no events, and a DELETE without rows costs as much as one with rows. */
export function forgetWaits(database: Database, run: number): void {
  if (database.get('SELECT 1 FROM event_waits WHERE run_id = ? LIMIT 1', run) === undefined) return
  database.run(
    'DELETE FROM event_wait_keys WHERE wait_id IN (SELECT id FROM event_waits WHERE run_id = ?)',
    run,
  )
  database.run('DELETE FROM event_waits WHERE run_id = ?', run)
}
