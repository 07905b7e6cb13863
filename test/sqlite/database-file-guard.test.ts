import { copyFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { expectRejection } from '../contract/fixture.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'

describe('SQLite stores whose files are moved or replaced', function () {
  let folder: TemporaryFolder
  let data: string
  let stores: Stores
  const file = (end = '') => join(data, `tocsin.db${end}`)

  beforeEach(async function () {
    // There, open files keep their names.
    if (process.platform === 'win32') this.skip()
    folder = await makeTemporaryFolder()
    data = join(folder.path, 'data')
    stores = await openStoresIn(data)
    await add('kept')
  })
  afterEach(async () => {
    await stores?.close()
    await folder?.remove()
  })

  const add = (code: string) => stores.organizations.create({ code, name: code }, somebody())
  const codes = async () => (await stores.organizations.list('all')).map(({ code }) => code)

  async function expectRefusal(reason: string): Promise<void> {
    const error = await expectRejection(add('refused'), 'UnavailableError', 'store_unavailable')
    expect(error).to.deep.include({ details: { code: reason } })
    await expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
    expect(await codes(), 'reads go on, and nothing of it was written').to.deep.equal(['kept'])
  }

  const losses: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    'the folder is moved': async () => {
      await rename(data, `${data}.away`)
      return () => rename(`${data}.away`, data)
    },
    'the database is moved': async () => {
      await rename(file(), file('.away'))
      return () => rename(file('.away'), file())
    },
    'the write-ahead log is moved': async () => {
      await rename(file('-wal'), file('.away'))
      return () => rename(file('.away'), file('-wal'))
    },
  }
  for (const [name, lose] of Object.entries(losses))
    it(`refuse all writes if ${name}, report missing files, and accept writes again when it is back`, async () => {
      const giveBack = await lose()
      await expectRefusal('ENOENT')
      expect(stores.gone()).to.include({ code: 'store_unavailable' })
      await giveBack()
      expect(stores.gone()).to.equal(undefined)
      await add('later')
      expect(await codes()).to.deep.equal(['kept', 'later'])
    })

  it('refuse all writes if another file has the name of the database', async () => {
    await copyFile(file(), file('.copy'))
    await rename(file('.copy'), file())
    await expectRefusal('replaced')
    expect(stores.gone()).to.include({ code: 'store_unavailable' })
  })

  it('refuse all writes if the name cannot be read, and do not report missing files', async () => {
    await rename(data, `${data}.away`)
    await symlink(data, data)
    await expectRefusal('ELOOP')
    expect(stores.gone()).to.equal(undefined)
    await rm(data)
    await rename(`${data}.away`, data)
  })

  it('leave no log that could be mistaken for that of a replacement file', async () => {
    const before = new SqliteConnection(file())
    before.pragma('wal_checkpoint(TRUNCATE)')
    before.close()
    await copyFile(file(), file('.backup'))
    for (let n = 0; n < 20; n++) await add(`late_${n}`)
    await rename(file(), file('.moved'))
    await rename(file('.backup'), file())
    stores.gone()
    // Each in its own folder, because only the files beside it identify a database.
    const codesIn = (path: string) => {
      const database = new SqliteConnection(path)
      const rows = database.all<{ code: string }>('SELECT code FROM organizations')
      const whole = database.pragma('integrity_check')
      database.close()
      return [rows.length, whole]
    }
    await copyFile(file('.moved'), join(folder.path, 'moved.db'))
    expect(codesIn(join(folder.path, 'moved.db')), 'all that was acknowledged').to.deep.equal([21, 'ok'])
    await copyFile(file(), join(folder.path, 'next.db'))
    await copyFile(file('-wal'), join(folder.path, 'next.db-wal'))
    expect(codesIn(join(folder.path, 'next.db')), 'what was put there').to.deep.equal([1, 'ok'])
  })
})
