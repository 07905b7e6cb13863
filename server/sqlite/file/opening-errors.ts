import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs'
import { ConflictError, UnavailableError } from '../../../core/errors/errors.ts'
import { checkDisk, isStorageFailure, storeUnavailable } from '../database/storage-errors.ts'

/** Why a file cannot be opened: unreadable, damaged, or not a database of Tocsin. */
export function asOpeningError(path: string, error: unknown): unknown {
  if (isSystemError(error)) return cannotRead(path, error)
  if (!isStorageFailure(error)) return error
  if (error.code === 'SQLITE_NOTADB') return notATocsinDatabase(path)
  // SQLite reports a damaged page and a failed read (EIO) alike.
  const cause = error.code === 'SQLITE_CANTOPEN' ? accessErrorOf(path) : undefined
  const failed = cause ?? (error.code.startsWith('SQLITE_CORRUPT') ? readErrorOf(path) : undefined)
  return failed === undefined ? storeUnavailable(error) : cannotRead(path, failed)
}

export function notATocsinDatabase(path: string): ConflictError {
  return new ConflictError('not_a_tocsin_database', `${path} is not a Tocsin database`, {
    hint: 'Move that file away, or choose another data directory (TOCSIN_DATA_DIR).',
  })
}

/** An error of the operating system, which says nothing about the content. `otherwise`: the hint for other codes. */
export function cannotRead(
  path: string,
  cause: NodeJS.ErrnoException,
  otherwise = checkDisk,
): UnavailableError {
  const code = cause.code ?? 'unknown'
  return new UnavailableError('store_unavailable', `cannot read ${path}: ${cause.message}`, {
    retryAfterMs: 1000,
    hint: readHints[code] ?? otherwise,
    details: { code },
    cause,
  })
}

const permissions = 'Give this user read and write access to the file and its folder.'

const readHints: Readonly<Record<string, string | undefined>> = {
  EACCES: permissions,
  EPERM: permissions,
  ENOENT: 'Check that its disk is mounted and that the path is right.',
  ENOTDIR: 'A part of the path is a file, not a folder.',
  EISDIR: 'Use a file; this is a folder.',
  EMFILE: 'Raise the limit on open files.',
  ENFILE: 'Raise the limit on open files.',
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/**
 * The error of the operating system when the whole file is read; undefined if there is none. Not for a
 * database that this process has open: closing the file would release its locks.
 */
export function readErrorOf(path: string): NodeJS.ErrnoException | undefined {
  return errorOf(() => {
    const file = openSync(path, 'r')
    try {
      const chunk = Buffer.alloc(1_048_576)
      for (let at = 0, read = 1; read > 0; at += read) read = readSync(file, chunk, 0, chunk.length, at)
    } finally {
      closeSync(file)
    }
  })
}

const accessErrorOf = (path: string): NodeJS.ErrnoException | undefined =>
  errorOf(() => accessSync(path, constants.R_OK | constants.W_OK))

function errorOf(look: () => void): NodeJS.ErrnoException | undefined {
  try {
    look()
    return undefined
  } catch (error) {
    if (isSystemError(error)) return error
    throw error
  }
}
