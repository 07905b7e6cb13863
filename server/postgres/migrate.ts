import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ConflictError } from '../../core/errors/errors.ts'
import { oldestBeside, postgresMigrations } from '../sqlite/migrations/all-migrations.ts'
import { changeTriggers } from './change-triggers.ts'
import { lockKey } from './driver/exclusion.ts'
import { patienceMs } from '../nodes/node-watch.ts'
import { migrationTable, refuseMarkedDatabase, type PostgresSession } from './migration-table.ts'
import { baseline, baselineVersion, inByteOrder } from './schema/index.ts'

/** Key of the advisory lock of migrations: "Tocs" and 1. */
const migrationLock = 0x546f637300000001n

const minServerVersion = 150_000

/**
 * How long a migration waits for the lock of a table. Writes of other nodes queue behind it, so it gives way for as long again before it
 * tries again.
 */
const lockWaitMs = 2_000
const maxTries = 150

interface MigrationOptions {
  readonly steps?: readonly string[]
  /** See `oldestBeside`. */
  readonly oldest?: number
  readonly waitMs?: number
  /** See `refuseOlderNodes`. */
  readonly nodesMs?: number
  /** Also a database that `tocsin migrate` has marked; for that command. Default: false. */
  readonly isMarked?: boolean
}

/**
 * Creates the schema, or applies pending migrations, each in its own transaction. Nodes that start together wait for each other; after a
 * crash, the next start continues. Tables are in the first schema of the session's `search_path`. A database of a newer program stays as it is,
 * and is used if that allows nodes of this version beside its own (`oldestBeside`).
 *
 * Throws ConflictError `not_a_tocsin_database`, `database_too_new`, `database_unsupported`, `migration_unfinished`, `data_moved` and
 * `older_nodes_running` without changing anything, and the error of PostgreSQL if other sessions hold a table for ten minutes.
 * @param program version of Tocsin, stored for people
 */
export async function migratePostgres(
  session: PostgresSession,
  program: string,
  { isMarked = false, nodesMs = patienceMs, ...given }: MigrationOptions = {},
): Promise<void> {
  const options = { steps: postgresMigrations, oldest: oldestBeside, waitMs: lockWaitMs, ...given }
  const name = await refuseUnsupportedServer(session)
  if (!isMarked) await refuseMarkedDatabase(session, name)
  const { steps, oldest } = options
  const newest = baselineVersion + steps.length
  const found = await readVersion(session, newest, true)
  if (found > 0 && found < Math.min(oldest, newest)) await refuseOlderNodes(session, nodesMs)
  for (let tries = 1; (await readVersion(session, newest, true)) < newest;) {
    try {
      await applyNext(session, { program, ...options })
      tries = 1
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== lockNotAvailable || tries === maxTries) throw error
      tries += 1
      await setTimeout(options.waitMs)
    }
  }
}

interface PresentNode {
  readonly id: string
  readonly name: string
  readonly program: string
  readonly renewedAt: string
}

/** Also of tables that do not record yet that a node is gone. */
const selectPresent = `SELECT id, name, program, renewed_at::text AS "renewedAt" FROM nodes n WHERE to_jsonb(n) ->> 'gone_at' IS NULL`

/**
 * Before a migration beside which running nodes cannot work.
 *
 * @param waitMs how long a node that is alive takes at most to renew its lease
 * @throws ConflictError `older_nodes_running`
 */
async function refuseOlderNodes(session: PostgresSession, waitMs: number): Promise<void> {
  const present = async () => (await session.query(selectPresent)).rows as readonly PresentNode[]
  const before = new Map((await present()).map(({ id, renewedAt }) => [id, renewedAt]))
  if (before.size === 0) return
  await setTimeout(waitMs)
  const alive = (await present()).filter(({ id, renewedAt }) => (before.get(id) ?? renewedAt) !== renewedAt)
  if (alive.length === 0) return
  const names = alive.map(({ name, program }) => `${name} (Tocsin ${program})`).join(', ')
  throw new ConflictError('older_nodes_running', `this version cannot work beside older nodes: ${names}`, {
    hint: 'Stop all nodes, then start this version. Nothing was changed.',
  })
}

const lockNotAvailable = '55P03'

/** Another node may have applied it since, so the version is read again under the lock. */
async function applyNext(
  session: PostgresSession,
  {
    program,
    steps,
    oldest,
    waitMs,
  }: Required<Pick<MigrationOptions, 'steps' | 'oldest' | 'waitMs'>> & { readonly program: string },
): Promise<void> {
  const newest = baselineVersion + steps.length
  await session.query('BEGIN')
  try {
    await session.query(`SELECT pg_advisory_xact_lock(${lockKey('$1')})`, [migrationLock])
    await session.query(`SET LOCAL lock_timeout = ${waitMs}`)
    const version = await readVersion(session, newest, true)
    if (version < newest) {
      const next = version === 0 ? baselineVersion : version + 1
      await session.query(inByteOrder(version === 0 ? baseline : (steps[version - baselineVersion] ?? '')))
      await session.query(addOldest)
      const update = 'UPDATE tocsin_schema SET version = $1, program = $2, oldest = $3'
      await session.query(update, [next, program, Math.min(oldest, next)])
      if (next === newest) await renewTriggers(session)
    }
    await session.query('COMMIT')
  } catch (error) {
    await session.query('ROLLBACK')
    throw error
  }
}

/** Without it, older programs use no newer database. */
const addOldest = 'ALTER TABLE tocsin_schema ADD COLUMN IF NOT EXISTS oldest bigint'

/** Only if they changed: it locks all tables that are watched. */
async function renewTriggers(session: PostgresSession): Promise<void> {
  const triggers = changeTriggers()
  const digest = createHash('sha256').update(triggers).digest('base64')
  const renewed = 'UPDATE tocsin_schema SET triggers = $1 WHERE triggers <> $1 RETURNING 1'
  if ((await session.query(renewed, [digest])).rows.length > 0) await session.query(triggers)
}

export const newestVersion = baselineVersion + postgresMigrations.length

/**
 * 0: an empty database. Throws ConflictError `not_a_tocsin_database` and `database_too_new`.
 *
 * @param isBeside whether a newer database is read that allows nodes of `newest` beside newer ones. Default: false
 */
export async function readVersion(
  session: PostgresSession,
  newest: number = newestVersion,
  isBeside = false,
): Promise<number> {
  const [found] = await rowsOf<Found>(session, findTables)
  if (found?.ours == null) {
    if (found?.tables === '0') return 0
    throw new ConflictError(
      'not_a_tocsin_database',
      `the database ${found?.name} has tables of another program`,
      {
        hint: 'Create an empty database for Tocsin, and name it in TOCSIN_STORE.',
      },
    )
  }
  const [row] = await rowsOf<StoredVersion>(session, selectVersion)
  const version = Number(row?.version)
  if (version <= newest || (isBeside && Number(row?.oldest ?? version) <= newest)) return version
  throw new ConflictError(
    'database_too_new',
    `the database ${found.name} has version ${version} (Tocsin ${row?.program}), but this Tocsin supports versions up to ${newest}`,
    { hint: `Start Tocsin ${row?.program} or later, or restore the backup made before the upgrade.` },
  )
}

export interface StoredVersion {
  readonly version: string
  readonly program: string
  readonly oldest: string | null
}

/** `oldest` is missing in a database whose last migration did not know it. */
export const selectVersion = `SELECT version::text AS version, program, to_jsonb(tocsin_schema) ->> 'oldest' AS oldest FROM tocsin_schema`

interface Found {
  readonly name: string
  readonly ours: string | null
  readonly tables: string
}

/** Texts, which each session reads alike. Views of extensions, such as pg_stat_statements, belong to nobody. */
const findTables = `
  SELECT current_database() AS name, to_regclass('tocsin_schema')::text AS ours, count(*)::text AS tables FROM pg_class c
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND c.relname <> '${migrationTable}'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`

/** Gives the name of the database. Throws ConflictError `database_unsupported`. */
export async function refuseUnsupportedServer(session: PostgresSession): Promise<string> {
  const [server] = await rowsOf<{
    version: string
    text: string
    encoding: string
    schema: string | null
    path: string
    name: string
  }>(
    session,
    `SELECT current_database() AS name, current_setting('server_version_num') AS version, current_setting('server_version') AS text,
       current_setting('server_encoding') AS encoding, current_schema() AS schema,
       current_setting('search_path') AS path`,
  )
  if (server === undefined) return ''
  if (Number(server.version) < minServerVersion)
    throw unsupported(`PostgreSQL ${server.text} is too old`, 'Use PostgreSQL 15 or newer.')
  if (server.encoding !== 'UTF8')
    throw unsupported(
      `the encoding of the database is ${server.encoding}`,
      'Create the database with ENCODING UTF8.',
    )
  if (server.schema === null)
    throw unsupported(
      `the schema '${server.path}' does not exist, or the user may not use it`,
      'Create the schema with the user as its owner, or name another one in the address: ?schema=…',
    )
  return server.name
}

const unsupported = (message: string, hint: string): ConflictError =>
  new ConflictError('database_unsupported', message, { hint })

async function rowsOf<Row>(session: PostgresSession, sql: string): Promise<readonly Row[]> {
  return (await session.query(sql)).rows as readonly Row[]
}
