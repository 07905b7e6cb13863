import type { AuditVerdict } from '../../core/audit/audit-chain.ts'
import { masterKeyFact } from '../secrets/master-key-seal.ts'
import { bytesOfFact } from '../sql/database/cursor-seal.ts'
import { judgeAudit } from '../sql/audit/judge-audit.ts'
import { postgresMigrations } from '../sqlite/migrations/all-migrations.ts'
import { parsePostgresAddress, showAddress } from './driver/address.ts'
import { defaultSettings, timeColumn } from './driver/connection.ts'
import { Connector } from './driver/connector.ts'
import { postgresUnavailable } from './driver/errors.ts'
import { selectVersion, type StoredVersion } from './migrate.ts'
import { baselineVersion } from './schema/index.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { refusePooler } from './refuse-pooler.ts'

/** Facts about a database that is not changed. */
export interface ExaminedPostgres {
  /** Without the password. */
  readonly address: string
  /** Of PostgreSQL, e.g. `15.13`. */
  readonly server: string
  /** Of the tables; undefined: there are none yet. */
  readonly version: number | undefined
  /** Newest version that this program supports. */
  readonly known: number
  /** Whether `version` is newer, but allows nodes of this program beside newer ones. */
  readonly isBeside: boolean
  readonly audit: AuditVerdict | undefined
  /** Newest alert or run, in epoch milliseconds; undefined: there is none. */
  readonly newestAt: number | undefined
  /** Setting `synchronous_standby_names`: empty if commits wait for no standby. */
  readonly synchronousStandbys: string
  /** Connected standbys, synchronous or not. */
  readonly standbys: number
  /** Of the clock of this machine over that of the database, in milliseconds. */
  readonly leadMs: number
  /** Of the master key of the nodes; undefined: there is none yet. */
  readonly seal: Uint8Array | undefined
}

const noTables = {
  version: undefined,
  isBeside: false,
  audit: undefined,
  newestAt: undefined,
  seal: undefined,
} as const

interface Settings {
  readonly server: string
  readonly synchronousStandbys: string
  readonly standbys: number
  readonly now: number
  readonly isOurs: boolean
}

const readSettings = `
  SELECT current_setting('server_version') AS server, current_setting('synchronous_standby_names') AS "synchronousStandbys",
    (SELECT count(*) FROM pg_stat_replication) AS standbys, to_regclass('tocsin_schema') IS NOT NULL AS "isOurs",
    ${timeColumn}`

/**
 * Beside running nodes too. Throws TocsinError `store_address_invalid` UnavailableError `store_unavailable` and ConflictError `database_unsupported`.
 *
 * @param clock epoch milliseconds
 */
export async function examinePostgres(given: string, clock: () => number): Promise<ExaminedPostgres> {
  const address = parsePostgresAddress(given)
  const database = new PostgresDatabase()
  const connector = new Connector(address, { ...defaultSettings, texts: database.texts })
  await refusePooler(connector)
  // The audit log is read in parts, each with the usual time limit.
  const connection = await connector.open().catch((error: unknown) => {
    throw postgresUnavailable(error)
  })
  try {
    const { rows } = await connection.query(readSettings)
    const { isOurs, now, ...settings } = rows[0] as Settings
    const found = {
      ...settings,
      leadMs: clock() - now,
      address: showAddress(address),
      known: baselineVersion + postgresMigrations.length,
    }
    if (!isOurs) return { ...found, ...noTables }
    const { version, oldest } = (await connection.query(selectVersion)).rows[0] as StoredVersion
    const newest = await connection.query(
      `SELECT greatest((SELECT max(created_at) FROM (SELECT created_at FROM runs ORDER BY id DESC LIMIT 1) r),
         (SELECT max(created_at) FROM (SELECT created_at FROM alerts ORDER BY id DESC LIMIT 1) a)) AS at`,
    )
    const seals = await connection.query('SELECT value FROM facts WHERE name = ?', masterKeyFact)
    const [seal] = seals.rows as readonly { readonly value: string }[]
    return {
      ...found,
      seal: seal && bytesOfFact(seal.value),
      version: Number(version),
      isBeside: Number(version) > found.known && Number(oldest ?? version) <= found.known,
      newestAt: (newest.rows[0] as { at: number | null }).at ?? undefined,
      audit: await connection.drive(judgeAudit(database)),
    }
  } finally {
    await connection.close()
  }
}
