import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Actor } from '../../../core/domain/audit.ts'
import { ConflictError, UnavailableError } from '../../../core/errors/errors.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { recordAudit } from '../../sql/audit/audit-log.ts'
import { keptFiles, notABackup, requireIntact, using, type BackupEntry } from './backup-file.ts'
import type { SqliteConnection } from '../database/connection.ts'
import { done, SqliteDatabase } from '../database/sqlite-database.ts'
import { keyVersionOf, requireMasterKey } from './master-key-check.ts'
import { openDatabase } from './open-database.ts'
import { newRunStatus, restoredEnd } from '../../../core/transitions/run.ts'
import { endRun } from '../../sql/runs/run-transitions.ts'
import { selectRun, type RunRow } from '../../sql/runs/run-rows.ts'

export interface AdoptOptions {
  /** Name of the backup, for the audit log. */
  readonly from: string
  readonly by: Actor
  readonly clock: Pick<Clock, 'now'>
  /** Resume active runs. Default: end them. */
  readonly resume: boolean
}

/**
 * The contents of a backup's copy. `fits` tells whether a master key opens its secrets.
 *
 * @throws ConflictError `not_a_backup`, `database_damaged`, `not_a_tocsin_database`, `database_too_new`
 */
export function inspectBackup(path: string): {
  readonly files: readonly BackupEntry[]
  readonly fits: (boxOf: (version: number) => SecretBox) => boolean
} {
  requireAllOfIt(path)
  const files = readBackup(path)
  return { files, fits: (boxOf) => using(path, (backup) => opensSecrets(backup, boxOf)) }
}

function readBackup(path: string): readonly BackupEntry[] {
  try {
    // Also migrates the copy.
    openDatabase(path).close()
    return using(path, (backup) => {
      requireIntact(backup)
      return keptFiles(backup)
    })
  } catch (error) {
    if (error instanceof ConflictError && error.code === 'not_a_tocsin_database') throw notABackup()
    const isDamaged =
      error instanceof UnavailableError && String(error.details?.['sqlite_code']).startsWith('SQLITE_CORRUPT')
    throw isDamaged ? damagedBackup('SQLite cannot read its content') : error
  }
}

const magic = Buffer.from('SQLite format 3\0')

/** Throws ConflictError `database_damaged` for a truncated file, whose missing bytes SQLite would read as zeros. */
function requireAllOfIt(path: string): void {
  const { size } = statSync(path)
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  try {
    readSync(file, header)
  } finally {
    closeSync(file)
  }
  const known = Math.min(size, magic.length)
  if (!header.subarray(0, known).equals(magic.subarray(0, known))) throw notABackup()
  const written = header.readUInt16BE(16)
  const pageSize = written === 1 ? 65_536 : written
  const whole = pageSize * header.readUInt32BE(28)
  if (size < header.length) throw damagedBackup(`it is truncated to ${size} bytes`)
  if (size < whole) throw damagedBackup(`it is truncated to ${size} of ${whole} bytes`)
}

const damagedBackup = (how: string): ConflictError =>
  new ConflictError('database_damaged', `the backup is damaged: ${how}`, { hint: 'use another backup' })

function opensSecrets(backup: SqliteConnection, boxOf: (version: number) => SecretBox): boolean {
  try {
    requireMasterKey(backup, boxOf(keyVersionOf(backup)))
    return true
  } catch {
    return false
  }
}

/** Unfinished runs of the backup. */
export interface RestoredRuns {
  /** Active runs, ended with `run_restored`. */
  readonly ended: number
  /** Queued runs, which begin at the next start. */
  readonly inLine: number
}

/** Turns the copy of a backup into the database of a data directory. */
export function adoptBackup(path: string, options: AdoptOptions): RestoredRuns {
  const { from, by, clock, resume } = options
  return using(path, (connection) => {
    const database = new SqliteDatabase(connection)
    connection.script('BEGIN IMMEDIATE')
    connection.script('DROP TABLE sqlar')
    // Sessions that ended after the backup must stay ended.
    connection.script('DELETE FROM sessions')
    const ended = resume ? 0 : endBegun(database, clock)
    const queued = 'SELECT count(*) AS n FROM runs WHERE status = ?'
    const inLine = connection.one<{ n: number }>(queued, newRunStatus).n
    const subject = { kind: 'data', id: 'tocsin.db', name: from } as const
    const details = { ended_runs: ended, runs_in_line: inLine }
    done(
      recordAudit(
        { database, clock },
        { action: 'backup.restored', by, organizationUuid: null, subject, details },
      ),
    )
    connection.script('COMMIT')
    // A single file can be renamed atomically.
    connection.pragma('journal_mode = DELETE')
    return { ended, inLine }
  })
}

/** The backup does not have the actions after it was made: to resume these runs would repeat them. Queued runs stay queued. */
function endBegun(database: SqliteDatabase, clock: Pick<Clock, 'now'>): number {
  const started = `${selectRun} WHERE t.started_at IS NOT NULL AND t.ended_at IS NULL ORDER BY t.id`
  const rows = database.connection.all<RunRow>(started)
  for (const row of rows) done(endRun({ database, clock }, row, restoredEnd))
  return rows.length
}
