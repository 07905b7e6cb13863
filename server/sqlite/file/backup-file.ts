import { closeSync, openSync } from 'node:fs'
import { ConflictError } from '../../../core/errors/errors.ts'
import { Database } from '../database/database.ts'
import { asOpeningError } from './opening-errors.ts'

/** A file that is kept in a backup beside the database. */
export interface KeptFile {
  /** With slashes, e.g. `playbooks/phishing.yaml`. */
  readonly name: string
  readonly content: Uint8Array
}

/**
 * Writes a backup: a database of its own, whole as of one moment whatever is written meanwhile, with the files in a table of the form that `sqlite3 -A`
 * knows. What it has written is read once more before it is believed.
 *
 * @param target must not be there
 * @throws UnavailableError; ConflictError `database_damaged`
 */
export function writeBackupFile(
  databasePath: string,
  target: string,
  files: readonly KeptFile[],
  now: number,
): void {
  // Made here for its owner's eyes; SQLite takes an empty file.
  closeSync(openSync(target, 'wx', 0o600))
  using(databasePath, (database) => database.run('VACUUM INTO ?', target))
  using(target, (backup) => {
    backup.pragma('journal_mode = DELETE')
    backup.script('CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)')
    const seconds = Math.floor(now / 1000)
    for (const { name, content } of files)
      backup.run('INSERT INTO sqlar VALUES (?, ?, ?, ?, ?)', name, 0o100600, seconds, content.length, content)
    requireWhole(backup)
  })
}

/** Throws ConflictError `database_damaged`. */
export function requireWhole(database: Database): void {
  const found = database.all<{ readonly integrity_check: string }>('PRAGMA integrity_check(1)')
  const [first] = found
  if (first?.integrity_check === 'ok') return
  throw new ConflictError(
    'database_damaged',
    `${database.path} is damaged: ${first?.integrity_check.replaceAll(/\s+/g, ' ') ?? ''}`,
    {
      hint: 'use another backup',
    },
  )
}

/** The files of a backup. Throws ConflictError `not_a_backup`. */
export function keptFiles(backup: Database): readonly KeptFile[] {
  if (backup.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sqlar'`) === undefined) {
    throw notABackup()
  }
  return backup.all<KeptFile>('SELECT name, data AS content FROM sqlar ORDER BY name')
}

export function notABackup(): ConflictError {
  return new ConflictError('not_a_backup', 'the file was not made by `tocsin backup`', {
    hint: 'give the file that `tocsin backup` wrote',
  })
}

/** Opens the file for `use`, and closes it. Throws what `use` throws, and UnavailableError where the file cannot be read. */
export function using<T>(path: string, use: (database: Database) => T): T {
  const database = new Database(path)
  let failure: unknown
  try {
    return use(database)
  } catch (error) {
    failure = error
  } finally {
    database.close()
  }
  throw asOpeningError(path, failure)
}
