import { expect } from 'chai'
import { commitTable } from '../../server/postgres/driver/commit-marks.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { all, connect, openDriver, run, type Driver } from './support/driver.ts'

/** How long a write of one cluster holds its locks. */
const holdMs = 2_000

describePostgres('two clusters in schemas of one database', () => {
  let database: TestDatabase
  let drivers: Driver[]

  beforeEach(async () => {
    database = await createDatabase()
    const administrator = await connect(database.address)
    for (const schema of ['one', '"Other-2"']) {
      await administrator.query(`CREATE SCHEMA ${schema}`)
      await administrator.query(`SET search_path = ${schema}`)
      await administrator.query(commitTable)
      await administrator.query('CREATE TABLE things (name text)')
    }
    await administrator.close()
    drivers = ['one', 'one', 'Other-2'].map((schema) => openDriver(`${database.address}?schema=${schema}`))
  })
  afterEach(async () => {
    await Promise.all(drivers.map((driver) => driver.close()))
    await database.drop()
  })

  for (const scope of ['all', { organization: 'acme' }, { run: 'a' }] as const)
    it(`do not wait for each other's writes (${JSON.stringify(scope)})`, async () => {
      const [node, sameCluster, otherCluster] = drivers as [Driver, Driver, Driver]
      const add = (driver: Driver, name: string) =>
        driver.commits.write(() => run('INSERT INTO things (name) VALUES (?)', name), scope)
      await Promise.all(drivers.map((driver) => add(driver, 'first')))
      const order: string[] = []
      let isHeld = (): void => undefined
      const held = new Promise<void>((resolve) => (isHeld = resolve))
      const slow = node.commits.write(function* () {
        yield* run('INSERT INTO things (name) VALUES (?)', 'slow')
        isHeld()
        yield* all('SELECT pg_sleep(CAST(? AS float8))', holdMs / 1_000)
      }, scope)
      await held
      await Promise.all([
        slow.then(() => order.push('slow')),
        add(sameCluster, 'same').then(() => order.push('same')),
        add(otherCluster, 'other').then(() => order.push('other')),
      ])
      expect(order).to.deep.equal(['other', 'slow', 'same'])
    })
})
