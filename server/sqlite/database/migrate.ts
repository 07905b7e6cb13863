import { ConflictError } from '../../../core/errors/errors.ts'
import type { Database } from './database.ts'
import { migrations } from '../migrations/all-migrations.ts'
import { notATocsinDatabase } from '../file/opening-errors.ts'

/** Stands in the file's header and says whose it is: "Tocs". */
const applicationId = 0x546f6373

export function needsMigration(database: Database): boolean {
  return readVersion(database) < migrations.length
}

/**
 * Brings the tables up to this program, each step in a transaction of its own; a crash between two steps is continued at the
 * next start. A new file gets all of them in one, which waits for the disk a few times instead of four times a step. Throws
 * ConflictError `not_a_tocsin_database` and `database_too_new`, and changes nothing then.
 */
export function migrate(database: Database): void {
  refuseForeignFile(database)
  refuseNewerFile(database)
  const version = readVersion(database)
  if (version === 0) return takeSteps(database, 0, migrations.length)
  for (let step = version; step < migrations.length; step += 1) takeSteps(database, step, step + 1)
}

function takeSteps(database: Database, from: number, to: number): void {
  database.script('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(from, to)) database.script(step)
    database.pragma(`application_id = ${applicationId}`)
    database.pragma(`user_version = ${to}`)
    database.script('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.script('ROLLBACK')
    throw error
  }
}

function readVersion(database: Database): number {
  return Number(database.pragma('user_version'))
}

function refuseForeignFile(database: Database): void {
  if (database.pragma('application_id') === applicationId) return
  const tables = database.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')?.count ?? 0
  if (tables === 0 && readVersion(database) === 0) return
  throw notATocsinDatabase(database.path)
}

function refuseNewerFile(database: Database): void {
  const version = readVersion(database)
  if (version <= migrations.length) return
  throw new ConflictError(
    'database_too_new',
    `${database.path} has version ${version}, and this Tocsin knows versions up to ${migrations.length}`,
    { hint: 'Start the newer Tocsin, or restore the backup made before the upgrade.' },
  )
}
