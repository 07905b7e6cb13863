import type Sqlite from 'better-sqlite3'
import type pg from 'pg'

/** A table in terms of both databases; texts are sorted. */
export interface DescribedTable {
  /** `name type [NOT NULL] [DEFAULT x] [GENERATED]`. */
  readonly columns: readonly string[]
  readonly primaryKey: string
  readonly unique: readonly string[]
  /** `columns -> table (columns) [ON DELETE …]`. */
  readonly foreignKeys: readonly string[]
  /** `[UNIQUE] name (columns or expressions) [WHERE …]`. */
  readonly indexes: readonly string[]
  readonly checks: readonly string[]
}

export type DescribedSchema = Readonly<Record<string, DescribedTable>>

/** Tables that one database needs for itself. */
const ownTables = /^(sqlite_|alert_search|tocsin_)/

const types: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text C',
  BLOB: 'bytea',
  REAL: 'double precision',
  // Facts and contents: numbers and blobs are written as text.
  ANY: 'text C',
}

/** SQL without the differences of notation. */
function plain(sql: string): string {
  return sql
    .replaceAll(/::(text|bigint|integer)\b/g, '')
    .replaceAll(/'(-?\d+)'/g, '$1')
    .replaceAll(/\b(ifnull|COALESCE)\b/g, 'coalesce')
    .replaceAll(/\biif\(([^,]*), ([^,]*), ([^)]*)\)/g, 'CASE WHEN $1 THEN $2 ELSE $3 END')
    .replaceAll('"', '')
    .replaceAll(/\(\s*|\s*\)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' ,', ',')
    .trim()
}

export function describeSqlite(database: Sqlite.Database): DescribedSchema {
  const all = <Row>(sql: string, ...values: unknown[]): readonly Row[] =>
    database.prepare(sql).all(...values) as Row[]
  const tables = all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name`,
  )
  const describe = (name: string, sql: string): DescribedTable => {
    const columns = all<SqliteColumn>('SELECT * FROM pragma_table_xinfo(?)', name)
    const constraints = all<{ name: string; origin: string }>(
      'SELECT name, origin FROM pragma_index_list(?)',
      name,
    )
    const partsOf = (index: string): readonly IndexPart[] =>
      all<IndexPart>('SELECT name, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno', index)
    return {
      columns: columns.map(sqliteColumn),
      primaryKey: columns
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map((column) => column.name)
        .join(', '),
      unique: constraints
        .filter(({ origin }) => origin === 'u')
        .map((index) => partsOf(index.name))
        // Replaced by unique indexes on lower().
        .filter((parts) => parts.every(({ coll }) => coll !== 'NOCASE'))
        .map((parts) => parts.map((part) => part.name).join(', '))
        .toSorted(),
      foreignKeys: foreignKeysOf(
        all<SqliteForeignKey>('SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq', name),
      ),
      indexes: all<{ sql: string }>(
        `SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`,
        name,
      )
        .map((index) => indexOf(index.sql))
        .toSorted(),
      checks: [...sql.matchAll(/CHECK \((.*)\)/g)].map(([, check = '']) => plain(check)),
    }
  }
  return Object.fromEntries(
    tables.filter(({ name }) => !ownTables.test(name)).map(({ name, sql }) => [name, describe(name, sql)]),
  )
}

interface IndexPart {
  readonly name: string
  readonly coll: string
}

interface SqliteColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

const sqliteColumn = ({ name, type, notnull, pk, dflt_value: given, hidden }: SqliteColumn): string =>
  columnOf(name, types[type] ?? type, notnull === 1 || pk > 0, given, hidden > 1)

const columnOf = (
  name: string,
  type: string,
  isRequired: boolean,
  given: string | null,
  isGenerated: boolean,
): string =>
  `${name} ${type}${isRequired ? ' NOT NULL' : ''}${given === null ? '' : ` DEFAULT ${plain(given)}`}${isGenerated ? ' GENERATED' : ''}`

interface SqliteForeignKey {
  readonly id: number
  readonly table: string
  readonly from: string
  readonly to: string
  readonly on_delete: string
}

const foreignKeysOf = (parts: readonly SqliteForeignKey[]): readonly string[] =>
  parts
    .map(
      ({ from, table, to, on_delete: deletes }) =>
        `${from} -> ${table} (${to})${deletes === 'NO ACTION' ? '' : ` ON DELETE ${deletes}`}`,
    )
    .toSorted()

function indexOf(sql: string): string {
  const [, unique = '', name = '', rest = ''] =
    /^CREATE (UNIQUE )?INDEX (\w+) ON \S+ ?(?:USING btree )?([^]*)$/.exec(sql) ?? []
  const [parts = '', where] = rest.split(/ WHERE /)
  // An index of SQLite ends with the key whether that is said or not.
  const named = unique === '' ? plain(parts).replace(/, id$/, '') : plain(parts)
  return `${unique}${name} (${named})${where === undefined ? '' : ` WHERE ${plain(where)}`}`
}

export async function describePostgresSchema(client: pg.Client): Promise<DescribedSchema> {
  const rows = async <Row>(sql: string): Promise<readonly Row[]> => (await client.query(sql)).rows as Row[]
  // A trigger generates the columns of the audit log.
  const columns = await rows<{
    table: string
    name: string
    type: string
    required: boolean
    given: string | null
    generated: boolean
  }>(`
    SELECT c.relname AS "table", a.attname AS name, a.attnotnull AS required,
      a.attgenerated <> '' OR c.relname = 'audit' AND a.attname NOT IN ('id', 'entry', 'hash') AS generated,
      format_type(a.atttypid, NULL) || CASE WHEN l.collname IS NULL THEN '' ELSE ' ' || l.collname END AS type,
      CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS given
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname, a.attnum`)
  const constraints = await rows<{ table: string; type: string; definition: string }>(`
    SELECT c.relname AS "table", k.contype AS type, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace = 'public'::regnamespace`)
  const indexes = await rows<{ table: string; definition: string }>(`
    SELECT c.relname AS "table", pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))`)
  const describe = (table: string): DescribedTable => {
    const given = (type: string): readonly string[] =>
      constraints
        .filter((row) => row.table === table && row.type === type)
        .map(({ definition }) => definition)
    const inParentheses = (definition: string): string =>
      /\((.*)\)/.exec(definition)?.[1]?.replaceAll('"', '') ?? ''
    return {
      columns: columns
        .filter((row) => row.table === table)
        .map(({ name, type, required, given: value, generated }) =>
          columnOf(name, type, required, value, generated),
        ),
      primaryKey: given('p').map(inParentheses).join(),
      unique: given('u').map(inParentheses).toSorted(),
      foreignKeys: given('f')
        .map((definition) =>
          definition.replace(/^FOREIGN KEY \((.*)\) REFERENCES (\w+)\((.*)\)/, '$1 -> $2 ($3)'),
        )
        .toSorted(),
      indexes: indexes
        .filter((row) => row.table === table)
        .map(({ definition }) => indexOf(definition))
        .toSorted(),
      checks: given('c').map((definition) => plain(inParentheses(definition))),
    }
  }
  const names = [...new Set(columns.map(({ table }) => table))].filter((name) => !ownTables.test(name))
  return Object.fromEntries(names.map((name) => [name, describe(name)]))
}
