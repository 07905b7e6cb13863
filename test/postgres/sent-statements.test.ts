import { expect } from 'chai'
import { ConflictError } from '../../core/errors/errors.ts'
import type { Statement, Work } from '../../server/sql/database/work.ts'
import { describePostgres, type TestDatabase } from '../support/postgres.ts'
import { all, createThings, openDriver, run, type Driver } from './support/driver.ts'

/** A write does not wait for these, so that the next one and the last checks begin before they are answered. */
describePostgres('statements that a write to PostgreSQL only sends', () => {
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

  function* send(sql: string, values: Statement['values'], refuses?: Statement['refuses']): Work<void> {
    yield { sql, values, isSent: true, ...(refuses && { refuses }) }
  }
  const add = (name: string) => () => send('INSERT INTO things (name) VALUES (?)', [name])
  const names = () =>
    driver.reads
      .read(() => all('SELECT name FROM things ORDER BY id'))
      .then((rows) => rows.map(({ name }) => String(name)))
  const codes = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done'))

  for (const scope of [{ run: 'a' }, { organization: 'o' }, 'all'] as const)
    it(`fail their own write, whatever follows it in ${JSON.stringify(scope)}`, async () => {
      const writes = ['one', 'two', 'one', 'three', 'two', 'four'].map((name) =>
        driver.commits.write(add(name), scope),
      )
      expect(codes(await Promise.allSettled(writes))).to.deep.equal([
        'done',
        'done',
        '23505',
        'done',
        '23505',
        'done',
      ])
      expect(await names()).to.deep.equal(['one', 'two', 'three', 'four'])
    })

  it('fail the last write of a group, although its checks have been sent with them', async () => {
    const outcomes = await Promise.allSettled([
      driver.commits.write(add('one'), { run: 'a' }),
      driver.commits.write(add('one'), { run: 'a' }),
    ])
    expect(codes(outcomes)).to.deep.equal(['done', '23505'])
    expect(await names()).to.deep.equal(['one'])
  })

  it('refuse their write by what they answer, and undo it', async () => {
    const refusal = new ConflictError('refused', 'there is such a thing')
    function* addUnless(name: string, other: string): Work<void> {
      yield* add(name)()
      const select = 'SELECT name FROM things WHERE name = ?'
      yield* send(select, [other], ({ rows }) => (rows.length > 0 ? refusal : undefined))
    }
    const outcomes = await Promise.allSettled([
      driver.commits.write(() => addUnless('one', 'two'), { run: 'a' }),
      driver.commits.write(() => addUnless('two', 'one'), { run: 'a' }),
      driver.commits.write(() => addUnless('three', 'two'), { run: 'a' }),
    ])
    expect(codes(outcomes)).to.deep.equal(['done', 'refused', 'done'])
    expect(await names()).to.deep.equal(['one', 'three'])
  })

  it('do not hide a write that waits for its answer and throws', async () => {
    function* throwing(): Work<void> {
      yield* add('lost')()
      yield* run('SELECT 1')
      throw new ConflictError('refused', 'after the answer')
    }
    const outcomes = await Promise.allSettled([
      driver.commits.write(add('one'), { run: 'a' }),
      driver.commits.write(throwing, { run: 'a' }),
      driver.commits.write(add('two'), { run: 'b' }),
    ])
    expect(codes(outcomes)).to.deep.equal(['done', 'refused', 'done'])
    expect((await names()).toSorted()).to.deep.equal(['one', 'two'])
  })
})
