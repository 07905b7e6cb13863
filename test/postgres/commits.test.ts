import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ConflictError } from '../../core/errors/errors.ts'
import { LockStatement } from '../../server/postgres/driver/exclusion.ts'
import { claims } from '../../server/sql/database/request-claims.ts'
import type { Work } from '../../server/sql/database/work.ts'
import { describePostgres, type TestDatabase } from '../support/postgres.ts'
import { eventually } from '../support/eventually.ts'
import {
  all,
  connect,
  createThings,
  openDriver,
  run,
  type Driver,
  type DriverOptions,
} from './support/driver.ts'

describePostgres('writes to PostgreSQL', () => {
  let database: TestDatabase
  let driver: Driver
  const groups: number[] = []

  const open = (options: DriverOptions = {}): Driver =>
    openDriver(database.address, {
      ...options,
      commits: { onCommit: ({ writes }) => groups.push(writes), ...options.commits },
    })

  beforeEach(async () => {
    database = await createThings()
    driver = open()
    groups.length = 0
  })

  afterEach(async () => {
    await driver.close()
    await database.drop()
  })

  const add = (name: string) => () => run('INSERT INTO things (name) VALUES (?)', name)
  const names = (): Promise<string[]> =>
    driver.reads
      .read(() => all('SELECT name FROM things ORDER BY id'))
      .then((rows) => rows.map(({ name }) => String(name)))

  it('are committed together, in order, and seen by reads once their promises resolve', async () => {
    const expected = Array.from({ length: 100 }, (_, index) => `thing ${index}`)
    await Promise.all(expected.map((name) => driver.commits.write(add(name))))
    expect(await names()).to.deep.equal(expected)
    expect(groups.length).to.be.lessThan(6)
  })

  it('are nothing when their transaction changes nothing', async () => {
    expect(await driver.commits.write(() => run("DELETE FROM things WHERE name = 'none'"))).to.equal(0)
    expect(await driver.value('SELECT count(*) AS n FROM tocsin_commits')).to.equal(0)
  })

  it('keep the order of their scope, while other scopes take turns with them', async () => {
    const log: string[] = []
    const step = (run: string, name: string) =>
      function* () {
        for (const part of [1, 2, 3]) {
          yield* all('SELECT 1 AS one')
          log.push(`${run}${name}${part}`)
        }
      }
    const written = ['a', 'b'].flatMap((run) =>
      ['1', '2'].map((name) => driver.commits.write(step(run, name), { run })),
    )
    await Promise.all(written)
    const of = (run: string) => log.filter((entry) => entry.startsWith(run)).map((entry) => entry.slice(1))
    expect(of('a')).to.deep.equal(['11', '12', '13', '21', '22', '23'])
    expect(of('b')).to.deep.equal(of('a'))
    expect(log.slice(0, 2)).to.have.members(['a11', 'b11'])
  })

  it('exclude what they name, here and on other nodes', async function () {
    this.timeout(60_000)
    const other = open()
    const count = (uuid: string) =>
      function* () {
        const [row] = (yield* all('SELECT n FROM things WHERE name = ?', uuid)) as { n: number }[]
        yield* all('SELECT 1 AS one')
        yield* run('UPDATE things SET n = ? WHERE name = ?', (row?.n ?? 0) + 1, uuid)
      }
    const runs = ['a', 'b', 'c']
    await Promise.all(runs.map((name) => driver.commits.write(add(name), { run: name })))
    await other.commits.write(() => all('SELECT 1 AS one')) // both are connected
    const times = 15
    const countOften = async ({ commits }: Driver): Promise<void> => {
      for (let time = 0; time < times; time++) {
        await Promise.all(runs.map((name) => commits.write(count(name), { run: name })))
        if (time % 5 === 0) await commits.write(count('a'))
        if (time % 5 === 0) await commits.write(count('b'), 'all')
      }
    }
    await Promise.all([driver, other].map(countOften))
    await other.close()
    expect(await driver.value("SELECT n FROM things WHERE name = 'a'")).to.equal(2 * times + 6)
    expect(await driver.value("SELECT n FROM things WHERE name = 'b'")).to.equal(2 * times + 6)
    expect(await driver.value("SELECT n FROM things WHERE name = 'c'")).to.equal(2 * times)
  })

  it('hold a lock until they end, in one transaction and on two nodes', async () => {
    const other = open()
    await other.commits.write(() => all('SELECT 1 AS one')) // both are connected
    const lock = new LockStatement('test')
    function* next(): Work<void> {
      yield* all('SELECT 1 AS one')
      yield lock
      yield lock
      const [row] = yield* all('SELECT coalesce(max(n), 0) AS n FROM things')
      yield* all('SELECT 1 AS one')
      yield* run(
        'INSERT INTO things (name, n) VALUES (?, ?)',
        `number ${Number(row?.['n']) + 1}`,
        Number(row?.['n']) + 1,
      )
      yield* all('SELECT 1 AS one')
    }
    const written: Promise<void>[] = []
    for (let index = 0; index < 40; index++)
      written.push((index % 2 ? driver : other).commits.write(next, { run: String(index) }))
    await Promise.all(written)
    expect(await driver.value('SELECT max(n) AS n FROM things')).to.equal(40)
    expect(groups.length, 'nothing was repeated apart').to.be.lessThan(12)
    await other.close()
  })

  it('run in several groups at once, but not beside one that excludes all', async () => {
    let [underWay, most, besideAll] = [0, 0, 0]
    const slow = (key: string) =>
      function* () {
        underWay++
        most = Math.max(most, underWay)
        if (key === 'all' && underWay > 1) besideAll++
        yield* all('SELECT pg_sleep(0.02)')
        if (key === 'all' && underWay > 1) besideAll++
        underWay--
      }
    const written: Promise<void>[] = []
    for (let round = 0; round < 10; round++) {
      for (const name of ['a', 'b', 'c'])
        written.push(driver.commits.write(slow(name), { run: `${name}${round}` }))
      if (round % 3 === 1) written.push(driver.commits.write(slow('all')))
      await sleep(15)
    }
    await Promise.all(written)
    expect(most).to.be.greaterThan(1)
    expect(besideAll).to.equal(0)
  })

  it('fail alone, whatever else their group wrote', async () => {
    function* refuses(name: string): Work<void> {
      yield* add(name)()
      throw new ConflictError('refused', name)
    }
    const outcomes = await Promise.allSettled([
      driver.commits.write(add('one'), { run: 'a' }),
      driver.commits.write(() => refuses('two'), { run: 'a' }),
      driver.commits.write(add('three'), { run: 'a' }),
      driver.commits.write(add('one'), { run: 'b' }),
      driver.commits.write(add('four')),
      driver.commits.write(() => refuses('five')),
      driver.commits.write(add('six'), { run: 'c' }),
      driver.commits.write(() => {
        throw new ConflictError('refused', 'at once')
      }),
    ])
    const told = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code,
    )
    expect(told).to.deep.equal([1, 'refused', 1, '23505', 1, 'refused', 1, 'refused'])
    expect(await names()).to.deep.equal(['one', 'three', 'four', 'six'])
  })

  it('leave nothing behind when another write of their group fails between their statements', async () => {
    function* addThree(name: string, failsAfter = 3): Work<void> {
      for (let part = 0; part < 3; part++) {
        yield* add(`${name}${part}`)()
        if (part === failsAfter) throw new ConflictError('refused', name)
      }
    }
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((run, index) =>
        driver.commits.write(() => addThree(run, index === 1 ? 0 : undefined), { run }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect((await names()).toSorted()).to.deep.equal(
      ['a', 'c', 'd'].flatMap((name) => [`${name}0`, `${name}1`, `${name}2`]),
    )
  })

  it('are repeated after a deadlock with another transaction', async () => {
    await driver.commits.write(add('one'))
    await driver.commits.write(add('two'))
    const client = await connect(database.address)
    await client.query('BEGIN')
    await client.query("UPDATE things SET n = 5 WHERE name = 'two'")
    let attempts = 0
    const written = driver.commits.write(function* () {
      attempts++
      yield* run("UPDATE things SET n = n + 1 WHERE name = 'one'")
      yield* run("UPDATE things SET n = n + 1 WHERE name = 'two'")
    })
    await eventually('the write to wait', async () =>
      (await driver.value('SELECT count(*) AS n FROM pg_locks WHERE NOT granted')) === 1 ? true : undefined,
    )
    // The server ends one of the two; this one waits longer before it looks.
    await client.query("SET deadlock_timeout = '20s'")
    await client.query("UPDATE things SET n = n + 1 WHERE name = 'one'")
    await client.query('COMMIT')
    await client.close()
    await written
    expect(attempts).to.equal(2)
    expect(await driver.value("SELECT n FROM things WHERE name = 'one'")).to.equal(2)
    expect(await driver.value("SELECT n FROM things WHERE name = 'two'")).to.equal(6)
  })

  it('are rejected together when the check before the commit fails', async () => {
    const checked = open({
      commits: {
        *beforeCommit() {
          const [row] = yield* all("SELECT count(*) AS n FROM things WHERE name = 'lease'")
          if (row?.['n'] === 0) throw new ConflictError('lease_over', 'the lease is over')
        },
      },
    })
    const outcomes = await Promise.allSettled([
      checked.commits.write(add('one'), { run: 'a' }),
      checked.commits.write(add('two'), { run: 'b' }),
    ])
    for (const outcome of outcomes) {
      expect(outcome).to.have.nested.property('reason.code', 'store_unavailable')
      expect(outcome).to.have.nested.property('reason.cause.code', 'lease_over')
    }
    expect(await names()).to.deep.equal([])
    await driver.commits.write(add('lease'))
    await checked.commits.write(add('one'), { run: 'a' })
    expect(await names()).to.deep.equal(['lease', 'one'])
    await checked.close()
  })

  it('record the request that they belong to in the same commit', async () => {
    const taken: string[] = []
    const claim = {
      *take(written: unknown) {
        yield* add(`claim of ${String(written)}`)()
      },
      taken: () => void taken.push('taken'),
    }
    await claims.run(claim, () => driver.commits.write(add('one')))
    expect(await names()).to.deep.equal(['one', 'claim of 1'])
    expect(taken).to.deep.equal(['taken'])
    const repeated = await claims
      .run(claim, () => driver.commits.write(add('two')))
      .catch((error: { code: string }) => error.code)
    expect(repeated).to.equal('23505')
    expect(await names()).to.deep.equal(['one', 'claim of 1'])
    expect(taken).to.deep.equal(['taken'])
  })

  it('report what triggers noted, after the commit', async () => {
    const reported: string[] = []
    const watched = open({ commits: { onChanges: (changes) => void reported.push(changes) } })
    const note = (text: string) => all("SELECT set_config('tocsin.changes', ?, true)", text)
    await watched.commits.write(function* () {
      yield* add('one')()
      yield* note('a change')
    })
    await watched.commits.write(add('two'))
    await watched.commits
      .write(function* () {
        yield* add('three')()
        yield* note('a change that is rolled back')
        throw new ConflictError('refused', 'three')
      })
      .catch(() => {})
    expect(reported).to.deep.equal(['a change'])
    await watched.close()
  })

  it('are refused when too many wait, and after the end', async () => {
    const small = open({ commits: { maxQueued: 3 } })
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) => small.commits.write(add(name))),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      ...Array.from({ length: 3 }, () => 'fulfilled'),
      ...Array.from({ length: 2 }, () => 'rejected'),
    ])
    expect(outcomes[4]).to.have.nested.property('reason.code', 'store_busy')
    await small.close()
    const late = await small.commits.write(add('f')).catch((error: { code: string }) => error.code)
    expect(late).to.equal('store_closed')
  })

  it('are committed before the end', async () => {
    const closing = open()
    const written = Array.from({ length: 50 }, (_, index) =>
      closing.commits.write(add(`thing ${index}`), { run: String(index) }),
    )
    await closing.close()
    await Promise.all(written)
    expect(await names()).to.have.length(50)
  })

  it('wait for a busy scope without holding up others', async () => {
    const blocker = await connect(database.address)
    await driver.commits.write(add('held'), { run: 'a' })
    await blocker.query('BEGIN')
    await blocker.query("UPDATE things SET n = 1 WHERE name = 'held'")
    const update = () => run("UPDATE things SET n = n + 1 WHERE name = 'held'")
    const held = [driver.commits.write(update, { run: 'a' })]
    await eventually('the first to wait', async () =>
      (await driver.value('SELECT count(*) AS n FROM pg_locks WHERE NOT granted')) === 1 ? true : undefined,
    )
    held.push(driver.commits.write(update, { run: 'a' }))
    await driver.commits.write(add('other'), { run: 'b' })
    const after = driver.commits.write(() => all("SELECT n FROM things WHERE name = 'held'"))
    await blocker.query('COMMIT')
    await blocker.close()
    await Promise.all(held)
    expect(await after, 'a write that excludes all overtakes nothing').to.deep.equal([{ n: 3 }])
    expect(await driver.value("SELECT n FROM things WHERE name = 'held'")).to.equal(3)
  })
})
