import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { ConflictError, ValidationError } from '../../../core/errors/errors.ts'
import { Secret } from '../../../core/plugin/index.ts'
import { readConfig, type Config } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import type { MigrationSummary } from '../../../server/postgres/move/copy-all.ts'
import type { ToPostgresOptions } from '../../../server/postgres/move/to-postgres.ts'
import { parsePostgresAddress, type PostgresAddress } from '../../../server/postgres/driver/address.ts'
import { readOperatorSecret, withMasterKey } from '../../../server/secrets/open-secret-sources.ts'
import { createSecretBox } from '../../../server/secrets/secret-box.ts'
import { opensDatabase } from '../../../server/sqlite/file/master-key-check.ts'
import { findMasterKey } from '../../../server/store/find-master-key.ts'
import { MigrationLines } from '../../output/migration-lines.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableJson } from '../../output/printable.ts'
import { dataDirMissing } from '../../with-stores.ts'

interface MigrateOptions {
  readonly to?: string
  readonly from?: string
  readonly prepare?: boolean
  readonly json?: boolean
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('copy the data directory to PostgreSQL, or back; servers must not be running')
    .addOption(
      new Option(
        '--to <address>',
        'copy the data directory (TOCSIN_DATA_DIR) to this empty database: postgres://user:password@host/database',
      ).conflicts('from'),
    )
    .option('--from <address>', 'copy this database to a new data directory (TOCSIN_DATA_DIR)')
    .addOption(
      new Option(
        '--prepare',
        'with --to: copy most of the data beside the running server; the migration then takes less time',
      ).conflicts('from'),
    )
    .option('--json', 'print JSON: tables with rows and hashes, and the time without a server')
    .addHelpText(
      'after',
      `
Copies all rows, reads them back, and verifies the counts and hashes of all tables and the audit log. You can interrupt it at any time:
the same command continues. Servers refuse the copy until it is complete, and then the original, which is not changed.
Secrets stay encrypted with the same master key: the new servers need it.

To keep the password out of the list of processes, put the address into a file: --to file:/path/to/file.

Example:
  tocsin migrate --to postgres://tocsin:secret@db.example.com/tocsin --prepare   # while the server runs
  tocsin migrate --to postgres://tocsin:secret@db.example.com/tocsin             # after it has stopped`,
    )
    .action(migrate)
}

async function migrate({ to, from, prepare, json }: MigrateOptions): Promise<void> {
  const given = to ?? from
  if (given === undefined) throw noAddress()
  const config = requireData(readConfig(processEnvironment()), to)
  const address = await readAddress(config, to === undefined ? '--from' : '--to', given)
  const keyPlace = to === undefined ? undefined : requireKey(await withMasterKey(config))
  const progress = new MigrationLines()
  const isPreparation = prepare === true
  const options = { dataDir: config.dataDir, address, progress }
  try {
    const summary = to === undefined ? await copyFrom(options) : await copyTo({ ...options, isPreparation })
    progress.end()
    if (json === true) console.log(printableJson(inJson(summary)))
    else for (const line of linesOf(summary, { isPreparation, keyPlace })) console.log(line)
  } finally {
    progress.end()
  }
}

/** Whatever TOCSIN_STORE says: the data directory is one of the two databases. */
function requireData(config: Config, to: string | undefined): Config {
  if (to !== undefined && !existsSync(join(config.dataDir, 'tocsin.db'))) throw dataDirMissing(config.dataDir)
  return { ...config, store: undefined }
}

type Given = Pick<ToPostgresOptions, 'dataDir' | 'address' | 'progress' | 'isPreparation'>

/** Imported when called, because other commands do not need the client of PostgreSQL. */
async function copyTo(options: Given): Promise<MigrationSummary> {
  const { migrateToPostgres } = await import('../../../server/postgres/move/to-postgres.ts')
  return migrateToPostgres({ ...options, program: packageJson.version })
}

async function copyFrom(options: Given): Promise<MigrationSummary> {
  const { migrateToSqlite } = await import('../../../server/postgres/move/to-sqlite.ts')
  return migrateToSqlite(options)
}

async function readAddress(config: Config, option: string, given: string): Promise<PostgresAddress> {
  const secret = await readOperatorSecret(config, option, new Secret(given))
  return parsePostgresAddress(secret?.reveal() ?? '')
}

/** Where the key is that opens the secrets of the original: without it, no server could start with the copy. */
function requireKey(config: Config): string {
  const key = findMasterKey(config)
  const path = `${config.dataDir}/tocsin.db`
  if (key.origin === 'next')
    throw new ConflictError('rotation_unfinished', 'the rotation of the master key is not finished', {
      hint: 'Start the server once, which finishes it, and stop it again.',
    })
  if (!opensDatabase(path, createSecretBox(key)))
    throw new ConflictError('master_key_mismatch', `the master key does not open the secrets of ${path}`, {
      hint: 'Restore master.key beside the database, or set TOCSIN_MASTER_KEY to the key used before.',
    })
  return key.origin === 'environment' ? 'its present value' : `the content of ${config.dataDir}/master.key`
}

const inJson = (summary: MigrationSummary) => ({
  from: summary.from,
  to: summary.to,
  rows: summary.rows,
  written: summary.written,
  bytes: summary.bytes,
  read_only_seconds: Math.round(summary.readOnlySeconds * 10) / 10,
  audit: summary.audit ?? null,
  tables: summary.tables,
})

interface Shown {
  readonly isPreparation: boolean
  /** Undefined: the copy is a data directory. */
  readonly keyPlace: string | undefined
}

function linesOf(summary: MigrationSummary, { isPreparation, keyPlace }: Shown): readonly string[] {
  const { from, to, audit, readOnlySeconds } = summary
  const rows = `${summary.rows.toLocaleString('en')} rows of ${summary.tables.length} tables`
  if (isPreparation)
    return [
      `${paint.good('ok')} ${printable(to)} has ${rows}; ${summary.written.toLocaleString('en')} were written now`,
      '   to migrate, stop the server and run the same command without --prepare',
    ]
  return [
    `${paint.good('ok')} ${printable(from)} is copied to ${printable(to)}: ${rows}`,
    '   verified: all tables have the same rows in both databases, by count and hash',
    ...auditLines(audit),
    `   no server could run for ${readOnlySeconds.toFixed(1)} seconds`,
    ...(keyPlace === undefined
      ? [
          '   start one server with this data directory, without TOCSIN_STORE',
          '   it needs the same master key: leave TOCSIN_MASTER_KEY set, or write its value to master.key in the data directory (mode 600)',
        ]
      : [
          '   start the servers with TOCSIN_STORE set to the address of this database,',
          `   and with TOCSIN_MASTER_KEY set to ${printable(keyPlace)}`,
        ]),
    `   servers refuse the original from now on; keep it until you have a backup of the copy`,
  ]
}

function auditLines(audit: MigrationSummary['audit']): readonly string[] {
  if (audit === undefined) return []
  const { entries, hash, broken } = audit
  if (broken === null)
    return [
      `   verified: the audit log is unbroken; ${entries} entries, the last with the hash ${hash ?? 'none'}`,
    ]
  return [
    `${paint.warn('!')}  the audit log is broken at entry ${broken.sequence}, as in the original: ${printable(broken.reason)}`,
  ]
}

function noAddress(): ValidationError {
  const message = 'name the database with --to or --from'
  return new ValidationError('address_missing', message, [{ pointer: '', message }], {
    hint: 'tocsin migrate --to postgres://user:password@host/database',
  })
}
