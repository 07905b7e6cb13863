import { hash } from 'node:crypto'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Transactions } from '../sql/database/work.ts'
import { parsePostgresAddress } from './driver/address.ts'
import { PostgresChannel } from './driver/channel.ts'
import { forgetOldMarks } from './driver/commit-marks.ts'
import { PostgresCommits, type CommitsOptions } from './driver/commits.ts'
import { defaultSettings, type OnTime } from './driver/connection.ts'
import { Connector, renewing } from './driver/connector.ts'
import { postgresUnavailable, type PostgresError } from './driver/errors.ts'
import { ConnectionPool } from './driver/pool.ts'
import { PostgresReads } from './driver/reads.ts'
import { migratePostgres } from './migrate.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { findHoldUp } from './probe.ts'
import { refusePooler } from './refuse-pooler.ts'

export interface PostgresOptions extends CommitsOptions {
  /** See `parsePostgresAddress`. */
  readonly address: string
  /** Reads the address again, when PostgreSQL refuses user or password. Default: it never changes. */
  readonly readAddress?: (() => Promise<string>) | undefined
  /** Version of Tocsin, stored for people. */
  readonly program: string
  /** Maximum number of connections for reads. Writes have 4 more, and notifications one. Default 8. */
  readonly maxReads?: number
  /** Called when PostgreSQL cannot be reached any more, and when it can again. */
  readonly onOutage?: (error: Error | undefined) => void
  /** Called with the time of the database when it is opened, and at least every ten seconds. */
  readonly onTime?: OnTime | undefined
}

export interface OpenPostgres {
  readonly database: PostgresDatabase
  readonly transactions: Transactions
  readonly channel: PostgresChannel
  /** The error of a write that failed within the last ten seconds because the disk is full: smaller writes may still succeed. */
  noSpace(): UnavailableError | undefined
  /** Commits the queued writes, and closes all connections. */
  close(): Promise<void>
}

const writingConnections = 4

const noSpaceMs = 10_000

/** Tells of writes that failed because the disk of PostgreSQL is full. */
function watchSpace() {
  let last: { readonly error: UnavailableError; readonly at: number } | undefined
  return {
    note(error: unknown): void {
      const isFull = error instanceof UnavailableError && error.details?.['postgres_code'] === '53100'
      if (isFull) last = { error, at: performance.now() }
    },
    noSpace: () => (last !== undefined && performance.now() - last.at < noSpaceMs ? last.error : undefined),
  }
}

/**
 * How long a write may wait between two statements, in milliseconds. It holds locks that the writes of other nodes need: also their
 * renewals, if one wants to exclude all others. So a node that stops during a write must lose it sooner than its lease.
 */
const idleWriteMs = 2_000

/**
 * Connects, creates the schema or migrates it, and keeps connections for reads, writes and notifications.
 *
 * Throws TocsinError `store_address_invalid`, UnavailableError `store_unavailable`, and the errors of `migratePostgres`.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpenPostgres> {
  const database = new PostgresDatabase()
  const { onTime, readAddress = () => Promise.resolve(options.address) } = options
  const settings = { ...defaultSettings, texts: database.texts, onTime }
  const address = parsePostgresAddress(options.address)
  const renew = renewing(options.address, address, readAddress)
  const connector = new Connector(address, settings, renew)
  await prepare(connector, options.program)
  const onOutage = (error: Error | undefined) => options.onOutage?.(error && postgresUnavailable(error))
  const writer = new Connector(address, { ...settings, idleTimeoutMs: idleWriteMs }, renew)
  const writing = new ConnectionPool(writer, { size: writingConnections, onOutage })
  const reading = new ConnectionPool(connector, { size: options.maxReads ?? 8 })
  const commits = new PostgresCommits(writing, {
    maxGroups: writingConnections,
    findHoldUp,
    ...options,
    onRollback() {
      database.cache.forget()
      options.onRollback?.()
    },
  })
  const reads = new PostgresReads(reading)
  const space = watchSpace()
  const channel = new PostgresChannel(connector, { name: channelOf(address.schema), onTime })
  return {
    database,
    transactions: {
      async read(work) {
        try {
          return await reads.read(work)
        } catch (error) {
          throw asUnavailable(error)
        }
      },
      async write(work, scope) {
        try {
          return await commits.write(work, scope)
        } catch (error) {
          space.note(error)
          throw asUnavailable(error)
        }
      },
    },
    channel,
    noSpace: space.noSpace,
    async close() {
      await commits.close()
      await Promise.all([writing.close(), reading.close(), channel.close()])
    },
  }
}

/** Missing tables are no error of a statement: another database was put in the place of this one. */
function asUnavailable(error: unknown): unknown {
  if ((error as PostgresError).code !== '42P01') return error
  return new UnavailableError('store_unavailable', `tables are missing: ${(error as Error).message}`, {
    retryAfterMs: 5000,
    hint: 'TOCSIN_STORE leads to another database than at the start of this process: put the right one back.',
    details: { postgres_code: '42P01' },
    cause: error,
  })
}

/** Channels belong to a database, which several clusters may share, each in a schema of its own. */
const channelOf = (schema: string): string =>
  schema === 'public' ? 'tocsin' : `tocsin_${hash('sha256', schema).slice(0, 16)}`

async function prepare(connector: Connector, program: string): Promise<void> {
  await refusePooler(connector)
  const session = await connector.openSession().catch((error: unknown) => {
    throw postgresUnavailable(error)
  })
  try {
    await migratePostgres(session, program)
    await session.query(forgetOldMarks)
  } finally {
    await session.end()
  }
}
