import Sqlite from 'better-sqlite3'
import { UnavailableError } from '../../../core/errors/errors.ts'

/** How long a caller who was refused is asked to wait. */
const retryAfterMs = 1000

export const checkDisk = 'Check the disk that holds the data directory, and the system log.'
const noRight = 'Let the user who runs Tocsin write to the data directory.'
// To SQLite, a page that the disk fails to read (EIO) is one that is damaged.
const damaged =
  'The database file is damaged, or its disk fails: `tocsin doctor` tells which. If it is damaged, stop Tocsin and restore a backup.'
const othersWrite = 'Another process is writing to the database for a long time; try again.'

/** SQLite's primary result codes that speak of the disk, the file or another process, with what to do. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['SQLITE_FULL', 'Free space on the disk that holds the data directory.'],
  ['SQLITE_IOERR', checkDisk],
  ['SQLITE_CANTOPEN', checkDisk],
  ['SQLITE_NOMEM', 'Give the process more memory.'],
  ['SQLITE_READONLY', noRight],
  ['SQLITE_PERM', noRight],
  ['SQLITE_BUSY', othersWrite],
  ['SQLITE_LOCKED', othersWrite],
  ['SQLITE_PROTOCOL', othersWrite],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', damaged],
])

/**
 * True for what the disk, the file or another process did: the whole transaction is in doubt. False for a broken constraint
 * and for everything thrown on purpose, which concern one write only.
 */
export function isStorageFailure(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Sqlite.SqliteError && remedies.has(primaryCode(error.code))
}

/** Without the detail that extended codes append: `SQLITE_IOERR_FSYNC` is a `SQLITE_IOERR`. */
function primaryCode(code: string): string {
  return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
}

/** What a caller is told when the store cannot answer. */
export function storeUnavailable(cause: unknown): UnavailableError {
  const code = isStorageFailure(cause) ? cause.code : 'unknown'
  const message = cause instanceof Error ? cause.message : String(cause)
  return new UnavailableError('store_unavailable', `the store cannot take this now: ${message}`, {
    retryAfterMs,
    hint: remedies.get(primaryCode(code)),
    details: { sqlite_code: code },
    cause,
  })
}

export function storeClosed(): UnavailableError {
  return new UnavailableError('store_closed', 'the store is closed: the process is shutting down', {
    retryAfterMs: 5000,
  })
}

export function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof Sqlite.SqliteError &&
    (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
  )
}
