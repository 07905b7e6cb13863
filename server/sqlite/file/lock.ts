import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConflictError } from '../../../core/errors/errors.ts'
import { SqliteConnection } from '../database/connection.ts'
import { isStorageFailure, storeUnavailable } from '../database/storage-errors.ts'

export interface DataDirLock {
  release(): void
}

/**
 * Claims the data directory for this process with an exclusive transaction on a separate SQLite file, which
 * the operating system releases when the process ends in any way. A second file contains the pid for the
 * message, because only the holder can read the first.
 *
 * Throws ConflictError `data_dir_in_use`, and UnavailableError if the disk fails.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const pidFile = join(dataDir, 'tocsin.pid')
  let file: SqliteConnection | undefined
  try {
    file = new SqliteConnection(join(dataDir, 'tocsin.lock'), { busyTimeoutMs: 0 })
    file.script('BEGIN EXCLUSIVE')
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    file?.close()
    if (!isStorageFailure(error)) throw error
    throw error.code === 'SQLITE_BUSY' ? dataDirInUse(dataDir, pidFile) : storeUnavailable(error)
  }
  const held = file
  return { release: () => held.close() }
}

/** The process that holds the claim; undefined if none does. Changes nothing. */
export function holderOf(dataDir: string): { readonly pid: number | undefined } | undefined {
  const path = join(dataDir, 'tocsin.lock')
  if (!existsSync(path)) return undefined
  let file: SqliteConnection | undefined
  try {
    file = new SqliteConnection(path, { busyTimeoutMs: 0 })
    file.all('SELECT 1 FROM sqlite_schema')
    return undefined
  } catch (error) {
    if (!isStorageFailure(error) || error.code !== 'SQLITE_BUSY') throw error
    return { pid: readPid(join(dataDir, 'tocsin.pid')) }
  } finally {
    file?.close()
  }
}

function dataDirInUse(dataDir: string, pidFile: string): ConflictError {
  const pid = readPid(pidFile)
  const holder = pid === undefined ? 'another process' : `the process ${pid}`
  return new ConflictError(
    'data_dir_in_use',
    `the data directory ${resolve(dataDir)} is in use by ${holder}`,
    {
      hint: 'Stop that process, or use another data directory (TOCSIN_DATA_DIR).',
      details: { data_dir: resolve(dataDir), pid: pid ?? null },
    },
  )
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return Number.isSafeInteger(pid) ? pid : undefined
  } catch {
    return undefined
  }
}
