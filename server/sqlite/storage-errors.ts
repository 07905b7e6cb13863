import Sqlite from 'better-sqlite3'
import { UnavailableError } from '../../core/errors/errors.ts'

/** How long a caller who was refused is asked to wait. */
const retryAfterMs = 1000

const hints: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'Free space on the disk that holds the data directory.',
  SQLITE_READONLY: 'Let the user who runs Tocsin write to the data directory.',
  SQLITE_IOERR: 'Check the disk that holds the data directory, and the system log.',
  SQLITE_BUSY: 'Another process is writing to the database for a long time; try again.',
  SQLITE_CORRUPT: 'The database file is damaged: stop Tocsin and restore a backup.',
  SQLITE_NOTADB: 'The database file is damaged: stop Tocsin and restore a backup.',
}

/**
 * True for what the disk, the file or another process did: the whole transaction is in doubt. False for a broken constraint
 * and for everything thrown on purpose, which concern one write only.
 */
export function isStorageFailure(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Sqlite.SqliteError &&
    !error.code.startsWith('SQLITE_CONSTRAINT') &&
    error.code !== 'SQLITE_ERROR'
  )
}

/** What a caller is told when the store cannot answer. */
export function storeUnavailable(cause: unknown): UnavailableError {
  const code = isStorageFailure(cause) ? cause.code : 'unknown'
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
  const message = cause instanceof Error ? cause.message : String(cause)
  return new UnavailableError('store_unavailable', `the store cannot take this now: ${message}`, {
    retryAfterMs,
    hint: hints[primary],
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
