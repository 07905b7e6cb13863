import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConflictError } from '../../core/errors/errors.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDataDirPrivate } from '../config/data-dir.ts'
import { DatabaseClock } from '../nodes/database-clock.ts'
import { findMasterKey } from './find-master-key.ts'
import { readOperatorSecret, withMasterKey } from '../secrets/open-secret-sources.ts'
import { observeSecrets, type LiveSecrets } from '../secrets/live-secrets.ts'
import { adoptNextKey, loadMasterKey } from '../secrets/master-key.ts'
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts'
import type { PostgresStores } from '../postgres/stores.ts'
import { openSqliteStores, type SqliteStoresOptions } from '../sqlite/stores.ts'

export interface StoreObservers extends Pick<SqliteStoresOptions, 'onAuditHead' | 'onCommit'> {
  readonly live?: Pick<LiveSecrets, 'add'>
  /** Called when the database of several nodes cannot be reached any more, and when it can again. */
  readonly onOutage?: (error: Error | undefined) => void
  /** The clock of a process that shares its database with others. Default: another one of this kind. */
  readonly clock?: DatabaseClock
}

/**
 * Opens the database of `TOCSIN_STORE`, which several nodes share, and creates or migrates its tables. PostgreSQL is loaded only here.
 *
 * @throws what `openPostgresStores` throws; ConflictError `master_key_missing`
 */
export async function openSharedStores(
  given: Config,
  as: 'server' | 'command',
  { live, clock = new DatabaseClock(), ...observers }: StoreObservers = {},
): Promise<PostgresStores> {
  const { openPostgresStores } = await import('../postgres/stores.ts')
  const config = await withMasterKey(given)
  const { dataDir, fileLimits, masterKey } = config
  const readAddress = async (): Promise<string> =>
    (await readOperatorSecret(config, 'TOCSIN_STORE', config.store))?.reveal() ?? ''
  makeDataDirPrivate(dataDir)
  const secrets = (version: number | undefined): SecretBox => {
    // A key that this node made itself could open nothing that others have sealed.
    if (version !== undefined && masterKey === undefined && !existsSync(join(dataDir, 'master.key')))
      throw masterKeyMissing()
    const box = createSecretBox(loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: masterKey?.reveal() }, version))
    return live === undefined ? box : observeSecrets(box, live)
  }
  return openPostgresStores({
    ...observers,
    address: await readAddress(),
    readAddress,
    secrets,
    clock,
    onTime: (databaseMs, tookMs) => clock.told(databaseMs, tookMs),
    as,
    fileLimits,
  })
}

const masterKeyMissing = (): ConflictError =>
  new ConflictError('master_key_missing', 'the database has a master key, but this node has none', {
    hint: 'set TOCSIN_MASTER_KEY to the key of the other nodes',
  })

/**
 * Opens the data directory and creates what is missing. `exclusive` for the process that runs investigations, `shared` for
 * commands beside it; see `SqliteStoresOptions.claim`.
 *
 * @param observers `live` learns the secrets of connections that are stored and opened; for the others see `SqliteStoresOptions`
 */
export async function openStores(
  given: Config,
  claim: NonNullable<SqliteStoresOptions['claim']>,
  { live, onOutage, clock, ...observers }: StoreObservers = {},
): Promise<Stores> {
  if (given.store !== undefined)
    return (
      await openSharedStores(given, claim === 'exclusive' ? 'server' : 'command', {
        ...observers,
        ...(live && { live }),
        ...(onOutage && { onOutage }),
        ...(clock && { clock }),
      })
    ).stores
  const config = await withMasterKey(given)
  const { dataDir, fileLimits } = config
  makeDataDirPrivate(dataDir)
  const masterKey = findMasterKey(config)
  const box = createSecretBox(masterKey)
  const secrets = live === undefined ? box : observeSecrets(box, live)
  const stores = await openSqliteStores({
    dataDir,
    secrets,
    clock: systemClock,
    claim,
    fileLimits,
    ...observers,
  })
  // Completes an interrupted rotation while no other process can.
  if (claim === 'exclusive' && masterKey.origin === 'next') adoptNextKey(dataDir, masterKey.version - 1)
  return stores
}
