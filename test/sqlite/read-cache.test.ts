import { join } from 'node:path'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { GroupCommit } from '../../server/sqlite/database/group-commit.ts'
import { known } from '../../server/sql/database/work.ts'
import { done, SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('cached rows', () => {
  let folder: TemporaryFolder
  let server: Stores
  let command: Stores

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    server = await openStoresIn(folder.path)
    command = await openStoresIn(folder.path, { claim: 'shared' })
  })
  afterEach(async () => {
    await Promise.all([server.close(), command.close()])
    await folder.remove()
  })

  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const newKey = (id: string) => ({
    id,
    name: id,
    role: 'admin' as const,
    organizationUuids: null,
    secretHash: new Uint8Array(32),
    expiresAt: null,
  })

  it('are reloaded in the turn after another process has changed them', async () => {
    await server.keys.create(newKey('first'), somebody())
    await server.keys.create(newKey('second'), somebody())
    expect((await server.keys.find('second'))?.key.revokedAt).to.equal(null)
    await command.keys.revoke('second', somebody())
    await nextTurn()
    expect((await server.keys.find('second'))?.key.revokedAt).to.be.a('number')

    expect(await server.organizations.list('all')).to.deep.equal([])
    await command.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await nextTurn()
    expect(await server.organizations.list('all')).to.have.length(1)
  })

  it('are reloaded at once after a change in this process', async () => {
    expect(await server.keys.find('first')).to.equal(undefined)
    await server.keys.create(newKey('first'), somebody())
    await server.keys.create(newKey('second'), somebody())
    expect((await server.keys.find('first'))?.key.revokedAt).to.equal(null)
    await server.keys.revoke('first', somebody())
    expect((await server.keys.find('first'))?.key.revokedAt).to.be.a('number')
  })

  it('are reloaded after a connection was changed by a person or by its other system', async () => {
    const { uuid: organizationUuid } = await server.organizations.create(
      { code: 'Acme', name: 'x' },
      somebody(),
    )
    const secrets = { token: new Secret('first') }
    const given = { name: 'siem', plugin: 'p', settings: { a: 1 }, secrets }
    const { uuid } = await server.connections.create(organizationUuid, given, somebody())
    const open = async () => (await server.connections.open(organizationUuid, 'SIEM'))!
    const first = await open()
    expect(await open(), 'the same while nothing changes').to.equal(first)
    await server.connections.update(
      organizationUuid,
      uuid,
      { secrets: { token: new Secret('second') } },
      undefined,
      somebody(),
    )
    expect((await open()).secrets['token']?.reveal()).to.equal('second')
    const call = {
      organizationUuid,
      connectionUuid: uuid,
      requestId: 'r-1',
      once: undefined,
      answers: [],
      warning: undefined,
    }
    await server.inbound.take({ ...call, broken: 'the token was revoked' })
    expect((await open()).connection.broken?.reason).to.equal('the token was revoked')
    expect(await server.connections.list([organizationUuid])).to.have.length(1)
    await server.connections.remove(organizationUuid, uuid, undefined, somebody())
    expect(await server.connections.open(organizationUuid, 'siem')).to.equal(undefined)
    expect(await server.connections.list([organizationUuid])).to.deep.equal([])
  })

  it('exclude rolled-back writes', async () => {
    const connection = openDatabase(join(folder.path, 'other.db'))
    const database = new SqliteDatabase(connection)
    const commits = new GroupCommit(database)
    const count = () =>
      done(
        database.cache.get('count', () =>
          known(connection.one<{ n: number }>('SELECT count(*) AS n FROM providers').n),
        ),
      )
    const undone = commits.write(() => {
      connection.run(`INSERT INTO providers (code, name, created_at) VALUES ('SIEM', 'x', 1)`)
      expect(count()).to.equal(1)
      throw new Error('undone')
    })
    expect(await undone.catch((error: Error) => error.message)).to.equal('undone')
    expect(count()).to.equal(0)
    await commits.close()
    connection.close()
  })
})
