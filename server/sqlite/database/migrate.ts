import { ConflictError } from '../../../core/errors/errors.ts'
import type { SqliteConnection } from './connection.ts'
import { migrations } from '../migrations/all-migrations.ts'
import { databaseTooOld } from '../../store/migration-mark.ts'
import { notATocsinDatabase } from '../file/opening-errors.ts'

/** The application id in the file's header: "Tocs". */
const applicationId = 0x546f6373

export function needsMigration(database: SqliteConnection): boolean {
  return readVersion(database) < migrations.length
}

/** Throws ConflictError `not_a_tocsin_database`, `database_too_new` or `database_too_old`; changes nothing. */
export function requireCurrent(database: SqliteConnection): void {
  refuseForeignFile(database)
  refuseNewerFile(database, migrations.length)
  if (!needsMigration(database)) return
  throw databaseTooOld(database.path, readVersion(database), migrations.length)
}

/**
 * Applies pending migrations, each in its own transaction; after a crash, the next start continues. A new
 * file gets all of them in one transaction with a single fsync. Throws ConflictError `not_a_tocsin_database`
 * and
 * `database_too_new`, without changing anything.
 */
export function migrate(database: SqliteConnection, steps: readonly string[] = migrations): void {
  refuseForeignFile(database)
  refuseNewerFile(database, steps.length)
  const version = readVersion(database)
  if (version === 0) return applySteps(database, steps, 0, steps.length)
  for (let step = version; step < steps.length; step += 1) applySteps(database, steps, step, step + 1)
}

function applySteps(database: SqliteConnection, steps: readonly string[], from: number, to: number): void {
  database.script('BEGIN IMMEDIATE')
  try {
    for (const step of steps.slice(from, to)) database.script(step)
    database.pragma(`application_id = ${applicationId}`)
    database.pragma(`user_version = ${to}`)
    database.script('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.script('ROLLBACK')
    throw error
  }
}

function readVersion(database: SqliteConnection): number {
  return Number(database.pragma('user_version'))
}

function refuseForeignFile(database: SqliteConnection): void {
  if (database.pragma('application_id') === applicationId) return
  const tables = database.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')?.count ?? 0
  if (tables === 0 && readVersion(database) === 0) return
  throw notATocsinDatabase(database.path)
}

function refuseNewerFile(database: SqliteConnection, newest: number): void {
  const version = readVersion(database)
  if (version <= newest) return
  throw new ConflictError(
    'database_too_new',
    `${database.path} has version ${version}, but this Tocsin supports versions up to ${newest}`,
    { hint: 'Start the newer Tocsin, or restore the backup made before the upgrade.' },
  )
}
