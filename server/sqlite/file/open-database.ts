import { ConflictError } from '../../../core/errors/errors.ts'
import { SqliteConnection, type DatabaseOptions } from '../database/connection.ts'
import { migrate, needsMigration } from '../database/migrate.ts'
import { refuseMarked } from './migration-file.ts'
import { asOpeningError } from './opening-errors.ts'

// FULL: in WAL mode the driver's default (NORMAL) may lose commits on a loss of power. The fullfsync ones matter on macOS.
// No memory map: an I/O error there would kill the process instead of failing a statement.
const settings = [
  'synchronous = FULL',
  'fullfsync = ON',
  'checkpoint_fullfsync = ON',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'mmap_size = 0',
  'temp_store = MEMORY',
  'cache_size = -32768',
  'journal_size_limit = 67108864',
]

export interface OpenOptions extends DatabaseOptions {
  /** Opens the unfinished copy of `tocsin migrate`, for that command. Default: false. */
  readonly isUnfinished?: boolean
}

/**
 * Opens the file with settings that make commits durable, and migrates it. `beforeMigration` is called before a migration and may
 * throw.
 *
 * Throws ConflictError `not_a_tocsin_database`, `database_too_new`, `file_system_unfit`, `migration_unfinished` or `data_moved`, and
 * UnavailableError.
 */
export function openDatabase(
  path: string,
  options: OpenOptions = {},
  beforeMigration: () => void = () => undefined,
): SqliteConnection {
  if (options.isUnfinished !== true) refuseMarked(path)
  const database = new SqliteConnection(path, options)
  try {
    for (const setting of settings) database.pragma(setting)
    if (needsMigration(database)) beforeMigration()
    migrate(database)
    useWriteAheadLog(database)
    return database
  } catch (error) {
    database.close()
    throw asOpeningError(path, error)
  }
}

function useWriteAheadLog(database: SqliteConnection): void {
  if (database.pragma('journal_mode = WAL') === 'wal') return
  throw new ConflictError(
    'file_system_unfit',
    `the file system of ${database.path} does not support a write-ahead log`,
    {
      hint: 'Put the data directory on a local disk (TOCSIN_DATA_DIR).',
    },
  )
}
