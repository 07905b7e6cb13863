import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadMasterKey } from '../../server/secrets/master-key.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { openSqliteStores, type SqliteStoresOptions } from '../../server/sqlite/stores.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

interface Template {
  readonly database: Buffer
  readonly key: Buffer
}

/** Created once for all files of a test process. */
let template: Promise<Template> | undefined

/**
 * Creates a data directory with an empty database and its master key, like a first start; copying takes a
 * tenth of the time.
 */
export async function makeDataDir(path: string): Promise<void> {
  const { database, key } = await (template ??= makeTemplate())
  await mkdir(path, { recursive: true, mode: 0o700 })
  await writeFile(join(path, 'master.key'), key, { mode: 0o600 })
  await writeFile(join(path, 'tocsin.db'), database, { mode: 0o600 })
}

/** Opens the stores of this data directory with its master key. */
export function openStoresIn(dataDir: string, options: Partial<SqliteStoresOptions> = {}): Promise<Stores> {
  const secrets = createSecretBox(loadMasterKey(dataDir, {}))
  return openSqliteStores({ dataDir, secrets, clock: Date, ...options })
}

export interface TemporaryStores {
  readonly stores: Stores
  readonly folder: TemporaryFolder
  /** Opens them once more, beside the first. */
  another(): Promise<Stores>
  /** Closes the stores and removes the folder. */
  dispose(): Promise<void>
}

/** Empty stores in their own temporary folder. */
export async function openTemporaryStores(
  options: Partial<SqliteStoresOptions> = {},
): Promise<TemporaryStores> {
  const folder = await makeTemporaryFolder()
  await makeDataDir(folder.path)
  const stores = await openStoresIn(folder.path, options)
  return {
    stores,
    folder,
    another: () => openStoresIn(folder.path, { ...options, claim: 'shared' }),
    async dispose() {
      await stores.close()
      await folder.remove()
    },
  }
}

async function makeTemplate(): Promise<Template> {
  const folder = await makeTemporaryFolder()
  try {
    await (await openStoresIn(folder.path)).close()
    return {
      database: await readFile(join(folder.path, 'tocsin.db')),
      key: await readFile(join(folder.path, 'master.key')),
    }
  } finally {
    await folder.remove()
  }
}
