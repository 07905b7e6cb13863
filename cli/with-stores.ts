import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConflictError, NotFoundError } from '../core/errors/errors.ts'
import type { Stores } from '../core/ports/stores.ts'
import { readConfig, type Config } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { openStores } from '../server/store/open-stores.ts'
import { printable } from './output/printable.ts'

/**
 * Works on the data directory of this environment, with or without a running server. Refuses a directory that
 * no server has used: most likely the path is wrong, and a key created there would be useless.
 *
 * @throws NotFoundError `data_dir_missing`
 */
export async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(configWithData(), 'shared')
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** Throws NotFoundError `data_dir_missing`. */
export function configWithData(): Config {
  const config = readConfig(processEnvironment())
  if (config.store === undefined && !existsSync(join(config.dataDir, 'tocsin.db')))
    throw dataDirMissing(config.dataDir)
  return config
}

export const dataDirMissing = (dataDir: string): NotFoundError =>
  new NotFoundError('data_dir_missing', `no Tocsin data in ${printable(dataDir)}`, {
    hint: 'set TOCSIN_DATA_DIR to the data directory of the server; the first `tocsin serve` creates it, with an admin key',
  })

/**
 * For commands that work on the files of SQLite.
 *
 * @param command e.g. `tocsin backup`
 * @param hint what to do instead
 * @throws ConflictError `store_is_shared` if TOCSIN_STORE is set
 */
export function requireSqlite({ store }: Pick<Config, 'store'>, command: string, hint: string): void {
  if (store === undefined) return
  throw new ConflictError(
    'store_is_shared',
    `TOCSIN_STORE is set, but ${command} works only on SQLite in a data directory`,
    { hint },
  )
}
