import type { Told, Statement, Work } from '../database/work.ts'
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
): Work<StateRow | undefined> =>
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

export function* findStateEntry(
  database: Database,
  { id }: StateRow,
  key: string,
): Work<StateEntry | undefined> {
  const row = yield* database.get<{ value: string | null; addedAt: number; expiresAt: number | null }>(
    `SELECT ${openedValue} AS value, added_at AS "addedAt", expires_at AS "expiresAt"
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
export function* removeState(database: Database, id: number): Work<void> {
  yield* database.run('DELETE FROM state_entries WHERE state_id = ?', id)
  yield* database.run('DELETE FROM playbook_states WHERE id = ?', id)
}

/** Inside of a write: subtracts the deleted bytes from the sizes of the states. */
function* shrinkStates(
  database: Database,
  removed: readonly { readonly stateId: number; readonly bytes: number }[],
): Work<void> {
  for (const [id, rows] of Map.groupBy(removed, ({ stateId }) => stateId)) {
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
    yield* database.run(
      'UPDATE playbook_states SET entries = entries - ?, bytes = bytes - ? WHERE id = ?',
      rows.length,
      bytes,
      id,
    )
  }
}

const removedColumns = 'RETURNING state_id AS "stateId", bytes'

/** The state of a playbook in an organization, inside of a write. */
export function stateAccess(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  organization: number,
  playbook: string,
): StateAccess<Statement, Told> {
  const find = (name: string) => findState(database, organization, playbook, name)
  const remove = function* (sql: string, ...values: (string | number)[]): Work<void> {
    const removed = `DELETE FROM state_entries WHERE ${sql} ${removedColumns}`
    yield* shrinkStates(database, yield* database.all(removed, ...values))
  }
  return {
    *size(name) {
      const row = yield* find(name)
      return row && toSize(row)
    },
    *entry(name, key) {
      const row = yield* find(name)
      return row && (yield* findStateEntry(database, row, key))
    },
    *put(name, key, entry, rule) {
      const id =
        (yield* find(name))?.id ??
        (yield* addState(database, { organization, playbook, name, rule, now: clock.now() }))
      yield* remove('state_id = ? AND key = ?', id, key)
      yield* putEntry(database, id, key, entry, rule.sensitive)
      yield* database.run(
        'UPDATE playbook_states SET entries = entries + 1, bytes = bytes + ?, changed_at = ? WHERE id = ?',
        bytesOf(key, entry.value),
        clock.now(),
        id,
      )
    },
    *remove(name, key) {
      const row = yield* find(name)
      if (row !== undefined) yield* remove('state_id = ? AND key = ?', row.id, key)
    },
    *reset(name) {
      const row = yield* find(name)
      if (row !== undefined) yield* removeState(database, row.id)
    },
    *trim(name, now, keep) {
      const row = yield* find(name)
      if (row === undefined) return
      yield* remove('state_id = ? AND expires_at <= ?', row.id, now)
      const many = ((yield* find(name))?.entries ?? 0) - keep
      if (many <= 0) return
      const oldest = 'SELECT id FROM state_entries WHERE state_id = ? ORDER BY added_at, id LIMIT ?'
      yield* remove(`id IN (${oldest})`, row.id, many)
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

const addState = (database: Database, { organization, playbook, name, rule, now }: NewState): Work<number> =>
  insertRow(database, 'playbook_states', {
    organizationId: organization,
    playbookName: playbook,
    name,
    kind: rule.kind,
    sensitive: rule.sensitive ? 1 : 0,
    changedAt: now,
  })

function* putEntry(
  database: Database,
  state: number,
  key: string,
  entry: StateEntry,
  isSensitive: boolean,
): Work<void> {
  const value = entry.value === null ? null : toJson(entry.value)
  yield* insertRow(database, 'state_entries', {
    stateId: state,
    key,
    value: database.kept(value, isSensitive, `state ${state} ${key}`),
    bytes: bytesOf(key, entry.value),
    addedAt: entry.addedAt,
    expiresAt: entry.expiresAt,
  })
}

function* usageOf(
  database: Database,
  organization: number,
  playbook: string,
): Work<{ readonly playbook: number; readonly organization: number }> {
  return yield* database.one(
    `SELECT coalesce(sum(bytes), 0) AS organization,
       coalesce(sum(CASE WHEN playbook_name = ? THEN bytes ELSE 0 END), 0) AS playbook
     FROM playbook_states WHERE organization_id = ?`,
    playbook,
    organization,
  )
}

/** Inside of a write: deletes entries of states that have expired. Gives their number. */
export function* clearExpiredEntries(database: Database, now: number, limit: number): Work<number> {
  const expired = 'SELECT id FROM state_entries WHERE expires_at <= ?'
  // Mostly there are none, and a DELETE without rows costs as much as one with rows.
  if ((yield* database.get(`${expired} LIMIT 1`, now)) === undefined) return 0
  return yield* deleteEntries(database, `${expired} ORDER BY expires_at LIMIT ?`, now, limit)
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
export function* clearAbandonedStates(database: Database, by: number, limit: number): Work<void> {
  yield* deleteEntries(
    database,
    `SELECT id FROM state_entries WHERE state_id IN (${abandoned}) LIMIT ?`,
    by,
    by,
    limit,
  )
  yield* database.run(`DELETE FROM playbook_states WHERE entries = 0 AND id IN (${abandoned})`, by, by)
}

function* deleteEntries(database: Database, selected: string, ...values: number[]): Work<number> {
  const removed = yield* database.all<{ stateId: number; bytes: number }>(
    `DELETE FROM state_entries WHERE id IN (${selected}) RETURNING state_id AS "stateId", bytes`,
    ...values,
  )
  yield* shrinkStates(database, removed)
  return removed.length
}
