import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConflictError } from '../core/errors/errors.ts'
import type { Stores } from '../core/ports.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { makeDataDirPrivate } from './data-dir.ts'
import { observeSecrets, type LiveSecrets } from './secrets/live-secrets.ts'
import { loadMasterKey } from './secrets/master-key.ts'
import { createSecretBox } from './secrets/secret-box.ts'
import { readKeyVersion } from './sqlite/master-key-check.ts'
import { openSqliteStores, type SqliteStoresOptions } from './sqlite/stores.ts'

interface StoreObservers extends Pick<SqliteStoresOptions, 'onAuditHead' | 'onCommit'> {
  readonly live?: Pick<LiveSecrets, 'add'>
}

/**
 * Opens what the data directory holds, making it where it is missing. `exclusive` for the one process that runs
 * investigations, `shared` for commands beside it; see `SqliteStoresOptions.claim`.
 *
 * @param observers `live` is told of the secrets of connections that are stored and opened; the others: see `SqliteStoresOptions`
 */
export async function openStores(
  config: Config,
  claim: NonNullable<SqliteStoresOptions['claim']>,
  { live, ...observers }: StoreObservers = {},
): Promise<Stores> {
  makeDataDirPrivate(config.dataDir)
  const database = join(config.dataDir, 'tocsin.db')
  requireKeyOf(database, config)
  const env = { TOCSIN_MASTER_KEY: config.masterKey?.reveal() }
  const masterKey = loadMasterKey(config.dataDir, env, readKeyVersion(database))
  const box = createSecretBox(masterKey)
  const secrets = live === undefined ? box : observeSecrets(box, live)
  return openSqliteStores({ dataDir: config.dataDir, secrets, clock: systemClock, claim, ...observers })
}

/** A new key would open nothing of what is there, and look as if all were well. */
function requireKeyOf(database: string, { masterKey, dataDir }: Config): void {
  const key = join(dataDir, 'master.key')
  if (masterKey !== undefined || existsSync(key) || !existsSync(database)) return
  throw new ConflictError('master_key_missing', `there is a database in ${dataDir}, and no master key`, {
    hint: `restore the copy of ${key} (mode 600), or set TOCSIN_MASTER_KEY to the key used before`,
  })
}
