import type { Work } from '../database/work.ts'
import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** Columns whose names do not follow from their fields. */
export type ColumnNames = Readonly<Record<string, string>>

/** A value that the statement computes; always the same one for a field of a table. */
export class Computed {
  /** With one `?`. */
  readonly sql: string
  readonly value: SqlValue

  constructor(sql: string, value: SqlValue) {
    this.sql = sql
    this.value = value
  }
}

/** Values by field; undefined fields are left out. */
export type FieldValues = Readonly<Record<string, SqlValue | undefined>>
/** Of a new row. */
export type NewValues = Readonly<Record<string, SqlValue | Computed | undefined>>

/** `createdAt` to `created_at`. */
const columnOf = (field: string, names: ColumnNames = {}): string =>
  names[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Select list of the table with alias `t`, each column under the name of its field. */
export const selectList = (fields: readonly string[], names?: ColumnNames): string =>
  fields.map((field) => `t.${columnOf(field, names)} AS "${field}"`).join(', ')

export function pick<Row extends object, Field extends keyof Row>(
  row: Row,
  fields: readonly Field[],
): Pick<Row, Field> {
  const picked: Partial<Pick<Row, Field>> = {}
  for (const field of fields) picked[field] = row[field]
  return picked as Pick<Row, Field>
}

/**
 * The statements of a table by the fields that they set: one node per field, so that a statement is found without composing a key.
 * They come from a finite set of shapes.
 */
interface Shape {
  readonly next: Map<string, Shape>
  sql?: string
}

const newShape = (): Shape => ({ next: new Map() })
const inserts = newShape()
const newInserts = newShape()
const updates = newShape()

function follow({ next }: Shape, name: string): Shape {
  let shape = next.get(name)
  if (shape === undefined) next.set(name, (shape = newShape()))
  return shape
}

/** Inside of a write. Gives the key of the new row. */
export function* insertRow(
  database: Database,
  table: string,
  values: NewValues,
  names?: ColumnNames,
): Work<number> {
  const { sql, bound } = insertOf(table, values, names)
  return yield* database.insert(sql, ...bound)
}

/** Like `insertRow`, with the key that `Database.nextKey` gave, if it gave one. */
export function* insertKeyed(
  database: Database,
  table: string,
  key: number | undefined,
  values: NewValues,
  names?: ColumnNames,
): Work<number> {
  if (key === undefined) return yield* insertRow(database, table, values, names)
  const { sql, bound } = insertOf(table, { id: key, ...values }, names)
  yield* database.send(sql, ...bound)
  return key
}

/** Like `insertRow`, without waiting for the key, which `onKey` is told before the write ends. */
export function* sendRow(
  database: Database,
  table: string,
  values: NewValues,
  onKey: (key: number) => void,
  names?: ColumnNames,
): Work<undefined> {
  const { sql, bound } = insertOf(table, values, names)
  yield* database.sendInsert(onKey, sql, ...bound)
  return undefined
}

function insertOf(table: string, values: NewValues, names?: ColumnNames) {
  const bound: SqlValue[] = []
  const shape = shapeOf(follow(inserts, table), values, bound)
  shape.sql ??= composeInsert(table, values, names)
  return { sql: shape.sql, bound }
}

/** Like `insertRow`. Undefined: the table has a row with the same unique values. */
export function* insertNewRow(
  database: Database,
  table: string,
  values: NewValues,
  names?: ColumnNames,
): Work<number | undefined> {
  const bound: SqlValue[] = []
  const shape = shapeOf(follow(newInserts, table), values, bound)
  shape.sql ??= `${composeInsert(table, values, names)} ON CONFLICT DO NOTHING RETURNING id`
  return (yield* database.get<{ id: number }>(shape.sql, ...bound))?.id
}

/** Inside of a write: changes the given fields of the rows that `where` selects. Gives the number of rows. */
export function* updateRows(
  database: Database,
  table: string,
  values: FieldValues,
  where: { readonly sql: string; readonly values: readonly SqlValue[] },
  names?: ColumnNames,
): Work<number> {
  const { sql, bound } = updateOf(table, values, where.sql, names)
  return yield* database.run(sql, ...bound, ...where.values)
}

export function* updateRow(
  database: Database,
  table: string,
  id: number,
  values: FieldValues,
  names?: ColumnNames,
): Work<void> {
  const { sql, bound } = updateOf(table, values, 'id = ?', names)
  yield* database.send(sql, ...bound, id)
}

/** As `updateRow`, of a row that the write has not read: without it, the write fails. */
export function* changeOne(
  database: Database,
  table: string,
  id: number,
  values: FieldValues,
  names?: ColumnNames,
): Work<void> {
  const { sql, bound } = updateOf(table, values, 'id = ?', names)
  yield* database.change(sql, ...bound, id)
}

function updateOf(table: string, values: FieldValues, where: string, names?: ColumnNames) {
  const bound: SqlValue[] = []
  const shape = shapeOf(follow(follow(updates, table), where), values, bound)
  shape.sql ??= composeUpdate(table, given(values), where, names)
  return { sql: shape.sql, bound }
}

const given = (values: NewValues): readonly string[] =>
  Object.keys(values).filter((field) => values[field] !== undefined)

/** Appends the values of the given fields to `bound`. */
function shapeOf(start: Shape, values: NewValues, bound: SqlValue[]): Shape {
  let shape = start
  for (const field in values) {
    const value = values[field]
    if (value === undefined) continue
    shape = follow(shape, field)
    bound.push(value instanceof Computed ? value.value : value)
  }
  return shape
}

function composeInsert(table: string, values: NewValues, names?: ColumnNames): string {
  const fields = given(values)
  const columns = fields.map((field) => columnOf(field, names))
  const terms = fields.map((field) => {
    const value = values[field]
    return value instanceof Computed ? value.sql : '?'
  })
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${terms.join(', ')})`
}

function composeUpdate(table: string, fields: readonly string[], where: string, names?: ColumnNames): string {
  const columns = fields.map((field) => `${columnOf(field, names)} = ?`)
  return `UPDATE ${table} SET ${columns.join(', ')} WHERE ${where}`
}

/** A table whose rows are deleted after a time, its key, and the column with that time. */
export interface ExpiringTable {
  readonly table: string
  readonly key: string
  readonly until: string
}

export const expiringTables = {
  requests: { table: 'once_requests', key: 'api_key_uuid, key_hash', until: 'expires_at' },
  alertRequests: { table: 'alert_requests', key: 'api_key_uuid, idempotency_key', until: 'expires_at' },
  inboundCalls: { table: 'inbound_calls', key: 'connection_id, call', until: 'expires_at' },
  groups: { table: 'alert_groups', key: 'organization_id, fingerprint', until: 'ends_at' },
  sightings: { table: 'entity_sightings', key: 'organization_id, kind, value, at, alert', until: 'at' },
  firings: { table: 'entity_firings', key: 'organization_id, playbook_name, kind, value', until: 'at' },
  correlationKeys: { table: 'correlation_keys', key: 'organization_id, key', until: 'ends_at' },
  ratedStarts: { table: 'rated_starts', key: 'id', until: 'expires_at' },
  signOnAttempts: { table: 'sign_on_attempts', key: 'id', until: 'expires_at' },
  logoutTokens: { table: 'logout_tokens', key: 'hash', until: 'expires_at' },
  notifications: { table: 'notifications', key: 'id', until: 'at' },
  destructiveUses: { table: 'destructive_uses', key: 'run_id, path', until: 'used_at' },
} as const satisfies Readonly<Record<string, ExpiringTable>>

/** Rows that each new row deletes: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

/**
 * Inside of a write that adds a row to the table: deletes some rows whose time is over. Writes that overlap would wait for each other's
 * rows, so with several writers only the pruner deletes them.
 */
export function* makeRoom(database: Database, table: ExpiringTable, now: number): Work<void> {
  if (database.hasOneWriter) yield* deleteExpired(database, table, now)
}

/** Inside of a write: deletes rows whose time is over, the oldest first. Gives their number. */
export function* deleteExpired(
  database: Database,
  { table, key, until }: ExpiringTable,
  now: number,
  limit = clearedAtOnce,
): Work<number> {
  // Mostly there are none, and a DELETE without rows costs as much as one with rows. PostgreSQL uses the index because of the order.
  if (
    (yield* database.get(`SELECT 1 FROM ${table} WHERE ${until} <= ? ORDER BY ${until} LIMIT 1`, now)) ===
    undefined
  )
    return 0
  return yield* database.run(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${until} <= ? ORDER BY ${until} LIMIT ?)`,
    now,
    limit,
  )
}
