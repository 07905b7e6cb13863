import { expect } from 'chai'
import { describePostgres, type TestDatabase } from '../support/postgres.ts'
import { createThings, openDriver, run, type Driver } from './support/driver.ts'
import { startProxy, type CuttingProxy } from './support/cutting-proxy.ts'

describePostgres('a connection that is lost during COMMIT', () => {
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

  const attempts = new Map<string, number>()
  const add = (name: string) =>
    function* () {
      attempts.set(name, (attempts.get(name) ?? 0) + 1)
      return yield* run('INSERT INTO things (name) VALUES (?)', name)
    }
  const count = (): Promise<unknown> => driver.value('SELECT count(*) AS n FROM things')

  it('is no failure if the server has committed: the write is not repeated', async () => {
    driver = openDriver(proxy.address)
    await driver.commits.write(add('first'))
    proxy.cut = 'after'
    expect(await driver.commits.write(add('after'))).to.equal(1)
    expect(proxy.cuts).to.equal(1)
    expect(attempts.get('after')).to.equal(1)
    expect(await count()).to.equal(2)
  })

  it('makes the driver repeat the write if the server has not', async () => {
    driver = openDriver(proxy.address)
    await driver.commits.write(add('first'))
    proxy.cut = 'before'
    expect(await driver.commits.write(add('before'))).to.equal(1)
    expect(proxy.cuts).to.equal(1)
    expect(attempts.get('before')).to.equal(2)
    expect(await count()).to.equal(2)
  })

  it('is decided also for the first write, and again and again', async () => {
    driver = openDriver(proxy.address)
    for (let round = 0; round < 6; round++) {
      proxy.cut = round % 2 === 0 ? 'after' : 'before'
      expect(await driver.commits.write(add(`round ${round}`))).to.equal(1)
      expect(proxy.cut).to.equal(undefined)
    }
    expect(await count()).to.equal(6)
  })

  it('is decided when the server ends the transaction of a silent connection', async function () {
    this.timeout(60_000)
    driver = openDriver(proxy.address, { settings: { statementTimeoutMs: 200, idleTimeoutMs: 8000 } })
    proxy.cut = 'silence'
    expect(await driver.commits.write(add('silent'))).to.equal(1)
    expect(proxy.cuts).to.equal(1)
    expect(attempts.get('silent')).to.equal(2)
    expect(await count()).to.equal(1)
  })

  it('is reported as unknown if the server does not come back', async () => {
    driver = openDriver(proxy.address, { pool: { patienceMs: 300 }, commits: { patienceMs: 1_000 } })
    await driver.connect()
    await driver.commits.write(add('first'))
    proxy.cut = 'after'
    const written = driver.commits.write(add('unknown'))
    proxy.refuses = true
    const error = await written.catch((failure: unknown) => failure)
    expect(error).to.have.property('code', 'store_unavailable')
    expect(error).to.have.nested.property('details.outcome', 'unknown')
    expect(error).to.have.property('message').that.includes('may have been stored')
    proxy.refuses = false
    driver = await reopened(driver)
    expect(await count()).to.equal(2)
  })

  async function reopened(old: Driver): Promise<Driver> {
    await old.close()
    return openDriver(proxy.address)
  }
})
