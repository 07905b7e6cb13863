import type { Stores } from '../../core/ports/stores.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDataDirPrivate } from '../config/data-dir.ts'
import { findMasterKey } from './find-master-key.ts'
import { withMasterKey } from '../secrets/open-secret-sources.ts'
import { observeSecrets, type LiveSecrets } from '../secrets/live-secrets.ts'
import { adoptNextKey } from '../secrets/master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { openSqliteStores, type SqliteStoresOptions } from '../sqlite/stores.ts'

interface StoreObservers extends Pick<SqliteStoresOptions, 'onAuditHead' | 'onCommit'> {
  readonly live?: Pick<LiveSecrets, 'add'>
}

/**
 * Opens the data directory and creates what is missing. `exclusive` for the process that runs investigations, `shared` for
 * commands beside it; see `SqliteStoresOptions.claim`.
 *
 * @param observers `live` learns the secrets of connections that are stored and opened; for the others see `SqliteStoresOptions`
 */
export async function openStores(
  given: Config,
  claim: NonNullable<SqliteStoresOptions['claim']>,
  { live, ...observers }: StoreObservers = {},
): Promise<Stores> {
  const config = await withMasterKey(given)
  const { dataDir, fileQuota } = config
  makeDataDirPrivate(dataDir)
  const masterKey = findMasterKey(config)
  const box = createSecretBox(masterKey)
  const secrets = live === undefined ? box : observeSecrets(box, live)
  const stores = await openSqliteStores({
    dataDir,
    secrets,
    clock: systemClock,
    claim,
    fileQuota,
    ...observers,
  })
  // Completes an interrupted rotation while no other process can.
  if (claim === 'exclusive' && masterKey.origin === 'next') adoptNextKey(dataDir, masterKey.version - 1)
  return stores
}
