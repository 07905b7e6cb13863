import { closeSync, openSync } from 'node:fs'
import { ConflictError } from '../../../core/errors/errors.ts'
import { SqliteConnection } from '../database/connection.ts'
import { asOpeningError } from './opening-errors.ts'

/** A file in the backup beside the database. */
export interface BackupEntry {
  /** With slashes, e.g. `playbooks/phishing.yaml`. */
  readonly name: string
  readonly content: Uint8Array
}

/**
 * Writes a consistent copy of the database during other writes, with the files in a table in the format of `sqlite3 -A`, and
 * verifies it by reading it again.
 *
 * @param target must not exist
 *
 * @throws UnavailableError; ConflictError `database_damaged`
 */
export function writeBackupFile(
  databasePath: string,
  target: string,
  files: readonly BackupEntry[],
  now: number,
): void {
  // Creates the file readable by its owner only; SQLite accepts an empty file.
  closeSync(openSync(target, 'wx', 0o600))
  using(databasePath, (database) => database.run('VACUUM INTO ?', target))
  using(target, (backup) => {
    backup.pragma('journal_mode = DELETE')
    backup.script('CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)')
    const seconds = Math.floor(now / 1000)
    for (const { name, content } of files)
      backup.run('INSERT INTO sqlar VALUES (?, ?, ?, ?, ?)', name, 0o100600, seconds, content.length, content)
    requireIntact(backup)
  })
}

/** Throws ConflictError `database_damaged`. */
export function requireIntact(database: SqliteConnection): void {
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
export function keptFiles(backup: SqliteConnection): readonly BackupEntry[] {
  if (backup.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sqlar'`) === undefined) {
    throw notABackup()
  }
  return backup.all<BackupEntry>('SELECT name, data AS content FROM sqlar ORDER BY name')
}

export function notABackup(): ConflictError {
  return new ConflictError('not_a_backup', 'the file was not made by `tocsin backup`', {
    hint: 'use a file written by `tocsin backup`',
  })
}

/** Opens the file for `use`, and closes it. Throws UnavailableError for an unreadable file, and what `use` throws. */
export function using<T>(path: string, use: (database: SqliteConnection) => T): T {
  const database = new SqliteConnection(path)
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
