import { expect } from 'chai'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'
import { commitTable } from '../../server/postgres/driver/commit-marks.ts'
import { defaultSettings } from '../../server/postgres/driver/connection.ts'
import { Connector } from '../../server/postgres/driver/connector.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { startProxy, type CuttingProxy } from './support/cutting-proxy.ts'
import { all, connect, createThings, openDriver, run, type Driver } from './support/driver.ts'

interface Refused {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly details: { readonly postgres_code: string }
}
const refusal = (promise: Promise<unknown>): Promise<Refused> =>
  promise.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as Refused,
  )

const add = (name: string) => () => run('INSERT INTO things (name) VALUES (?)', name)
const count = () => all('SELECT count(*) AS n FROM things')

describePostgres('PostgreSQL that is away', () => {
  let database: TestDatabase
  let proxy: CuttingProxy
  let driver: Driver

  beforeEach(async () => {
    database = await createThings()
    proxy = await startProxy(database.tcpAddress)
  })

  afterEach(async () => {
    await driver.close()
    await proxy.close()
    await database.drop()
  })

  it('holds up reads and writes for a while', async () => {
    driver = openDriver(proxy.address)
    await driver.commits.write(add('one'))
    proxy.refuses = true
    proxy.cutAll()
    const written = driver.commits.write(add('two'))
    const read = driver.reads.read(count)
    await eventually('the outage', () => (driver.outages.includes('away') ? true : undefined))
    proxy.refuses = false
    expect(await written).to.equal(1)
    expect((await read)[0]?.['n']).to.be.oneOf([1, 2])
    expect(driver.outages).to.deep.equal(['away', 'back'])
  })

  it('makes them fail when it takes longer, at once from then on, and not after its return', async () => {
    driver = openDriver(proxy.address, { pool: { patienceMs: 300 } })
    await driver.connect()
    await driver.commits.write(add('one'))
    proxy.refuses = true
    proxy.cutAll()
    const refused = await Promise.all([
      refusal(driver.commits.write(add('two'), { run: 'a' })),
      refusal(driver.commits.write(add('three'), { run: 'a' })),
      refusal(driver.reads.read(count)),
    ])
    expect(refused.map(({ code }) => code)).to.deep.equal(Array(3).fill('store_unavailable'))
    const startedAt = performance.now()
    for (let times = 0; times < 50; times++) await refusal(driver.reads.read(count))
    expect(performance.now() - startedAt).to.be.lessThan((50 * 300) / 2)
    proxy.refuses = false
    await eventually('the return', () => (driver.outages.includes('back') ? true : undefined))
    expect(await driver.commits.write(add('four'))).to.equal(1)
    expect(await eventually('a read', () => driver.reads.read(count).catch(() => undefined))).to.deep.equal([
      { n: 2 },
    ])
  })

  it('is not away because its answers come slowly', async function () {
    this.timeout(60_000)
    driver = openDriver(proxy.address)
    await driver.commits.write(add('one'))
    proxy.slow = { bytes: 7, pauseMs: 1 }
    const written = Array.from({ length: 10 }, (_, index) =>
      driver.commits.write(add(`thing ${index}`), { run: String(index) }),
    )
    await Promise.all(written)
    expect(await driver.reads.read(() => all('SELECT name FROM things'))).to.have.length(11)
  })

  it('is not reported as busy while there is no connection', async () => {
    proxy.isSilent = true
    driver = openDriver(proxy.address, { pool: { patienceMs: 300 } })
    const refused = await refusal(driver.reads.read(count))
    expect(refused).to.include({
      code: 'store_unavailable',
      message: 'PostgreSQL is unavailable: no connection after 0.3 seconds',
      hint: 'Check that PostgreSQL runs and can be reached, and its log.',
    })
  })

  it('is given up when a connection gives no answer at all', async () => {
    driver = openDriver(proxy.address, { settings: { statementTimeoutMs: 200 } })
    await driver.commits.write(add('one'))
    proxy.isSilent = true
    const written = driver.commits.write(add('two'))
    await eventually('an answer to be lost', () => (proxy.lost > 0 ? true : undefined))
    proxy.isSilent = false
    expect(await written).to.equal(1)
  })
})

describePostgres('connections to PostgreSQL', () => {
  let database: TestDatabase
  let driver: Driver

  beforeEach(async () => {
    database = await createThings()
    driver = openDriver(database.address)
  })

  afterEach(async () => {
    await driver.close()
    await database.drop()
  })

  it('may be ended by the server between and during statements', async () => {
    await driver.commits.write(add('one'))
    const administrator = await connect(database.address)
    const end = (): Promise<unknown> =>
      administrator.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
    await end()
    await driver.commits.write(add('two'))
    let attempts = 0
    const written = driver.commits.write(function* () {
      attempts++
      yield* add('three')()
      yield* all('SELECT pg_sleep(CAST(? AS float8))', attempts === 1 ? 20 : 0)
    })
    const read = driver.reads.read(function* () {
      yield* all('SELECT pg_sleep(CAST(? AS float8))', attempts === 1 ? 20 : 0)
      return yield* count()
    })
    await eventually('both to sleep', async () => {
      const sql = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      return (await administrator.drive(all(sql)))[0]?.['n'] === 2 ? true : undefined
    })
    await end()
    await written
    expect(attempts).to.equal(2)
    expect((await read)[0]?.['n']).to.be.oneOf([2, 3])
    await administrator.close()
  })

  it('fail only the write whose statement is cancelled', async function () {
    this.timeout(60_000)
    const quick = openDriver(database.address, { settings: { statementTimeoutMs: 300 } })
    const outcomes = await Promise.allSettled([
      quick.commits.write(add('one'), { run: 'a' }),
      quick.commits.write(() => all('SELECT pg_sleep(20)'), { run: 'b' }),
      quick.commits.write(add('two'), { run: 'c' }),
    ])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).to.have.nested.property('reason.code', 'store_unavailable')
    expect(outcomes[1]).to.have.nested.property('reason.details.postgres_code', '57014')
    await quick.close()
  })

  it('are waited for when all are busy, and refused when that takes too long', async () => {
    const small = openDriver(database.address, { pool: { size: 2, patienceMs: 1_000 } })
    const sleeping = [1, 2].map(() => small.reads.read(() => all('SELECT pg_sleep(3) AS x')))
    const late = await refusal(small.reads.read(count))
    expect(late).to.include({ code: 'store_busy' })
    expect(late.message).to.include('all 2 connections to PostgreSQL are busy')
    await Promise.all(sleeping)
    expect(await small.reads.read(count)).to.deep.equal([{ n: 0 }])
    await small.close()
  })

  it('see one state of the data in all statements of a read', async () => {
    for (const round of [1, 2]) {
      const [first, second] = await driver.reads.read(function* () {
        const before = yield* count()
        // The second round begins in a transaction; the first one learns that it needs one.
        void driver.commits.write(add(`between ${round}`))
        yield* all('SELECT pg_sleep(0.2)')
        return [before, yield* count()]
      })
      expect(first).to.deep.equal(second)
      await eventually('the writes', async () =>
        (await driver.reads.read(count))[0]?.['n'] === first?.[0]?.['n'] ? undefined : true,
      )
    }
  })

  it('cannot write in a read', async () => {
    const error = await driver.reads
      .read(function* () {
        yield* count()
        yield* add('one')()
      })
      .catch((failure: unknown) => failure)
    expect(error).to.have.nested.property('details.postgres_code', '25006')
  })
})

describePostgres('an address of PostgreSQL that does not work', () => {
  const open = (address: string) =>
    new Connector(parsePostgresAddress(address), { ...defaultSettings, connectTimeoutMs: 2000 }).open()
  const failing = (address: string) =>
    openDriver(address)
      .reads.read(count)
      .catch((error: unknown) => error as Refused)

  it('says so for a wrong password, at once and without the password', async () => {
    const { tcpAddress, drop } = await createDatabase()
    const address = new URL(tcpAddress)
    address.password = 'wr0ng-secret'
    const startedAt = performance.now()
    const error = (await failing(String(address))) as Refused
    expect(performance.now() - startedAt).to.be.lessThan(5000)
    expect(error).to.include({ code: 'store_unavailable' })
    expect(error.details.postgres_code).to.equal('28P01')
    expect(error.hint).to.include('password in TOCSIN_STORE')
    expect(JSON.stringify([error, error.message, (error as { stack?: string }).stack])).not.to.include(
      'wr0ng',
    )
    await drop()
  })

  it('says so for an unknown database', async () => {
    const { address, drop } = await createDatabase()
    const error = (await failing(address.replace(/\/[^/]+$/, '/nowhere'))) as Refused
    expect(error.details.postgres_code).to.equal('3D000')
    expect(error.hint).to.include('Create the database')
    await drop()
  })

  it('says so when nothing listens, or without TLS', async () => {
    const refused = await open('postgres://eve@localhost:1/t').catch((error: { code: string }) => error.code)
    expect(refused).to.equal('ECONNREFUSED')
    const { tcpAddress, drop } = await createDatabase()
    const noTls = (await failing(`${tcpAddress}?sslmode=verify-full`)) as Refused
    expect(noTls.message).to.include('does not support SSL')
    expect(noTls.hint).to.include('sslmode=disable')
    await drop()
  })
})

describePostgres('a primary and its standby', () => {
  let primary: PostgresServer
  let standby: PostgresServer

  before(async function () {
    if (process.env['TOCSIN_TEST_POSTGRES']) this.skip()
    this.timeout(60_000)
    const settings = ['wal_level = replica', 'max_wal_senders = 5', 'hot_standby = on']
    primary = await PostgresServer.start({ settings })
    standby = await PostgresServer.standbyOf(primary)
  })

  after(async () => {
    await standby?.dispose()
    await primary?.dispose()
  })

  it('is refused if only the standby is named', async () => {
    const error = await new Connector(parsePostgresAddress(standby.address('postgres')), defaultSettings)
      .open()
      .catch((failure: unknown) => failure)
    expect(error).to.include({ code: '25006' })
    const driver = openDriver(standby.address('postgres'), { pool: { patienceMs: 100 } })
    await eventually('the reason', async () => {
      const refused = await refusal(driver.reads.read(() => all('SELECT 1 AS one')))
      return refused.hint.includes('read-only replica') || undefined
    })
    await driver.close()
  })

  it('is followed to the standby when that is promoted', async function () {
    this.timeout(60_000)
    const both = primary
      .address('postgres')
      .replace(/@(.*)\//, `@$1,${/@(.*)\//.exec(standby.address('postgres'))?.[1]}/`)
    const driver = openDriver(both, { pool: { patienceMs: 30_000 } })
    await primary.query(`CREATE TABLE things (name text); ${commitTable}`)
    await driver.commits.write(add('one'))
    await eventually('the replica', async () => {
      const rows = await standby.query('SELECT count(*)::int AS n FROM things').catch(() => [])
      return rows[0]?.['n'] === 1 ? true : undefined
    })
    await primary.stop('SIGKILL')
    const written = driver.commits.write(add('two'))
    await eventually('the outage', () => (driver.outages.includes('away') ? true : undefined))
    await standby.promote()
    expect(await written).to.equal(1)
    expect(await driver.reads.read(count)).to.deep.equal([{ n: 2 }])
    await driver.close()
  })
})
