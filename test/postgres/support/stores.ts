import { createSecretKey } from 'node:crypto'
import type { PostgresChanges } from '../../../server/postgres/changes.ts'
import { openPostgresStores, type PostgresStoresOptions } from '../../../server/postgres/stores.ts'
import { createSecretBox } from '../../../server/secrets/secret-box.ts'
import type { OpenedStores } from '../../contract/fixture.ts'
import { borrowDatabase } from '../../support/postgres.ts'

const secrets = createSecretBox({
  origin: 'environment',
  key: createSecretKey(Buffer.from('0123456789abcdefghijklmnopqrstuv')),
  version: 1,
})

/** With the address of their database. */
interface OpenedPostgresStores extends OpenedStores {
  readonly address: string
}

/** Empty stores in a database of their own. */
export async function openTemporaryPostgresStores(
  options: Pick<PostgresStoresOptions, 'clock'>,
): Promise<OpenedPostgresStores> {
  const database = await borrowDatabase({
    name: 'stores',
    async make(address) {
      const { stores } = await openPostgresStores({
        clock: Date,
        address,
        secrets: () => secrets,
        as: 'command',
      })
      await stores.close()
    },
  })
  const open = async (as: 'server' | 'command') =>
    (await openPostgresStores({ address: database.address, secrets: () => secrets, as, ...options })).stores
  const stores = await open('server')
  return {
    address: database.address,
    stores,
    another: () => open('command'),
    changesTold: () => (stores.changes as PostgresChanges).idle(),
    async dispose() {
      await stores.close()
      await database.drop()
    },
  }
}
