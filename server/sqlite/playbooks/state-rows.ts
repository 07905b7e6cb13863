import { storedKeyOf } from '../../../core/state/apply-state.ts'
import {
  bytesOf,
  isKeyed,
  type StateAccess,
  type StateEntry,
  type StateKind,
  type StateRule,
  type StateSize,
} from '../../../core/state/state.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { insertRow } from '../context/rows.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import type { StoreContext } from '../context/store-context.ts'

export interface StateRow {
  readonly id: number
  readonly name: string
  readonly kind: StateKind
  readonly sensitive: number
  readonly entries: number
  readonly bytes: number
}

export const findState = (
  database: Database,
  organization: number,
  playbook: string,
  name: string,
): StateRow | undefined =>
  database.get<StateRow>(
    `SELECT id, name, kind, sensitive, entries, bytes FROM playbook_states
     WHERE organization_id = ? AND playbook_name = ? AND name = ?`,
    organization,
    playbook,
    name,
  )

export const toSize = ({ kind, sensitive, entries, bytes }: StateRow): StateSize => ({
  kind,
  isSensitive: sensitive === 1,
  entries,
  bytes,
})

const { stateValue } = sealedColumns
const openedValue = opened(stateValue.name, stateValue.place)

export function findStateEntry(database: Database, { id }: StateRow, key: string): StateEntry | undefined {
  const row = database.get<{ value: string | null; addedAt: number; expiresAt: number | null }>(
    `SELECT ${openedValue} AS value, added_at AS addedAt, expires_at AS expiresAt
     FROM state_entries WHERE state_id = ? AND key = ?`,
    id,
    key,
  )
  return row && { ...row, value: row.value === null ? null : fromJson(row.value) }
}

/** The key under which an entry is stored. */
export const stateKey = ({ name, kind, sensitive }: StateRow, playbook: string, key: string): string =>
  !isKeyed(kind) ? '' : sensitive === 1 ? storedKeyOf(playbook, name, key) : key

/** Inside of a write. */
export function removeState(database: Database, id: number): void {
  database.run('DELETE FROM state_entries WHERE state_id = ?', id)
  database.run('DELETE FROM playbook_states WHERE id = ?', id)
}

/** Inside of a write: subtracts the deleted bytes from the sizes of the states. */
function shrinkStates(
  database: Database,
  removed: readonly { readonly stateId: number; readonly bytes: number }[],
): void {
  for (const [id, rows] of Map.groupBy(removed, ({ stateId }) => stateId)) {
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
    database.run(
      'UPDATE playbook_states SET entries = entries - ?, bytes = bytes - ? WHERE id = ?',
      rows.length,
      bytes,
      id,
    )
  }
}

const removedColumns = 'RETURNING state_id AS stateId, bytes'

/** The state of a playbook in an organization, inside of a write. */
export function stateAccess(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  organization: number,
  playbook: string,
): StateAccess {
  const find = (name: string) => findState(database, organization, playbook, name)
  const remove = (sql: string, ...values: (string | number)[]) =>
    shrinkStates(
      database,
      database.all(`DELETE FROM state_entries WHERE ${sql} ${removedColumns}`, ...values),
    )
  return {
    size(name) {
      const row = find(name)
      return row && toSize(row)
    },
    entry(name, key) {
      const row = find(name)
      return row && findStateEntry(database, row, key)
    },
    put(name, key, entry, rule) {
      const id =
        find(name)?.id ?? addState(database, { organization, playbook, name, rule, now: clock.now() })
      remove('state_id = ? AND key = ?', id, key)
      putEntry(database, id, key, entry, rule.sensitive)
      database.run(
        'UPDATE playbook_states SET entries = entries + 1, bytes = bytes + ?, changed_at = ? WHERE id = ?',
        bytesOf(key, entry.value),
        clock.now(),
        id,
      )
    },
    remove(name, key) {
      const row = find(name)
      if (row !== undefined) remove('state_id = ? AND key = ?', row.id, key)
    },
    reset(name) {
      const row = find(name)
      if (row !== undefined) removeState(database, row.id)
    },
    trim(name, now, keep) {
      const row = find(name)
      if (row === undefined) return
      remove('state_id = ? AND expires_at <= ?', row.id, now)
      const many = (find(name)?.entries ?? 0) - keep
      if (many <= 0) return
      const oldest = 'SELECT id FROM state_entries WHERE state_id = ? ORDER BY added_at, id LIMIT ?'
      remove(`id IN (${oldest})`, row.id, many)
    },
    usage: () => usageOf(database, organization, playbook),
  }
}

interface NewState {
  readonly organization: number
  readonly playbook: string
  readonly name: string
  readonly rule: Pick<StateRule, 'kind' | 'sensitive'>
  readonly now: number
}

const addState = (database: Database, { organization, playbook, name, rule, now }: NewState): number =>
  insertRow(database, 'playbook_states', {
    organizationId: organization,
    playbookName: playbook,
    name,
    kind: rule.kind,
    sensitive: rule.sensitive ? 1 : 0,
    changedAt: now,
  })

function putEntry(
  database: Database,
  state: number,
  key: string,
  entry: StateEntry,
  isSensitive: boolean,
): void {
  const value = entry.value === null ? null : toJson(entry.value)
  insertRow(database, 'state_entries', {
    stateId: state,
    key,
    value: database.kept(value, isSensitive, `state ${state} ${key}`),
    bytes: bytesOf(key, entry.value),
    addedAt: entry.addedAt,
    expiresAt: entry.expiresAt,
  })
}

function usageOf(
  database: Database,
  organization: number,
  playbook: string,
): ReturnType<StateAccess['usage']> {
  return database.one(
    `SELECT total(bytes) AS organization, total(iif(playbook_name = ?, bytes, 0)) AS playbook
     FROM playbook_states WHERE organization_id = ?`,
    playbook,
    organization,
  )
}

/** Inside of a write: deletes entries of states that have expired. Gives their number. */
export function clearExpiredEntries(database: Database, now: number, limit: number): number {
  const expired = 'SELECT id FROM state_entries WHERE expires_at <= ?'
  // Mostly there are none, and a DELETE without rows costs as much as one with rows.
  if (database.get(`${expired} LIMIT 1`, now) === undefined) return 0
  return deleteEntries(database, `${expired} ORDER BY expires_at LIMIT ?`, now, limit)
}

/** States that have not changed since a time, of a playbook that was removed before it. */
const abandoned = `
  SELECT id FROM playbook_states t WHERE t.changed_at <= ?
    AND NOT EXISTS (SELECT 1 FROM playbooks p WHERE p.name = t.playbook_name AND p.newest = 1
      AND (p.removed_at IS NULL OR p.removed_at > ?))`

/**
 * Inside of a write: deletes the states of playbooks that were removed by then, at most this many
 * entries.
 */
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
