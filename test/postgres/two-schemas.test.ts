import { expect } from 'chai'
import { commitTable } from '../../server/postgres/driver/commit-marks.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { all, connect, openDriver, run, type Driver } from './support/driver.ts'

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
      /** Adds the name and returns all of that cluster. */
      const add = (driver: Driver, name: string) =>
        driver.commits.write(function* () {
          yield* run('INSERT INTO things (name) VALUES (?)', name)
          return (yield* all('SELECT name FROM things')).map((thing) => thing['name'])
        }, scope)
      await Promise.all(drivers.map((driver) => add(driver, 'first')))
      const gate = await connect(database.address)
      await gate.query('SELECT pg_advisory_lock(?)', 1)
      const held = Promise.withResolvers<undefined>()
      const slow = node.commits.write(function* () {
        yield* run('INSERT INTO things (name) VALUES (?)', 'slow')
        held.resolve(undefined)
        yield* all('SELECT pg_advisory_lock_shared(?)', 1)
      }, scope)
      await held.promise
      const same = add(sameCluster, 'same')
      expect(await add(otherCluster, 'other')).to.have.members(['first', 'other'])
      await gate.close()
      await slow
      expect(await same).to.have.members(['first', 'first', 'slow', 'same'])
    })
})
