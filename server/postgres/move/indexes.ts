import { migrationTable, type PostgresSession } from '../migration-table.ts'
import type { SqliteConnection } from '../../sqlite/database/connection.ts'

/** An index or a constraint, which is created after the rows were copied: checked and sorted once. */
export interface Dropped {
  readonly table: string
  readonly name: string
  /** Of a constraint: without `ALTER TABLE`. */
  readonly definition: string
  readonly isConstraint: boolean
  /** References are checked after all tables were copied; they are in no order, and some point to later rows. */
  readonly isReference: boolean
}

interface FoundDropped extends Omit<Dropped, 'isConstraint' | 'isReference'> {
  /** As in pg_constraint; null for an index. */
  readonly type: string | null
}

/** Unique constraints and references, then the indexes that belong to none. */
const selectDropped = `
  SELECT t.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition, k.contype::text AS type
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
  WHERE t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND k.contype IN ('u', 'f')
  UNION ALL
  SELECT t.relname, c.relname, pg_get_indexdef(i.indexrelid), NULL
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
  WHERE t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND t.relname !~ '^tocsin_'
    AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
  ORDER BY 1, 2`

/** Drops them in one transaction, which also notes them in the mark of the migration. */
export async function dropIndexes(session: PostgresSession): Promise<readonly Dropped[]> {
  const { rows } = await session.query(selectDropped)
  const dropped = (rows as readonly FoundDropped[]).map(({ table, name, definition, type }): Dropped => ({
    table,
    name,
    definition,
    isConstraint: type !== null,
    isReference: type === 'f',
  }))
  const statements = dropped
    .toSorted((a, b) => Number(b.isReference) - Number(a.isReference))
    .map(({ table, name, isConstraint }) =>
      isConstraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`,
    )
  await session.query('BEGIN')
  await session.query(statements.join(';\n'))
  await session.query(`UPDATE ${migrationTable} SET dropped = $1`, [JSON.stringify(dropped)])
  await session.query('COMMIT')
  return dropped
}

/**
 * Creates those that are missing, each in its own transaction.
 *
 * @param onNext called before each, with its name
 */
export async function createIndexes(
  session: PostgresSession,
  dropped: readonly Dropped[],
  onNext: (name: string) => void,
): Promise<void> {
  const { rows } = await session.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
     UNION ALL SELECT conname FROM pg_constraint WHERE connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
  )
  const present = new Set((rows as readonly { readonly name: string }[]).map(({ name }) => name))
  for (const { table, name, definition, isConstraint } of dropped) {
    if (present.has(name)) continue
    onNext(name)
    await session.query(
      isConstraint ? `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}` : definition,
    )
  }
}

/** The statements that create the indexes of a new file, which are dropped. */
export function dropSqliteIndexes(database: SqliteConnection): readonly string[] {
  const found = database.all<{ readonly name: string; readonly sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`,
  )
  database.script(found.map(({ name }) => `DROP INDEX ${name};`).join('\n'))
  return found.map(({ sql }) => sql)
}

export function createSqliteIndexes(
  database: SqliteConnection,
  statements: readonly string[],
  onNext: (name: string) => void,
): void {
  for (const statement of statements) {
    const [, name = ''] = /^CREATE (?:UNIQUE )?INDEX (\w+) /.exec(statement) ?? []
    if (database.get('SELECT 1 FROM sqlite_schema WHERE name = ?', name) !== undefined) continue
    onNext(name)
    database.script(statement)
  }
}
