import type { Stores } from '../core/ports.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { loadMasterKey } from './secrets/master-key.ts'
import { createSecretBox } from './secrets/secret-box.ts'
import { openSqliteStores, type SqliteStoresOptions } from './sqlite/stores.ts'

/**
 * Opens what the data directory holds, making it where it is missing. `exclusive` for the one process that runs
 * investigations, `shared` for commands beside it; see `SqliteStoresOptions.claim`.
 */
export function openStores(
  config: Config,
  claim: NonNullable<SqliteStoresOptions['claim']>,
): Promise<Stores> {
  const secrets = createSecretBox(
    loadMasterKey(config.dataDir, { TOCSIN_MASTER_KEY: config.masterKey?.reveal() }),
  )
  return openSqliteStores({ dataDir: config.dataDir, secrets, clock: systemClock, claim })
}
