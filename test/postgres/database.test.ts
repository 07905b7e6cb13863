import { expect } from 'chai'
import { leaseMs } from '../../server/nodes/keep-lease.ts'
import { openPostgres, type OpenPostgres } from '../../server/postgres/open-postgres.ts'
import type { PostgresDatabase } from '../../server/postgres/postgres-database.ts'
import type { SealedValues } from '../../server/sql/context/sealed-values.ts'
import type { Transactions } from '../../server/sql/database/work.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { run } from './support/driver.ts'

describePostgres('the database of stores on PostgreSQL', () => {
  let at: TestDatabase
  let opened: OpenPostgres
  let database: PostgresDatabase
  let transactions: Transactions

  before(async () => {
    at = await createDatabase()
    opened = await openPostgres({ address: at.address, program: '0.1.0' })
    ;({ database, transactions } = opened)
  })

  after(async () => {
    await opened.close()
    await at.drop()
  })

  const insert =
    (code: string, name = code) =>
    () =>
      database.insert(
        'INSERT INTO organizations (uuid, code, name, created_at) VALUES (?, ?, ?, ?)',
        `uuid of ${code}`,
        code,
        name,
        1,
      )

  it('is opened again by other nodes, with their notifications', async () => {
    const other = await openPostgres({ address: at.tcpAddress, program: '0.1.0' })
    const heard = Promise.withResolvers<string>()
    other.channel.listen(heard.resolve, () => void opened.channel.notify('from the first'))
    expect(await heard.promise).to.equal('from the first')
    await other.close()
  })

  it('gives the key of a new row, rows, counts, and the first row or none', async () => {
    const key = await transactions.write(insert('one', 'U+0000: \0'))
    const select = 'SELECT id, name FROM organizations WHERE code = ?'
    const read = await transactions.read(function* () {
      return {
        one: yield* database.one(select, 'one'),
        none: yield* database.get(select, 'none'),
        all: yield* database.all(select, 'one'),
      }
    })
    const row = { id: key, name: 'U+0000: \0' }
    expect(read).to.deep.equal({ one: row, none: undefined, all: [row] })
    const changed = await transactions.write(() =>
      database.run('UPDATE organizations SET name = code WHERE code = ?', 'one'),
    )
    expect(changed).to.equal(1)
  })

  it('ends a write that a stopped node has left open, and gives its locks to others, before its lease is over', async () => {
    const idle = "SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'"
    const { setting } = await transactions.write(() => database.one<{ setting: string }>(idle))
    expect(Number(setting)).to.be.within(500, leaseMs - 1_000)
  })

  it('opens sealed values when their rows are read', async () => {
    const sealed = 'SELECT open_sealed(?, ?) AS opened'
    const read = () => transactions.read(() => database.one<{ opened: string }>(sealed, 'secret', 'a place'))
    expect(await read()).to.deep.equal({ opened: 'null' })
    database.sealed = {
      open: (text: string, place: string) => `${text}, opened at ${place}`,
    } as Partial<SealedValues> as SealedValues
    expect(await read()).to.deep.equal({ opened: 'secret, opened at a place' })
    database.sealed = undefined
  })

  it('tells a work that a sealed value cannot be opened, which may go on', async () => {
    database.sealed = {
      open(text: string) {
        if (text === 'damaged') throw new Error('cannot be decrypted')
        return text
      },
    } as Partial<SealedValues> as SealedValues
    const opened = (text: string) => database.one<{ a: string }>("SELECT open_sealed(?, 'x') AS a", text)
    const refused = transactions.read(() => opened('damaged'))
    expect(await refused.catch((error: Error) => error.message)).to.equal('cannot be decrypted')
    function* goesOn() {
      let refusal: unknown
      try {
        yield* opened('damaged')
      } catch (error) {
        refusal = error
      }
      return [(yield* opened('sound')).a, (refusal as Error).message]
    }
    function* goesOnWriting() {
      yield* insert('with damage')()
      return yield* goesOn()
    }
    for (const done of [await transactions.read(goesOn), await transactions.write(goesOnWriting)])
      expect(done).to.deep.equal(['sound', 'cannot be decrypted'])
    const select = "SELECT count(*) AS stored FROM organizations WHERE code = 'with damage'"
    expect(await transactions.read(() => database.one(select))).to.deep.equal({ stored: 1 })
    database.sealed = undefined
  })

  describe('has a cache of configuration that', () => {
    let other: OpenPostgres

    before(async () => {
      other = await openPostgres({ address: at.address, program: '0.1.0' })
      await transactions.write(insert('cached', 'first'))
    })
    after(() => other.close())

    let reads = 0
    const read = ({ database: from }: OpenPostgres, key = 'name') =>
      from.cache.get(key, function* () {
        reads++
        const sql = "SELECT name FROM organizations WHERE code = 'cached'"
        return (yield* from.one<{ name: string }>(sql)).name
      })
    const cached = (from: OpenPostgres, key?: string) => from.transactions.read(() => read(from, key))
    function* rename({ database: to }: OpenPostgres, name: string) {
      yield* to.run("UPDATE organizations SET name = ? WHERE code = 'cached'", name)
      yield* to.configurationChanged()
    }
    const change = (by: OpenPostgres, name: string) => by.transactions.write(() => rename(by, name))

    it('is read once while nothing changes, without statements for a second', async () => {
      await cached(opened)
      reads = 0
      for (let times = 0; times < 20; times++) expect(await cached(opened)).to.equal('first')
      expect(reads).to.equal(0)
      expect(opened.database.knownRevision()).to.be.a('number')
      opened.database.distrustRevision()
      expect(opened.database.knownRevision()).to.equal(undefined)
      expect(await cached(opened)).to.equal('first')
      expect(reads).to.equal(0)
    })

    it('sees its own changes once they are committed, and those of other nodes within a second', async () => {
      await change(opened, 'second')
      expect(await cached(opened)).to.equal('second')
      expect(await cached(other)).to.equal('second')
      await change(other, 'third')
      expect(await cached(other)).to.equal('third')
      await eventually('the change', async () => ((await cached(opened)) === 'third' ? true : undefined))
      await change(other, 'fourth')
      opened.database.distrustRevision()
      expect(await cached(opened)).to.equal('fourth')
    })

    it('keeps nothing that is not committed', async () => {
      await transactions
        .write(function* () {
          yield* rename(opened, 'never')
          expect(yield* read(opened)).to.equal('never')
          throw new Error('rolled back')
        })
        .catch(() => {})
      expect(await cached(opened)).to.equal('fourth')
      await transactions.write(function* () {
        yield* rename(opened, 'fifth')
        expect(yield* read(opened)).to.equal('fifth')
      })
      expect(await cached(opened)).to.equal('fifth')
    })

    it('keeps nothing for later that a slow read found before a change', async () => {
      const slow = transactions.read(function* () {
        yield* database.all('SELECT 1 AS one')
        yield* database.all('SELECT pg_sleep(0.3)')
        return yield* read(opened, 'late')
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      await change(opened, 'sixth')
      expect(await cached(opened)).to.equal('sixth')
      expect(await slow, 'it sees the data of its beginning').to.equal('fifth')
      expect(await cached(opened, 'late')).to.equal('sixth')
    })
  })

  it('knows the triggers that guard the audit log', async () => {
    const unguarded = () => transactions.read(() => database.unguardedAudit())
    expect(await unguarded()).to.deep.equal([])
    const change = (sql: string) => transactions.write(() => run(sql))
    await change('ALTER TABLE audit DISABLE TRIGGER audit_keeps_entries')
    expect(await unguarded()).to.deep.equal(['audit_keeps_entries'])
    await change('ALTER TABLE audit ENABLE TRIGGER audit_keeps_entries')
    await change(
      'CREATE OR REPLACE FUNCTION audit_grows_by_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    )
    expect(await unguarded()).to.deep.equal(['audit_grows_by_one'])
    await change('DROP TRIGGER audit_keeps_entries ON audit')
    expect(await unguarded()).to.deep.equal(['audit_keeps_entries', 'audit_grows_by_one'])
  })
})
