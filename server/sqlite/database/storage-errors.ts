import Sqlite from 'better-sqlite3'
import { UnavailableError } from '../../../core/errors/errors.ts'

/** Retry delay for refused callers. */
const retryAfterMs = 1000

export const checkDisk = 'Check the disk that holds the data directory, and the system log.'
const noRight = 'Give the user of the server write access to the data directory.'
// SQLite reports an unreadable page (EIO) as a damaged one.
const damaged =
  'The database file is damaged or its disk fails: run `tocsin doctor` to find out. If the file is damaged, stop Tocsin and restore a backup.'
const othersWrite = 'Another process is writing to the database; try again.'

/** SQLite's primary result codes about the disk, the file or another process, with hints. */
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
 * True for errors of the disk, the file or another process, which affect the whole transaction. False for a
 * constraint violation and for deliberate errors, which affect one write only.
 */
export function isStorageFailure(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Sqlite.SqliteError && remedies.has(primaryCode(error.code))
}

/** Without the detail that extended codes append: `SQLITE_IOERR_FSYNC` is a `SQLITE_IOERR`. */
function primaryCode(code: string): string {
  return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
}

/** The error for callers when the store is unavailable. */
export function storeUnavailable(cause: unknown): UnavailableError {
  const code = isStorageFailure(cause) ? cause.code : 'unknown'
  const message = cause instanceof Error ? cause.message : String(cause)
  return new UnavailableError('store_unavailable', `the store cannot write now: ${message}`, {
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
