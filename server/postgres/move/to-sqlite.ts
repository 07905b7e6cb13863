import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { ConflictError } from '../../../core/errors/errors.ts'
import { systemClock } from '../../clock.ts'
import { makeDataDirPrivate } from '../../config/data-dir.ts'
import { showAddress, type PostgresAddress } from '../driver/address.ts'
import { failureKind } from '../driver/errors.ts'
import { lockStatements } from '../driver/exclusion.ts'
import { newestVersion } from '../migrate.ts'
import { createMigrationTable, migrationTable, readMigrationTable } from '../migration-table.ts'
import { judgeAudit } from '../../sql/audit/judge-audit.ts'
import { done, SqliteDatabase } from '../../sqlite/database/sqlite-database.ts'
import type { SqliteConnection } from '../../sqlite/database/connection.ts'
import { lockDataDir } from '../../sqlite/file/lock.ts'
import { readMigration, writeMigration } from '../../sqlite/file/migration-file.ts'
import { markedError, type MigrationMark } from '../../store/migration-mark.ts'
import { copyAll, sumOf, type MigrationSummary } from './copy-all.ts'
import { asMigrationError, migratedAudit } from './errors.ts'
import { createSqliteIndexes } from './indexes.ts'
import {
  claimDatabase,
  connectTo,
  readCounters,
  requireCurrentSource,
  type PostgresEnd,
} from './postgres-end.ts'
import { PostgresSide, SqliteSide } from './sides.ts'
import { onThisMachine, prepareSqliteTarget, setSqliteCounters, type SqliteTarget } from './sqlite-end.ts'
import { requireSameTables } from './tables.ts'
import type { ToPostgresOptions } from './to-postgres.ts'

/**
 * Copies a PostgreSQL database that no server uses to a new data directory and verifies the copy, as `migrateToPostgres` does in the other
 * direction.
 *
 * @throws ConflictError `servers_running`, `data_dir_in_use`, `data_dir_not_empty`, `data_moved`, `database_too_old`,
 * `migration_running`, `copy_differs` and others; UnavailableError
 */
export async function migrateToSqlite(
  options: Omit<ToPostgresOptions, 'isPreparation' | 'program'>,
): Promise<MigrationSummary> {
  const { dataDir, address } = options
  const path = join(dataDir, 'tocsin.db')
  const begunMs = performance.now()
  makeDataDirPrivate(dataDir)
  const lock = lockDataDir(dataDir)
  const ends: PostgresEnd[] = []
  let target: SqliteTarget | undefined
  try {
    const holder = await connectTo(address)
    ends.push(holder)
    await claimDatabase(holder, options.patienceMs)
    await requireCurrentSource(holder)
    await stopWrites(holder)
    const source = await identityOfData(holder)
    const found = await readMigrationTable(holder.session)
    if (found !== undefined && !isCopyOf(path, source))
      throw markedError(found, showAddress(address), `drop its table ${migrationTable}`)
    const mark = { other: showAddress(address), source, version: newestVersion, at: systemClock.now() }
    target = prepareSqliteTarget(path, { ...mark, state: 'unfinished' })
    await requireSameTables(target.tables, holder.connection)
    const reader = await connectTo(address)
    ends.push(reader)
    await reader.connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows } = await reader.connection.query('SELECT pg_database_size(current_database()) AS size')
    const { size } = rows[0] as { readonly size: number }
    const copied = await copyAll({
      from: new PostgresSide(reader.connection, reader.client),
      to: new SqliteSide(target.database),
      tables: target.tables,
      bytes: size,
      progress: options.progress,
    })
    const audit = await finish(target, reader, options)
    options.progress.onStep('marking the original')
    if (found === undefined) await handOver(holder, path, mark)
    options.progress.onStep('releasing the copy')
    writeMigration(path, undefined)
    return {
      from: showAddress(address),
      to: path,
      ...sumOf(copied),
      bytes: size,
      audit,
      readOnlySeconds: (performance.now() - begunMs) / 1000,
    }
  } catch (error) {
    throw asMigrationError(error)
  } finally {
    await Promise.all(ends.map((end) => end.close()))
    target?.database.close()
    lock.release()
  }
}

/** Whether the data directory has the unfinished copy of this database. */
function isCopyOf(path: string, source: string): boolean {
  const mark = readMigration(path)
  return mark?.state === 'unfinished' && mark.source === source
}

/** Holds the lock that each write of a server takes. Throws ConflictError `servers_running`. */
async function stopWrites({ connection: holder, address }: PostgresEnd): Promise<void> {
  const { rows } = await holder.query(
    `SELECT coalesce(host(client_addr), 'this machine') AS place FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'tocsin' AND pid <> pg_backend_pid() GROUP BY 1 ORDER BY 1`,
  )
  const places = (rows as readonly { readonly place: string }[]).map(({ place }) => place)
  if (places.length > 0) throw serversRunning(address, ` (${places.join(', ')})`)
  await holder.query('BEGIN')
  try {
    for (const { sql, values } of lockStatements(['all'])) await holder.query(sql, ...values)
  } catch (error) {
    throw failureKind(error) === 'conflict' ? serversRunning(address, '') : error
  }
}

const serversRunning = (address: PostgresAddress, where: string): ConflictError =>
  new ConflictError('servers_running', `servers use ${showAddress(address)}${where}`, {
    hint: 'Stop all servers of this database first.',
  })

async function identityOfData({ connection }: PostgresEnd): Promise<string> {
  const { rows } = await connection.query(`SELECT value FROM facts WHERE name = 'cluster_id'`)
  return (rows as readonly { readonly value: string }[])[0]?.value ?? ''
}

async function finish(
  { database, tables, indexes }: SqliteTarget,
  reader: PostgresEnd,
  { progress }: Pick<ToPostgresOptions, 'progress'>,
): Promise<MigrationSummary['audit']> {
  createSqliteIndexes(database, indexes, (name) => progress.onStep(`creating ${name}`))
  setSqliteCounters(database, await readCounters(reader, tables))
  progress.onStep('verifying references and the audit log')
  requireReferences(database)
  const audit = migratedAudit(done(judgeAudit(new SqliteDatabase(database))))
  database.pragma('synchronous = FULL')
  database.pragma('wal_checkpoint(TRUNCATE)')
  return audit
}

function requireReferences(database: SqliteConnection): void {
  const [dangling] = database.all<{ table: string; parent: string }>(
    'SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1',
  )
  if (dangling === undefined) return
  throw new ConflictError(
    'data_inconsistent',
    `a row of ${dangling.table} refers to a row of ${dangling.parent} that does not exist`,
    { hint: 'Check the original with a backup of PostgreSQL.' },
  )
}

/** The original is marked before the copy can be used, and before servers can write again. */
async function handOver(
  { connection, session }: PostgresEnd,
  path: string,
  mark: Omit<MigrationMark, 'state'>,
): Promise<void> {
  await session.query('BEGIN')
  await createMigrationTable(session, { ...mark, other: onThisMachine(path), state: 'moved' })
  await session.query('COMMIT')
  await connection.query('COMMIT')
}
