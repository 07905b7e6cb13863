import { ConflictError } from '../../../core/errors/errors.ts'
import type { PostgresConnection } from '../driver/connection.ts'
import type { SqliteConnection } from '../../sqlite/database/connection.ts'

/** As SQLite names it. `FACT`: a number, a text or a blob in SQLite; text, with blobs in base64, in PostgreSQL. */
export type ColumnType = 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'FACT'

export interface CopiedColumn {
  readonly name: string
  readonly type: ColumnType
}

/** A table whose rows are copied. */
export interface CopiedTable {
  readonly name: string
  /** Without those that the database fills. */
  readonly columns: readonly CopiedColumn[]
  /** Generated in SQLite; PostgreSQL may fill them by a trigger. */
  readonly filled: readonly string[]
  /** The primary key. */
  readonly key: readonly CopiedColumn[]
  /** The rows that are copied, in SQL of both databases. */
  readonly where: string | undefined
  /** The column whose numbers are never used twice, also after the newest row was deleted. */
  readonly counted: string | undefined
}

/**
 * Tables that belong to one database: those of SQLite and of its search index, what PostgreSQL counts for its nodes, and the mark of a
 * migration. Processes (`nodes`) do not move with the data.
 */
const notCopied = /^(sqlite_|alert_search|tocsin_|nodes$)/

/** `cluster_id` tells databases apart, and the search index of the alerts is built again. */
const copiedRows: Readonly<Record<string, string>> = {
  facts: `name NOT IN ('cluster_id', 'alerts_indexed_to')`,
}

const postgresTypes: Readonly<Record<ColumnType, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text',
  BLOB: 'bytea',
  REAL: 'double precision',
  FACT: 'text',
}

interface SqliteColumn {
  readonly name: string
  readonly type: Exclude<ColumnType, 'FACT'> | 'ANY'
  /** Position in the primary key, from 1; 0: not in it. */
  readonly pk: number
  /** Above 1: generated. */
  readonly hidden: number
}

/** The tables of a data directory, sorted by name. */
export function tablesOf(database: SqliteConnection): readonly CopiedTable[] {
  const found = database.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name`,
  )
  return found
    .filter(({ name }) => !notCopied.test(name))
    .map(({ name, sql }) => {
      const all = database.all<SqliteColumn>(
        'SELECT name, type, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid',
        name,
      )
      const columnOf = ({ name: column, type }: SqliteColumn): CopiedColumn => ({
        name: column,
        type: type !== 'ANY' ? type : name === 'facts' ? 'FACT' : 'TEXT',
      })
      const key = all
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map(columnOf)
      return {
        name,
        columns: all.filter(({ hidden }) => hidden === 0).map(columnOf),
        filled: all.filter(({ hidden }) => hidden !== 0).map((column) => column.name),
        key,
        where: copiedRows[name],
        counted: / AUTOINCREMENT\b/i.test(sql) ? key[0]?.name : undefined,
      }
    })
}

interface PostgresColumn {
  readonly table: string
  readonly name: string
  readonly type: string
}

/** Throws ConflictError `schemas_differ` if PostgreSQL has other tables or columns: a bug. */
export async function requireSameTables(
  tables: readonly CopiedTable[],
  connection: PostgresConnection,
): Promise<void> {
  const { rows } = await connection.query(`
    SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind = 'r'`)
  const filled = new Set(tables.flatMap((table) => table.filled.map((name) => `${table.name}.${name}`)))
  const there = (rows as readonly PostgresColumn[])
    .filter(({ table, name }) => !notCopied.test(table) && !filled.has(`${table}.${name}`))
    .map(({ table, name, type }) => `${table}.${name} ${type}`)
  const here = tables.flatMap((table) =>
    table.columns.map(({ name, type }) => `${table.name}.${name} ${postgresTypes[type]}`),
  )
  const [different] = [...new Set(here).symmetricDifference(new Set(there))]
  if (different === undefined) return
  throw new ConflictError('schemas_differ', `only one of the two databases has ${different}`, {
    hint: 'This is a bug in Tocsin; nothing was copied. Please report it.',
  })
}
