import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { ConflictError } from '../../../core/errors/errors.ts'
import { SqliteConnection } from '../../sqlite/database/connection.ts'
import { requireCurrent } from '../../sqlite/database/migrate.ts'
import { readMigration, writeMigration, type SqliteMigration } from '../../sqlite/file/migration-file.ts'
import { openDatabase } from '../../sqlite/file/open-database.ts'
import { asOpeningError } from '../../sqlite/file/opening-errors.ts'
import { markedError, type MigrationMark } from '../../store/migration-mark.ts'
import { dropSqliteIndexes } from './indexes.ts'
import { tablesOf, type CopiedTable } from './tables.ts'

/** A path for people who may be on another machine. */
export const onThisMachine = (path: string): string => `${path} on ${hostname()}`

/** Opens a database that is only read. Throws ConflictError, such as `database_too_old`, and UnavailableError. */
export function openOriginal(path: string): SqliteConnection {
  const database = new SqliteConnection(path)
  try {
    database.pragma('cache_size = -65536')
    requireCurrent(database)
    return database
  } catch (error) {
    database.close()
    throw asOpeningError(path, error)
  }
}

/** The same for all states of one database, and different for others. */
export function identityOfData(database: SqliteConnection): string {
  const [entry] = database.all<{ hash: string }>('SELECT hash FROM audit WHERE id = 1')
  const key = database.get<{ value: string | Uint8Array }>(
    `SELECT value FROM facts WHERE name = 'cursor_key'`,
  )
  const value = key?.value ?? ''
  const text = typeof value === 'string' ? value : Buffer.from(value).toString('base64')
  return createHash('sha256')
    .update(`${entry?.hash ?? ''} ${text}`)
    .digest('hex')
}

export const sizeOf = (database: SqliteConnection): number =>
  Number(database.pragma('page_count')) * Number(database.pragma('page_size'))

/** The largest numbers that were used in tables whose numbers are never used twice. */
export function readSqliteCounters(
  database: SqliteConnection,
  tables: readonly CopiedTable[],
): ReadonlyMap<string, number> {
  if (tables.every(({ counted }) => counted === undefined)) return new Map()
  const rows = database.all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
  return new Map(rows.map(({ name, seq }) => [name, seq]))
}

export function setSqliteCounters(database: SqliteConnection, used: ReadonlyMap<string, number>): void {
  for (const [name, last] of used)
    if (database.run('UPDATE sqlite_sequence SET seq = ? WHERE name = ?', last, name) === 0)
      database.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', name, last)
}

export interface SqliteTarget {
  readonly database: SqliteConnection
  readonly tables: readonly CopiedTable[]
  readonly indexes: readonly string[]
}

/**
 * Prepares a new file, or the unfinished copy of the same data, for rows: the schema without indexes.
 *
 * @throws ConflictError `data_dir_not_empty`, `migration_of_other_data`, `migration_outdated`, `data_moved`
 */
export function prepareSqliteTarget(path: string, mark: MigrationMark): SqliteTarget {
  const found = readMigration(path)
  if (found === undefined) {
    if (existsSync(path)) throw notEmpty(path)
    writeMigration(path, mark)
  } else requireSame(found, mark, path)
  const database = openDatabase(path, { isUnfinished: true })
  try {
    database.pragma('foreign_keys = OFF')
    // Survives kills; after a power failure the last rows may be missing, and are copied again.
    database.pragma('synchronous = NORMAL')
    database.pragma('cache_size = -131072')
    database.pragma('temp_store = DEFAULT')
    const indexes = found?.indexes ?? takeIndexes(database, path, mark)
    return { database, tables: tablesOf(database), indexes }
  } catch (error) {
    database.close()
    throw error
  }
}

/** They are noted before they are dropped. A kill in between only makes the copy slower. */
function takeIndexes(database: SqliteConnection, path: string, mark: MigrationMark): readonly string[] {
  database.script('BEGIN IMMEDIATE')
  const indexes = dropSqliteIndexes(database)
  writeMigration(path, { ...mark, indexes })
  database.script('COMMIT')
  return indexes
}

function requireSame(found: SqliteMigration, mark: MigrationMark, path: string): void {
  if (found.state === 'moved') throw markedError(found, path, 'use an empty data directory')
  const fix = 'Use another data directory (TOCSIN_DATA_DIR), or delete this unfinished copy.'
  if (found.source !== mark.source)
    throw new ConflictError(
      'migration_of_other_data',
      `${path} is an unfinished copy of other data (${found.other})`,
      { hint: fix },
    )
  if (found.version !== mark.version)
    throw new ConflictError(
      'migration_outdated',
      `the unfinished copy ${path} was begun by another version of Tocsin`,
      { hint: fix },
    )
}

const notEmpty = (path: string): ConflictError =>
  new ConflictError('data_dir_not_empty', `${path} already contains the data of a server`, {
    hint: 'Use an empty data directory (TOCSIN_DATA_DIR).',
  })
