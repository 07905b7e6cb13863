import { markedError, type MigrationMark } from '../store/migration-mark.ts'

/** One session of PostgreSQL, such as a client of `pg`. */
export interface PostgresSession {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** The mark with what the migration itself needs to continue. */
export interface PostgresMigration extends MigrationMark {
  /** JSON of the indexes and constraints that are created at the end; empty: nothing was dropped yet. */
  readonly dropped: string
}

export const migrationTable = 'tocsin_migration'

const createTable = `CREATE TABLE ${migrationTable} (
  id bigint PRIMARY KEY CHECK (id = 1),
  state text NOT NULL,
  other text NOT NULL,
  source text NOT NULL,
  version bigint NOT NULL,
  at bigint NOT NULL,
  dropped text NOT NULL DEFAULT ''
)`

export async function readMigrationTable(session: PostgresSession): Promise<PostgresMigration | undefined> {
  const { rows } = await session.query(`SELECT to_regclass('${migrationTable}')::text AS found`)
  if ((rows as readonly { readonly found: string | null }[])[0]?.found == null) return undefined
  const marks = await session.query(
    `SELECT state, other, source, version::text AS version, at::text AS at, dropped FROM ${migrationTable}`,
  )
  const [mark] = marks.rows as readonly (Omit<PostgresMigration, 'version' | 'at'> & {
    readonly version: string
    readonly at: string
  })[]
  return mark && { ...mark, version: Number(mark.version), at: Number(mark.at) }
}

/** Inside of a transaction: the table must not appear without its row. */
export async function createMigrationTable(session: PostgresSession, mark: MigrationMark): Promise<void> {
  const { state, other, source, version, at } = mark
  await session.query(createTable)
  await session.query(
    `INSERT INTO ${migrationTable} (id, state, other, source, version, at) VALUES (1, $1, $2, $3, $4, $5)`,
    [state, other, source, version, at],
  )
}

/**
 * Throws ConflictError `migration_unfinished` or `data_moved`.
 *
 * @param database for people
 */
export async function refuseMarkedDatabase(session: PostgresSession, database: string): Promise<void> {
  const mark = await readMigrationTable(session)
  if (mark !== undefined)
    throw markedError(mark, `the database '${database}'`, `drop its table ${migrationTable}`)
}
