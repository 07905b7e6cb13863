import { expect } from 'chai'
import { join } from 'node:path'
import type { Stores } from '../../core/ports/stores.ts'
import { CursorSeal } from '../../server/sql/database/cursor-seal.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { done, SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { expectRejection } from '../contract/fixture.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'

describe('cursors of lists', () => {
  let folder: TemporaryFolder
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(() => folder.remove())

  async function within<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStoresIn(join(folder.path, dataDir))
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  async function addCases(stores: Stores): Promise<string> {
    const { uuid } = await stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    for (const title of ['one', 'two', 'three'])
      await stores.cases.create(uuid, { title }, somebody(), crypto.randomUUID())
    return (await stores.cases.list('all', {}, { limit: 1 })).nextCursor ?? ''
  }
  const after = (stores: Stores, cursor: string) => stores.cases.list('all', {}, { limit: 5, cursor })

  it('are valid after a restart, but not in another data directory', async () => {
    const cursor = await within('data', addCases)
    const rest = await within('data', (stores) => after(stores, cursor))
    expect(rest.data.map(({ title }) => title)).to.deep.equal(['two', 'one'])
    await within('other', async (stores) => {
      await addCases(stores)
      await expectRejection(after(stores, cursor), 'ValidationError', 'invalid_cursor')
    })
  })

  it('are valid in a database of 0.1.0, which stored their key and the check of the master key as bytes', async () => {
    const cursor = await within('data', addCases)
    const database = new SqliteConnection(join(folder.path, 'data', 'tocsin.db'))
    for (const name of ['cursor_key', 'master_key_check']) {
      const { value } = database.one<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)
      database.run('UPDATE facts SET value = ? WHERE name = ?', Buffer.from(value, 'base64'), name)
    }
    database.close()
    const rest = await within('data', (stores) => after(stores, cursor))
    expect(rest.data.map(({ title }) => title)).to.deep.equal(['two', 'one'])
  })

  it('are refused if one bit is changed', async () => {
    await within('data', async (stores) => {
      const bytes = Buffer.from(await addCases(stores), 'base64url')
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1
        const cursor = changed.toString('base64url')
        await expectRejection(after(stores, cursor), 'ValidationError', 'invalid_cursor')
      }
    })
  })

  it('hide row numbers, which would count rows of all organizations', async () => {
    await within('data', addCases)
    const database = new SqliteConnection(join(folder.path, 'data', 'tocsin.db'))
    const seal = new CursorSeal(new SqliteDatabase(database))
    const cursors = [1, 2, 3, 4_000_000_000].map((row) => done(seal.seal('alerts', { value: 0, row })))
    const elsewhere = done(seal.seal('cases', { value: 0, row: 1 }))
    database.close()
    const hex = [...cursors, elsewhere].map((cursor) => Buffer.from(cursor, 'base64url').toString('hex'))
    for (const [at, one] of hex.entries())
      for (const other of hex.slice(at + 1)) {
        const alike = Array.from(one).filter((digit, place) => digit === other[place]).length
        expect(alike, `of 64 digits, in ${one} and ${other}`).to.be.below(24)
      }
    expect(new Set(cursors.map(({ length }) => length)).size).to.equal(1)
    expect(done(seal.open('alerts', cursors[3]!))).to.deep.equal({ value: 0, row: 4_000_000_000 })
    expect(done(seal.open('cases', cursors[0]!))).to.equal(undefined)
  })
})
