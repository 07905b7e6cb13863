import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { NotFoundError } from '../core/errors/errors.ts'
import type { Stores } from '../core/ports/stores.ts'
import { readConfig, type Config } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { openStores } from '../server/store/open-stores.ts'
import { printable } from './output/printable.ts'

/**
 * Does something in the data directory of this environment, beside a running server or without one. A directory that no server
 * has used is refused instead of made: it is most likely another one than is meant, and a key in it would be valid nowhere.
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
  if (!existsSync(join(config.dataDir, 'tocsin.db'))) throw missing(config.dataDir)
  return config
}

const missing = (dataDir: string): NotFoundError =>
  new NotFoundError('data_dir_missing', `there is no Tocsin data in ${printable(dataDir)}`, {
    hint: 'TOCSIN_DATA_DIR must name the data directory of the server; the first `tocsin serve` makes it, and an admin key',
  })
