import { join } from 'node:path'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { loadMasterKey } from '../../server/secrets/master-key.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { openSqliteStores, type SqliteStoresOptions } from '../../server/sqlite/stores.ts'
import type { OpenedStores } from '../contract/fixture.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/** Stores in this data directory, with the master key that lies there. */
export function openStoresIn(dataDir: string, options: Partial<SqliteStoresOptions> = {}): Promise<Stores> {
  const secrets = createSecretBox(loadMasterKey(dataDir, {}))
  return openSqliteStores({ dataDir, secrets, clock: Date, ...options })
}

/** Empty stores in a temporary folder of their own. */
export async function openTemporaryStores(clock: Pick<Clock, 'now'> = Date): Promise<OpenedStores> {
  const folder = await makeTemporaryFolder()
  const stores = await openStoresIn(join(folder.path, 'data'), { clock })
  return {
    stores,
    async dispose() {
      await stores.close()
      await folder.remove()
    },
  }
}
