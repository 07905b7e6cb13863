import { createSecretKey } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { openPostgresStores } from '../../server/postgres/stores.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'

describePostgres('the probe of a store on PostgreSQL', () => {
  let server: PostgresServer
  let stores: Stores
  beforeEach(async function () {
    this.timeout(60_000)
    server = await PostgresServer.start({ settings: ['wal_level = replica', 'max_wal_senders = 2'] })
    const key = createSecretKey(Buffer.from('0123456789abcdefghijklmnopqrstuv'))
    const opened = await openPostgresStores({
      address: server.address('postgres'),
      secrets: () => createSecretBox({ origin: 'environment', key, version: 1 }),
      clock: Date,
    })
    stores = opened.stores
    await stores.probe()
  })
  afterEach(async () => {
    await stores?.close()
    await server?.dispose()
  })

  const refusal = () =>
    eventually('a refusal', () =>
      stores.probe().then(
        () => undefined,
        (reason: unknown) => reason as UnavailableError,
      ),
    )

  it('says that commits wait for a synchronous standby, and passes when they no longer do', async function () {
    this.timeout(120_000)
    await server.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await server.query('SELECT pg_reload_conf()')
    const error = await refusal()
    expect(error).to.be.instanceOf(UnavailableError)
    expect(error.message).to.include("synchronous_standby_names is 'nobody'")
    expect(error.hint).to.match(/^Start the standby/)
    await server.query('ALTER SYSTEM RESET synchronous_standby_names')
    await server.query('SELECT pg_reload_conf()')
    await stores.probe()
  })

  it('says which transaction holds it up, also if that has just begun', async function () {
    this.timeout(60_000)
    const other = new pg.Client({ connectionString: server.address('postgres') })
    await other.connect()
    await other.query("BEGIN; UPDATE facts SET value = value WHERE name = 'probed_at'")
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const { code, message } = await refusal()
    expect(code).to.equal('store_busy')
    expect(message).to.include(`its longest transaction is process ${rows[0]?.pid} (idle in transaction)`)
    // Not only once the write gives up, after 30 seconds.
    expect(Number(/for (\d+) seconds/.exec(message)?.[1])).to.be.lessThan(25)
    await other.query('ROLLBACK')
    await other.end()
    await stores.probe()
  })
})
