import { parsePostgresAddress } from '../../../server/postgres/driver/address.ts'
import { commitTable } from '../../../server/postgres/driver/commit-marks.ts'
import { PostgresCommits, type CommitsOptions } from '../../../server/postgres/driver/commits.ts'
import {
  defaultSettings,
  type SessionSettings,
  type PostgresConnection,
} from '../../../server/postgres/driver/connection.ts'
import { Connector } from '../../../server/postgres/driver/connector.ts'
import { ConnectionPool, type PoolOptions } from '../../../server/postgres/driver/pool.ts'
import { PostgresReads } from '../../../server/postgres/driver/reads.ts'
import type { SqlValue } from '../../../server/sql/database/columns.ts'
import type { Work } from '../../../server/sql/database/work.ts'
import { eventually } from '../../support/eventually.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres.ts'

/** A database with a table of things. */
export const createThings = (): Promise<TestDatabase> =>
  createDatabase({
    name: 'things',
    async make(address) {
      const connection = await connect(address)
      await connection.query(commitTable)
      await connection.query(
        'CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE, n bigint NOT NULL DEFAULT 0)',
      )
      await connection.close()
    },
  })

export const connect = (
  address: string,
  settings: Partial<SessionSettings> = {},
): Promise<PostgresConnection> =>
  new Connector(parsePostgresAddress(address), { ...defaultSettings, ...settings }).open()

export interface DriverOptions {
  readonly settings?: Partial<SessionSettings>
  readonly pool?: Partial<PoolOptions>
  readonly commits?: CommitsOptions
}

export interface Driver {
  readonly commits: PostgresCommits
  readonly reads: PostgresReads
  /** Outages that the pools reported: `away` and `back`. */
  readonly outages: string[]
  /** Waits until reads and writes have a connection, although that may take longer than they wait for one. */
  connect(): Promise<void>
  /** The first column of the first row, in a read. */
  value(sql: string, ...values: SqlValue[]): Promise<unknown>
  close(): Promise<void>
}

/** Pools, reads and writes as a node has them. */
export function openDriver(address: string, options: DriverOptions = {}): Driver {
  const connector = new Connector(parsePostgresAddress(address), { ...defaultSettings, ...options.settings })
  const outages: string[] = []
  const onOutage = (error: Error | undefined): void =>
    void outages.push(error === undefined ? 'back' : 'away')
  const writing = new ConnectionPool(connector, { size: 4, onOutage, ...options.pool })
  const reading = new ConnectionPool(connector, { size: 4, ...options.pool })
  const commits = new PostgresCommits(writing, options.commits)
  const reads = new PostgresReads(reading)
  return {
    commits,
    reads,
    outages,
    async connect() {
      await eventually('connections', async () => {
        const one = () => all('SELECT 1 AS one')
        const done = await Promise.allSettled([commits.write(one), reads.read(one)])
        return done.every(({ status }) => status === 'fulfilled') || undefined
      })
    },
    async value(sql, ...values) {
      const [row] = await reads.read(() => all(sql, ...values))
      return Object.values(row ?? {})[0]
    },
    async close() {
      await commits.close()
      await Promise.all([writing.close(), reading.close()])
    },
  }
}

export function* all(sql: string, ...values: SqlValue[]): Work<readonly Record<string, unknown>[]> {
  return (yield { sql, values }).rows as readonly Record<string, unknown>[]
}

export function* run(sql: string, ...values: SqlValue[]): Work<number> {
  return (yield { sql, values }).count
}
