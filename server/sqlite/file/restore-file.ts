import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Actor } from '../../../core/domain/audit.ts'
import type { RunEnd } from '../../../core/domain/run.ts'
import { ConflictError, UnavailableError } from '../../../core/errors/errors.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { keptFiles, notABackup, requireWhole, using, type KeptFile } from './backup-file.ts'
import type { Database } from '../database/database.ts'
import { keyVersionOf, requireMasterKey } from './master-key-check.ts'
import { openDatabase } from './open-database.ts'
import { endRun } from '../runs/run-moves.ts'
import { selectRun, type RunRow } from '../runs/run-rows.ts'

export interface RestoreOptions {
  /** Name of the backup, for the audit log. */
  readonly from: string
  readonly by: Actor
  readonly clock: Pick<Clock, 'now'>
  /** Runs that were under way go on. Default: they end. */
  readonly resume: boolean
}

/**
 * What is kept in a copy of a backup; `fits` is asked whether a master key opens its secrets.
 *
 * @throws ConflictError `not_a_backup`, `database_damaged`, `not_a_tocsin_database`, `database_too_new`
 */
export function inspectBackup(path: string): {
  readonly files: readonly KeptFile[]
  readonly fits: (boxOf: (version: number) => SecretBox) => boolean
} {
  requireAllOfIt(path)
  const files = readBackup(path)
  return { files, fits: (boxOf) => using(path, (backup) => opensSecrets(backup, boxOf)) }
}

function readBackup(path: string): readonly KeptFile[] {
  try {
    // Also brings its tables up to this program.
    openDatabase(path).close()
    return using(path, (backup) => {
      requireWhole(backup)
      return keptFiles(backup)
    })
  } catch (error) {
    if (error instanceof ConflictError && error.code === 'not_a_tocsin_database') throw notABackup()
    const isDamaged =
      error instanceof UnavailableError && String(error.details?.['sqlite_code']).startsWith('SQLITE_CORRUPT')
    throw isDamaged ? damagedBackup('its content makes no sense to SQLite') : error
  }
}

const magic = Buffer.from('SQLite format 3\0')

/** Throws ConflictError `database_damaged` for a file that was cut off; SQLite reads what is missing of the last page as zeros. */
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
  if (size < header.length) throw damagedBackup(`it is cut off after ${size} bytes`)
  if (size < whole) throw damagedBackup(`it is cut off after ${size} of ${whole} bytes`)
}

const damagedBackup = (how: string): ConflictError =>
  new ConflictError('database_damaged', `the backup is damaged: ${how}`, { hint: 'use another backup' })

function opensSecrets(backup: Database, boxOf: (version: number) => SecretBox): boolean {
  try {
    requireMasterKey(backup, boxOf(keyVersionOf(backup)))
    return true
  } catch {
    return false
  }
}

/** What became of the runs that had not ended. */
export interface RestoredRuns {
  /** They were under way: ended with `run_restored`. */
  readonly ended: number
  /** They had not begun, and begin at the next start. */
  readonly inLine: number
}

/** Makes a copy of a backup the database of a data directory. */
export function adoptBackup(path: string, options: RestoreOptions): RestoredRuns {
  const { from, by, clock, resume } = options
  return using(path, (database) => {
    database.script('BEGIN IMMEDIATE')
    database.script('DROP TABLE sqlar')
    // Whoever has signed out since would be signed in again.
    database.script('DELETE FROM sessions')
    const ended = resume ? 0 : endBegun(database, clock)
    const inLine = database.one<{ n: number }>(`SELECT count(*) AS n FROM runs WHERE status = 'queued'`).n
    recordAudit(
      { database, clock },
      {
        action: 'backup.restored',
        by,
        organizationUuid: null,
        subject: { kind: 'data', id: 'tocsin.db', name: from },
        details: { ended_runs: ended, runs_in_line: inLine },
      },
    )
    database.script('COMMIT')
    // In one file, which can be given its name by itself.
    database.pragma('journal_mode = DELETE')
    return { ended, inLine }
  })
}

/** What they did after the backup was made is not in it: to go on would do it again. Those that had not begun stay in line. */
function endBegun(database: Database, clock: Pick<Clock, 'now'>): number {
  const rows = database.all<RunRow>(`${selectRun} WHERE t.status IN ('running', 'waiting') ORDER BY t.id`)
  for (const row of rows) endRun({ database, clock }, row, restored)
  return rows.length
}

const restored: RunEnd = {
  status: 'failed',
  output: null,
  error: {
    code: 'run_restored',
    message: 'the run was under way when the backup was made that has been restored',
    hint: 'what it has done since is not known: look, then retry the run',
  },
}
