import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { readConfig } from '../../server/config/config.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { rotateSharedKey } from '../../server/store/rotate-key.ts'
import { someTokens } from '../http/support/things.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { killCommands, runTocsin, startTocsinCommand } from '../support/server/run-tocsin.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from './support/driver.ts'

const newKey = () => randomBytes(32).toString('base64')

describePostgres('the master key of several nodes', () => {
  let folder: TemporaryFolder
  let database: TestDatabase
  let [old, next] = ['', '']
  let organizationUuid: string
  let eventsToken: string

  beforeEach(async () => {
    ;[old, next] = [newKey(), newKey()]
    folder = await makeTemporaryFolder()
    database = await createDatabase()
    await inStores(old, async (stores) => {
      organizationUuid = (await stores.organizations.create({ code: 'main', name: 'Main' }, somebody())).uuid
      const connection = await addConnection(stores, 'first')
      eventsToken = (await stores.connections.eventsToken(organizationUuid, connection.uuid)).reveal()
      await stores.signIns.save({ organizationUuid, uuid: connection.uuid }, someTokens, 1, somebody())
    })
  })
  afterEach(async () => {
    await killCommands()
    await database.drop()
    await folder.remove()
  })

  const environment = (masterKey: string, nextMasterKey = '') => ({
    TOCSIN_STORE: database.address,
    TOCSIN_DATA_DIR: folder.path,
    TOCSIN_MASTER_KEY: masterKey,
    TOCSIN_NEXT_MASTER_KEY: nextMasterKey,
  })
  const open = (key: string) => openStores(readConfig(environment(key)), 'shared')
  const rotate = () => rotateSharedKey(readConfig(environment(old, next)), somebody())
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      ({ code }) => code,
    )

  async function inStores<T>(key: string, work: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await open(key)
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }

  function addConnection({ connections }: Stores, name: string) {
    const given = { name, plugin: 'x', settings: {}, secrets: { token: new Secret(`token of ${name}`) } }
    return connections.create(organizationUuid, given, somebody())
  }

  /** All that was sealed can be opened. Gives the entries of the audit log. */
  const read = (key: string) =>
    inStores(key, async ({ connections, signIns, audit }) => {
      const { connection, secrets } = (await connections.open(organizationUuid, 'first'))!
      expect(secrets['token']?.reveal()).to.equal('token of first')
      const token = await connections.eventsToken(organizationUuid, connection.uuid)
      expect(token.reveal()).to.equal(eventsToken)
      const tokens = await signIns.open({ organizationUuid, uuid: connection.uuid })
      expect(tokens?.refresh?.reveal()).to.equal(someTokens.refresh?.reveal())
      return await audit.list('all', { action: 'master_key.rotated' }, { limit: 10 })
    })

  it('is replaced for all secrets at once by `tocsin rotate-key`', async () => {
    const { code, stdout, stderr } = await runTocsin(['rotate-key'], { env: environment(old, next) })
    expect(code, stderr).to.equal(0)
    expect(stdout)
      .to.match(/ok 4 secrets/)
      .and.include('on all servers')
    const { data } = await read(next)
    expect(data.map(({ details }) => details?.['version'])).to.deep.equal([2])
    expect(JSON.stringify(data)).to.not.include(old).and.not.include(next)
    expect(await codeOf(open(old))).to.equal('master_key_mismatch')
    expect(await codeOf(rotate())).to.equal('next_key_is_used')
  })

  it('needs another one in TOCSIN_NEXT_MASTER_KEY', async () => {
    for (const [key, code] of [
      ['', 'next_key_missing'],
      [old, 'next_key_is_old'],
    ] as const)
      expect(await codeOf(rotateSharedKey(readConfig(environment(old, key)), somebody()))).to.equal(code)
    const wrong = rotateSharedKey(readConfig(environment(newKey(), next)), somebody())
    expect(await codeOf(wrong)).to.equal('master_key_mismatch')
    expect((await read(old)).data).to.deep.equal([])
  })

  it('stays while a node runs; nodes that were lost are removed', async function () {
    this.timeout(60_000)
    const [running, lost] = await Promise.all([open(old), open(old)])
    await running.nodes.join({ name: 'running', program: '1.0.0' })
    await lost.nodes.join({ name: 'lost', program: '1.0.0' })
    const over = new AbortController()
    const renewing = (async () => {
      while (!over.signal.aborted) {
        await running.nodes.renew()
        await sleep(500)
      }
    })()
    const refused = await rotate().catch((error: Error) => error)
    over.abort()
    await renewing
    expect(refused).to.include({ code: 'nodes_running', message: 'nodes use the database: running' })
    await running.nodes.leave()
    expect(await rotate()).to.equal(4)
    const late = addConnection(lost, 'late')
    expect(await codeOf(late)).to.equal('node_removed')
    await Promise.all([running.close(), lost.close()])
    await read(next)
  })

  it('is not used any more by a command or a starting node that has the old one', async () => {
    const [command, starting] = await Promise.all([open(old), open(old)])
    await rotate()
    expect(await codeOf(addConnection(command, 'late'))).to.equal('master_key_rotated')
    expect(await codeOf(starting.nodes.join({ name: 'late', program: '1.0.0' }))).to.equal(
      'master_key_rotated',
    )
    await Promise.all([command.close(), starting.close()])
  })

  it('stays the old one if the command is killed before its commit', async () => {
    const [other, watcher] = await Promise.all([connect(database.address), connect(database.address)])
    await other.query('BEGIN')
    await other.query("SELECT 1 FROM facts WHERE name = 'master_key_check' FOR UPDATE")
    const command = startTocsinCommand(['rotate-key'], { env: environment(old, next) })
    await eventually('the command', async () => {
      const { rows } = await watcher.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rows.length > 0 || undefined
    })
    command.process.kill('SIGKILL')
    await command.ended
    await other.query('ROLLBACK')
    await Promise.all([other.close(), watcher.close()])
    expect((await read(old)).data).to.deep.equal([])
    expect(await rotate()).to.equal(4)
    await read(next)
  })
})
