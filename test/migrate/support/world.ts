import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { MigrationProgress } from '../../../server/postgres/move/copy-all.ts'
import { migrateToPostgres } from '../../../server/postgres/move/to-postgres.ts'
import { migrateToSqlite } from '../../../server/postgres/move/to-sqlite.ts'
import { parsePostgresAddress } from '../../../server/postgres/driver/address.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres.ts'
import { makeDataDir } from '../../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { fillWithStrangeRows } from './strange-rows.ts'

export const silent: MigrationProgress = { onPlan() {}, onTable() {}, onRows() {}, onStep() {} }

export interface World {
  /** A data directory with strange rows, which no server uses. */
  readonly dataDir: string
  /** Of its database. */
  readonly path: string
  /** Empty at first. */
  readonly database: TestDatabase
  migrate(options?: {
    readonly isPreparation?: boolean
    readonly progress?: MigrationProgress
  }): ReturnType<typeof migrateToPostgres>
  /** To the data directory `back`. */
  migrateBack(progress?: MigrationProgress): ReturnType<typeof migrateToSqlite>
  readonly back: string
  query<Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  dispose(): Promise<void>
}

let template: Promise<TemporaryFolder> | undefined

/** Filled once for all tests of a process. */
async function templateOf(): Promise<TemporaryFolder> {
  const folder = await makeTemporaryFolder()
  await makeDataDir(folder.path)
  fillWithStrangeRows(join(folder.path, 'tocsin.db'), { contentBytes: 262_144, entries: 2500 })
  return folder
}

/** For `after`. */
export async function removeTemplate(): Promise<void> {
  await (await template)?.remove()
  template = undefined
}

export async function makeWorld(): Promise<World> {
  const [folder, database, filled] = await Promise.all([
    makeTemporaryFolder(),
    createDatabase(),
    (template ??= templateOf()),
  ])
  const dataDir = join(folder.path, 'data')
  const back = join(folder.path, 'back')
  await cp(filled.path, dataDir, { recursive: true })
  const address = parsePostgresAddress(database.address)
  return {
    dataDir,
    path: join(dataDir, 'tocsin.db'),
    database,
    back,
    migrate: (options) =>
      migrateToPostgres({ dataDir, address, program: '0.1.0', progress: silent, ...options }),
    migrateBack: (progress = silent) => migrateToSqlite({ dataDir: back, address, progress }),
    query: (sql, values) => queryIn(database.address, sql, values),
    async dispose() {
      await database.drop()
      await folder.remove()
    },
  }
}

async function queryIn<Row = Record<string, unknown>>(
  address: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows as Row[]
  } finally {
    await client.end()
  }
}

/** All rows of all tables as texts, without what differs between two copies of the same data. */
export async function dumpPostgres(address: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await queryIn<{ name: string }>(
    address,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
  )
  const dump: Record<string, readonly string[]> = {}
  for (const { name } of tables) {
    const rows = await queryIn<{ row: string }>(
      address,
      `SELECT md5(CAST(t AS text)) AS row FROM ${name} t ${name === 'facts' ? `WHERE name <> 'cluster_id'` : ''} ORDER BY 1`,
    )
    dump[name] = rows.map(({ row }) => row)
  }
  return dump
}
