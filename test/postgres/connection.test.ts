import { expect } from 'chai'
import type { PostgresConnection } from '../../server/postgres/driver/connection.ts'
import { Skipped } from '../../server/postgres/driver/batch.ts'
import { fromStored, toStored } from '../../server/postgres/schema/stored-text.ts'
import type { SqlValue } from '../../server/sql/database/columns.ts'
import { describePostgres, type TestDatabase } from '../support/postgres.ts'
import { all, connect, createThings, run } from './support/driver.ts'

const texts = { toStored, fromStored: (text: string) => fromStored(text, (sealed) => sealed) }

describePostgres('a connection to PostgreSQL', () => {
  let database: TestDatabase
  let connection: PostgresConnection

  before(async () => {
    database = await createThings()
    connection = await connect(database.address, { texts })
  })

  after(async () => {
    await connection.close()
    await database.drop()
  })

  const value = async (sql: string, ...values: SqlValue[]): Promise<unknown> =>
    Object.values((await connection.drive(all(sql, ...values)))[0] ?? {})[0]

  describe('gives values as the stores expect them', () => {
    const given: Readonly<Record<string, readonly [string, unknown]>> = {
      'int8 as a number': ["CAST('9007199254740991' AS bigint)", 9_007_199_254_740_991],
      'a negative int8': ["CAST('-9007199254740991' AS bigint)", -9_007_199_254_740_991],
      'int4 as a number': ['42', 42],
      'a sum of int8 as a number': ['(SELECT sum(x) FROM (VALUES (CAST(1 AS bigint)), (2)) v (x))', 3],
      'float8 as a number': ['CAST(0.1 AS float8)', 0.1],
      'true as 1': ['1 = 1', 1],
      'false as 0': ['1 = 2', 0],
      'null as null': ['CAST(NULL AS bigint)', null],
      'an empty text as an empty text': ["''", ''],
    }
    for (const [title, [sql, expected]] of Object.entries(given))
      it(title, async () => expect(await value(`SELECT ${sql} AS x`)).to.equal(expected))
  })

  describe('stores values and gives them back', () => {
    const kept: Readonly<Record<string, readonly [SqlValue, string]>> = {
      'a text': ['Grüße, 世界 😀', 'text'],
      'a text with quotes and backslashes': [`it's "\\n" \\x00`, 'text'],
      'a text with U+0000': ['a\0b', 'text'],
      'a text with the mark that stands for U+0000': ['a\u{FDD0}0b', 'text'],
      'an empty text': ['', 'text'],
      'a number': [9_007_199_254_740_991, 'bigint'],
      'a fraction': [-0.1, 'float8'],
      null: [null, 'bigint'],
    }
    for (const [title, [given, type]] of Object.entries(kept))
      it(title, async () => expect(await value(`SELECT CAST(? AS ${type}) AS x`, given)).to.equal(given))

    it('a bigint, as text where it is long', async () =>
      expect(await value('SELECT CAST(CAST(? AS bigint) AS text) AS x', 9_223_372_036_854_775_807n)).to.equal(
        '9223372036854775807',
      ))

    it('bytes, also as part of a larger buffer', async () => {
      const bytes = new Uint8Array([0, 1, 2, 255, 92, 120]).subarray(1)
      expect(await value('SELECT CAST(? AS bytea) AS x', bytes)).to.deep.equal(
        Buffer.from([1, 2, 255, 92, 120]),
      )
      expect(await value('SELECT CAST(? AS bytea) AS x', new Uint8Array())).to.deep.equal(Buffer.alloc(0))
    })

    it('-0 as 0 in an integer, as SQLite does', async () =>
      expect(Object.is(await value('SELECT CAST(? AS bigint) AS x', -0), 0)).to.equal(true))

    it('an unpaired surrogate as U+FFFD, as SQLite does', async () =>
      expect(await value('SELECT CAST(? AS text) AS x', 'a\ud800b')).to.equal('a\u{FFFD}b'))
  })

  it('counts the rows that a statement changes', async () => {
    expect(await connection.drive(run("INSERT INTO things (name) VALUES ('count 1'), ('count 2')"))).to.equal(
      2,
    )
    expect(await connection.drive(run("UPDATE things SET n = 1 WHERE name LIKE 'count %'"))).to.equal(2)
    expect(await connection.drive(run("DELETE FROM things WHERE name = 'count 3'"))).to.equal(0)
  })

  it('answers statements that were sent together each with its own columns', async () => {
    await connection.query('BEGIN')
    const answers = await Promise.all([
      connection.query('SELECT 1 AS one'),
      connection.query('SELECT CAST(? AS text) AS two, 3 AS three', 'x'),
      connection.query('SELECT 4 AS four WHERE 1 = 2'),
      connection.query('SELECT 1 AS one'),
    ])
    await connection.query('COMMIT')
    expect(answers.map(({ rows }) => rows)).to.deep.equal([
      [{ one: 1 }],
      [{ two: 'x', three: 3 }],
      [],
      [{ one: 1 }],
    ])
  })

  it('tells a failed statement its error, and those after it that they were skipped', async () => {
    await connection.query('BEGIN')
    const [first, failed, later] = await Promise.allSettled([
      connection.query('SELECT 5 AS five'),
      connection.query('SELECT 1 / (n - n) AS n FROM (VALUES (1)) v (n)'),
      connection.query('SELECT 6 AS six'),
    ])
    await connection.query('ROLLBACK')
    expect(first)
      .to.have.nested.property('value.rows')
      .deep.equal([{ five: 5 }])
    expect(failed).to.have.nested.property('reason.code', '22012')
    expect(later).to.have.property('reason').instanceOf(Skipped)
    // Statements of the failed batch can be used again.
    expect(await value('SELECT 6 AS six')).to.equal(6)
    expect(
      await connection.query('SELECT 1 / (n - n) AS n FROM (VALUES (1)) v (n)').catch((error) => error.code),
    ).to.equal('22012')
    expect(await value('SELECT 5 AS five')).to.equal(5)
  })

  it('tells a work the error of its statement, whose own error counts', async () => {
    function* insertTwice() {
      yield { sql: "INSERT INTO things (name) VALUES ('twice')", values: [] }
      try {
        yield { sql: "INSERT INTO things (name) VALUES ('twice')", values: [] }
      } catch (error) {
        throw new Error(`translated ${(error as { code: string }).code}`, { cause: error })
      }
    }
    const failure = await connection.drive(insertTwice()).catch((error: Error) => error.message)
    expect(failure).to.equal('translated 23505')
  })

  it('fails a work that goes on after a failed statement', async () => {
    function* ignoresErrors() {
      try {
        yield { sql: 'SELECT none', values: [] }
      } catch {
        // Its transaction is lost.
      }
      return 'done'
    }
    const failure = await connection.drive(ignoresErrors()).catch((error: { code: string }) => error.code)
    expect(failure).to.equal('42703')
  })

  it('has the settings that Tocsin relies on', async () => {
    const setting = (name: string) => value('SELECT current_setting(?) AS x', name)
    expect(await setting('application_name')).to.equal('tocsin')
    expect(await setting('TimeZone')).to.equal('UTC')
    expect(await setting('jit')).to.equal('off')
    expect(await setting('synchronous_commit')).to.equal('on')
    expect(await setting('statement_timeout')).to.equal('30s')
    expect(await setting('lock_timeout')).to.equal('10s')
    expect(await setting('idle_in_transaction_session_timeout')).to.equal('30s')
    expect(await setting('search_path')).to.equal('public')
  })
})
