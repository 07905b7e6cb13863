import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { ConflictError } from '../../../core/errors/errors.ts'
import { showAddress, type PostgresAddress } from '../driver/address.ts'
import { defaultSettings, type PostgresConnection } from '../driver/connection.ts'
import { Connector } from '../driver/connector.ts'
import { asFailure, postgresUnavailable } from '../driver/errors.ts'
import { lockKey } from '../driver/exclusion.ts'
import { migratePostgres, newestVersion, readVersion, refuseUnsupportedServer } from '../migrate.ts'
import {
  createMigrationTable,
  migrationTable,
  readMigrationTable,
  type PostgresMigration,
  type PostgresSession,
} from '../migration-table.ts'
import { refusePooler } from '../refuse-pooler.ts'
import { fromStored, toStored } from '../schema/index.ts'
import { databaseTooOld, markedError, type MigrationMark } from '../../store/migration-mark.ts'
import { createIndexes, dropIndexes, type Dropped } from './indexes.ts'
import { requireSameTables, type CopiedTable } from './tables.ts'

/** Key of the advisory lock that a migration holds: "Tocs" and 2. */
const claim = String(0x546f637300000002n)

/** A killed migration holds its lock until PostgreSQL notices. */
const claimPatienceMs = 10_000

/** An open database. */
export interface PostgresEnd {
  readonly address: PostgresAddress
  /** For single statements. */
  readonly connection: PostgresConnection
  /** Another session, for COPY. */
  readonly client: pg.Client
  /** The same, for scripts. */
  readonly session: PostgresSession
  close(): Promise<void>
}

/** Connects for a migration: statements may take hours. Throws what `refusePooler` and `refuseUnsupportedServer` throw. */
export async function connectTo(address: PostgresAddress): Promise<PostgresEnd> {
  const texts = { toStored, fromStored: (text: string) => fromStored(text, () => 'null') }
  const connector = new Connector(address, {
    ...defaultSettings,
    texts,
    applicationName: 'tocsin migrate',
    statementTimeoutMs: 0,
    idleTimeoutMs: 0,
  })
  await refusePooler(connector)
  const [connection, client] = await Promise.all([connector.open(), connector.openSession()]).catch(
    (error: unknown) => {
      throw postgresUnavailable(error)
    },
  )
  const session: PostgresSession = {
    query: (sql, values) =>
      client.query(sql, values === undefined ? undefined : [...values]).catch((error: unknown) => {
        throw asFailure(error)
      }),
  }
  const end: PostgresEnd = {
    address,
    connection,
    client,
    session,
    async close() {
      await Promise.all([connection.close(), client.end().catch(() => {})])
    },
  }
  await refuseUnsupportedServer(session).catch(async (error: unknown) => {
    await end.close()
    throw error
  })
  return end
}

/** One migration at a time. Throws ConflictError `migration_running`. */
export async function claimDatabase(
  { connection, address }: PostgresEnd,
  patienceMs = claimPatienceMs,
): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    const { rows } = await connection.query(`SELECT pg_try_advisory_lock(${lockKey('?')}) AS held`, claim)
    if ((rows as readonly { readonly held: number }[])[0]?.held === 1) return
    if (performance.now() > until) break
    await setTimeout(200)
  }
  throw new ConflictError('migration_running', `another migration uses ${showAddress(address)}`, {
    hint: 'Wait for it, or end it.',
  })
}

/**
 * Prepares an empty database, or the unfinished copy of the same data, for rows: the schema without indexes.
 *
 * @throws ConflictError `target_not_empty`, `migration_of_other_data`, `migration_outdated`, and what `migratePostgres` throws
 */
export async function prepareTarget(
  end: PostgresEnd,
  tables: readonly CopiedTable[],
  { program, ...mark }: MigrationMark & { readonly program: string },
): Promise<readonly Dropped[]> {
  const { address, connection, session } = end
  const version = await readVersion(session)
  const found = await readMigrationTable(session)
  if (found === undefined) {
    if (version > 0) await requireEmpty(end, tables)
    await session.query('BEGIN')
    await createMigrationTable(session, mark)
    await session.query('COMMIT')
  } else requireSame(found, mark, address)
  await migratePostgres(session, program, { isMarked: true })
  await requireSameTables(tables, connection)
  // Another process may have begun to use it before it was marked.
  if (found === undefined) {
    await requireEmpty(end, tables).catch(async (error: unknown) => {
      await session.query(`DROP TABLE ${migrationTable}`)
      throw error
    })
  }
  await session.query('SET synchronous_commit = off')
  // The triggers for event streams then note nothing.
  await session.query("SELECT set_config('tocsin.changes', 'many', false)")
  return found === undefined || found.dropped === ''
    ? dropIndexes(session)
    : (JSON.parse(found.dropped) as readonly Dropped[])
}

/** The unfinished copy of the same data. */
function requireSame(found: PostgresMigration, mark: MigrationMark, address: PostgresAddress): void {
  const place = showAddress(address)
  if (found.state === 'moved') throw markedError(found, place, `drop its table ${migrationTable}`)
  const fix = 'Create an empty database for this copy, and name it.'
  if (found.source !== mark.source)
    throw new ConflictError(
      'migration_of_other_data',
      `${place} is an unfinished copy of other data (${found.other})`,
      { hint: fix },
    )
  if (found.version !== mark.version)
    throw new ConflictError(
      'migration_outdated',
      `the unfinished copy in ${place} was begun by another version of Tocsin`,
      { hint: fix },
    )
}

/** The baseline has rows only in `facts`. */
async function requireEmpty(
  { connection, address }: PostgresEnd,
  tables: readonly CopiedTable[],
): Promise<void> {
  const names = ['nodes', ...tables.map(({ name }) => name)].filter((name) => name !== 'facts')
  const { rows } = await connection.query(
    names
      .map((name) => `SELECT CAST('${name}' AS text) AS name WHERE EXISTS (SELECT 1 FROM ${name})`)
      .join(' UNION ALL '),
  )
  const used = (rows as readonly { readonly name: string }[]).map(({ name }) => name)
  if (used.length === 0) return
  const some = `${used.slice(0, 3).join(', ')}${used.length > 3 ? ', …' : ''}`
  throw new ConflictError('target_not_empty', `${showAddress(address)} has data (${some})`, {
    hint: 'Create an empty database for the copy, and name it.',
  })
}

/** Creates indexes and constraints, and sets the counters of keys. */
export async function completeTarget(
  { session }: PostgresEnd,
  dropped: readonly Dropped[],
  onStep: (what: string) => void,
): Promise<void> {
  await createIndexes(session, dropped, (name) => onStep(`creating ${name}`))
  onStep('collecting statistics')
  await session.query('ANALYZE')
}

/** @param used the largest number of each table with a counter, if a larger one was used than is present */
export async function setCounters(
  { connection }: PostgresEnd,
  used: ReadonlyMap<string, number>,
): Promise<void> {
  const { rows } = await connection.query(`
    SELECT c.relname AS "table", a.attname AS "column" FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attidentity <> '' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`)
  for (const { table, column } of rows as readonly { readonly table: string; readonly column: string }[]) {
    const newest = `greatest((SELECT coalesce(max(${column}), 0) FROM ${table}), ${used.get(table) ?? 0})`
    await connection.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), greatest(n, 1), n > 0) FROM (SELECT ${newest} AS n) AS x`,
    )
  }
}

/** The largest number that a counter has given, by table. */
export async function readCounters(
  { connection }: PostgresEnd,
  tables: readonly CopiedTable[],
): Promise<ReadonlyMap<string, number>> {
  const counters = new Map<string, number>()
  for (const { name, counted } of tables) {
    if (counted === undefined) continue
    const { rows } = await connection.query(
      `SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence('${name}', '${counted}') AS regclass)), 0) AS last`,
    )
    counters.set(name, (rows as readonly { readonly last: number }[])[0]?.last ?? 0)
  }
  return counters
}

/** Throws ConflictError `not_a_tocsin_database`, `database_too_old`, and what `readVersion` throws. */
export async function requireCurrentSource({ session, address }: PostgresEnd): Promise<void> {
  const { rows } = await session.query(`SELECT to_regclass('tocsin_schema')::text AS found`)
  if ((rows as readonly { readonly found: string | null }[])[0]?.found == null)
    throw new ConflictError('not_a_tocsin_database', `${showAddress(address)} has no data of Tocsin`, {
      hint: 'Correct the address: it must name the database of the servers, and their schema if it is not public (?schema=…).',
    })
  const version = await readVersion(session)
  if (version < newestVersion) throw databaseTooOld(showAddress(address), version, newestVersion)
}
