import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { systemClock } from '../../clock.ts'
import { showAddress, type PostgresAddress } from '../driver/address.ts'
import { newestVersion } from '../migrate.ts'
import { migrationTable, readMigrationTable } from '../migration-table.ts'
import { PostgresDatabase } from '../postgres-database.ts'
import { judgeAudit } from '../../sql/audit/judge-audit.ts'
import type { SqliteConnection } from '../../sqlite/database/connection.ts'
import { lockDataDir } from '../../sqlite/file/lock.ts'
import { readMigration, refuseMarked, writeMigration } from '../../sqlite/file/migration-file.ts'
import type { MigrationMark } from '../../store/migration-mark.ts'
import { copyAll, sumOf, type MigrationProgress, type MigrationSummary } from './copy-all.ts'
import { asMigrationError, migratedAudit } from './errors.ts'
import type { TableCopy } from './copy-table.ts'
import type { Dropped } from './indexes.ts'
import {
  claimDatabase,
  completeTarget,
  connectTo,
  prepareTarget,
  setCounters,
  type PostgresEnd,
} from './postgres-end.ts'
import { PostgresSide, SqliteSide } from './sides.ts'
import { identityOfData, onThisMachine, openOriginal, readSqliteCounters, sizeOf } from './sqlite-end.ts'
import { tablesOf, type CopiedTable } from './tables.ts'

export interface ToPostgresOptions {
  readonly dataDir: string
  readonly address: PostgresAddress
  /** Version of Tocsin. */
  readonly program: string
  readonly progress: MigrationProgress
  /** Copies beside a running server, so that the migration itself has less to write. */
  readonly isPreparation?: boolean
  /** How long to wait for another migration, which may have been killed. Default: 10 seconds. */
  readonly patienceMs?: number
}

/**
 * Copies a data directory to an empty PostgreSQL database and verifies the copy. Can be interrupted at any time: the next call continues.
 * The original is not changed; after success it is marked as moved.
 *
 * @throws ConflictError `data_dir_in_use`, `data_moved`, `database_too_old`, `migration_running`, `target_not_empty`, `copy_differs` and others; UnavailableError
 */
export async function migrateToPostgres(options: ToPostgresOptions): Promise<MigrationSummary> {
  const { dataDir, address, isPreparation = false } = options
  const path = join(dataDir, 'tocsin.db')
  const begunMs = performance.now()
  const lock = isPreparation ? undefined : lockDataDir(dataDir)
  let original: SqliteConnection | undefined
  let copy: PostgresEnd | undefined
  try {
    original = openOriginal(path)
    // Commands such as `tocsin keys create` write without the claim on the data directory.
    if (!isPreparation) original.script('BEGIN IMMEDIATE')
    copy = await connectTo(address)
    await claimDatabase(copy, options.patienceMs)
    const source = identityOfData(original)
    const moved = readMigration(path)
    if (moved !== undefined && !(await isCopyOf(copy, source))) refuseMarked(path)
    const tables = tablesOf(original)
    const mark = { state: 'unfinished', other: onThisMachine(path), source, version: newestVersion } as const
    const given = { ...mark, at: systemClock.now(), program: options.program }
    const dropped = await prepareTarget(copy, tables, given)
    const ends: Ends = { original, copy, tables, dropped }
    const copied = await copyRows(ends, options)
    const audit = isPreparation ? undefined : await finish(ends, options)
    if (!isPreparation) await handOver(copy, path, options, { ...given, other: showAddress(address) })
    return {
      from: path,
      to: showAddress(address),
      ...sumOf(copied),
      bytes: sizeOf(original),
      audit,
      readOnlySeconds: isPreparation ? 0 : (performance.now() - begunMs) / 1000,
    }
  } catch (error) {
    throw asMigrationError(error)
  } finally {
    await copy?.close()
    original?.close()
    lock?.release()
  }
}

interface Ends {
  readonly original: SqliteConnection
  readonly copy: PostgresEnd
  readonly tables: readonly CopiedTable[]
  readonly dropped: readonly Dropped[]
}

async function isCopyOf({ session }: PostgresEnd, source: string): Promise<boolean> {
  const mark = await readMigrationTable(session)
  return mark?.state === 'unfinished' && mark.source === source
}

async function copyRows(
  { original, copy, tables, dropped }: Ends,
  { progress, isPreparation }: ToPostgresOptions,
): Promise<readonly TableCopy[]> {
  const copied = await copyAll({
    from: new SqliteSide(original),
    to: new PostgresSide(copy.connection, copy.client),
    tables,
    bytes: sizeOf(original),
    progress,
    ...(isPreparation === true && { inOneState: (read) => inTransaction(original, read) }),
  })
  // References are checked when the rows of all tables are of one state.
  const now = isPreparation === true ? dropped.filter(({ isReference }) => !isReference) : dropped
  await completeTarget(copy, now, (what) => progress.onStep(what))
  return copied
}

/** A long transaction keeps the write-ahead log of the server from being emptied, so it lasts for one table only. */
async function inTransaction<T>(database: SqliteConnection, read: () => Promise<T>): Promise<T> {
  database.script('BEGIN')
  try {
    return await read()
  } finally {
    database.script('COMMIT')
  }
}

async function finish(
  { original, copy, tables }: Ends,
  { progress }: ToPostgresOptions,
): Promise<MigrationSummary['audit']> {
  await setCounters(copy, readSqliteCounters(original, tables))
  progress.onStep('verifying the audit log')
  const audit = migratedAudit(await copy.connection.drive(judgeAudit(new PostgresDatabase())))
  return audit
}

/** The original is marked first, so that never both can be used. */
async function handOver(
  { session }: PostgresEnd,
  path: string,
  { progress }: ToPostgresOptions,
  { other, source, version, at }: MigrationMark,
): Promise<void> {
  progress.onStep('marking the original')
  writeMigration(path, { state: 'moved', other, source, version, at })
  progress.onStep('releasing the copy')
  await session.query('SET synchronous_commit = on')
  await session.query(`DROP TABLE ${migrationTable}`)
}
