import type { Stores } from '../core/ports.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { makeDataDirPrivate } from './data-dir.ts'
import { observeSecrets, type LiveSecrets } from './secrets/live-secrets.ts'
import { loadMasterKey } from './secrets/master-key.ts'
import { createSecretBox } from './secrets/secret-box.ts'
import { openSqliteStores, type SqliteStoresOptions } from './sqlite/stores.ts'

/**
 * Opens what the data directory holds, making it where it is missing. `exclusive` for the one process that runs
 * investigations, `shared` for commands beside it; see `SqliteStoresOptions.claim`.
 *
 * @param live is told of the secrets of connections that are stored and opened
 */
export async function openStores(
  config: Config,
  claim: NonNullable<SqliteStoresOptions['claim']>,
  live?: Pick<LiveSecrets, 'add'>,
): Promise<Stores> {
  makeDataDirPrivate(config.dataDir)
  const masterKey = loadMasterKey(config.dataDir, { TOCSIN_MASTER_KEY: config.masterKey?.reveal() })
  const box = createSecretBox(masterKey)
  const secrets = live === undefined ? box : observeSecrets(box, live)
  return openSqliteStores({ dataDir: config.dataDir, secrets, clock: systemClock, claim })
}
