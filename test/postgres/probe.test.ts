import { createSecretKey } from 'node:crypto'
import { expect } from 'chai'
import { UnavailableError } from '../../core/errors/errors.ts'
import { openPostgresStores } from '../../server/postgres/stores.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'

describePostgres('the probe of a store on PostgreSQL', () => {
  it('says that commits wait for a synchronous standby, and passes when they no longer do', async function () {
    this.timeout(120_000)
    const server = await PostgresServer.start({ settings: ['wal_level = replica', 'max_wal_senders = 2'] })
    const key = createSecretKey(Buffer.from('0123456789abcdefghijklmnopqrstuv'))
    const { stores } = await openPostgresStores({
      address: server.address('postgres'),
      secrets: () => createSecretBox({ origin: 'environment', key, version: 1 }),
      clock: Date,
    })
    try {
      await stores.probe()
      await server.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
      await server.query('SELECT pg_reload_conf()')
      const error = await eventually('a refusal', () =>
        stores.probe().then(
          () => undefined,
          (reason: unknown) => reason as UnavailableError,
        ),
      )
      expect(error).to.be.instanceOf(UnavailableError)
      expect(error.message).to.include("synchronous_standby_names is 'nobody'")
      expect(error.hint).to.match(/^Start the standby/)
      await server.query('ALTER SYSTEM RESET synchronous_standby_names')
      await server.query('SELECT pg_reload_conf()')
      await stores.probe()
    } finally {
      await stores.close()
      await server.dispose()
    }
  })
})
