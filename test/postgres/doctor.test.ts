import { createSecretKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { theServer } from '../../core/domain/audit.ts'
import { readConfig } from '../../server/config/config.ts'
import { checkSharedDatabase } from '../../server/doctor/check-shared-database.ts'
import { examine } from '../../server/doctor/examine.ts'
import { openPostgresStores } from '../../server/postgres/stores.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const keyBytes = Buffer.from('0123456789abcdefghijklmnopqrstuv')
const box = createSecretBox({ origin: 'environment', key: createSecretKey(keyBytes), version: 1 })

describePostgres('tocsin doctor on PostgreSQL', () => {
  let folder: TemporaryFolder
  let database: TestDatabase
  before(async () => {
    folder = await makeTemporaryFolder()
    for (const name of ['data', 'playbooks']) await mkdir(join(folder.path, name), { mode: 0o700 })
  })
  after(() => folder.remove())
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => database.drop())

  const environment = (changes: Record<string, string> = {}) => ({
    TOCSIN_STORE: database.address,
    TOCSIN_DATA_DIR: join(folder.path, 'data'),
    TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
    TOCSIN_MASTER_KEY: keyBytes.toString('base64'),
    TOCSIN_PORT: '0',
    ...changes,
  })
  const find = async (checks: readonly string[], changes?: Record<string, string>) => {
    const findings = await examine(environment(changes), { online: false })
    return checks.map((check) => findings.find((finding) => finding.check === check))
  }

  /** Tables with three audit entries. */
  async function fill(): Promise<void> {
    const { stores } = await openPostgresStores({
      address: database.address,
      secrets: () => box,
      clock: Date,
      as: 'command',
    })
    for (const id of ['1', '2', '3'])
      await stores.audit.record({
        action: 'master_key.rotated',
        by: theServer,
        organizationUuid: null,
        subject: { kind: 'data', id, name: id },
      })
    await stores.close()
  }
  async function change(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.address })
    await client.connect()
    await client.query(sql)
    await client.end()
  }

  it('finds a node ready that works on the database, whatever its data directory is', async () => {
    const dataDir = join(folder.path, 'node')
    const env = { ...environment(), TOCSIN_DATA_DIR: dataDir }
    const node = await startServer({ cwd: folder.path, dataDir, env })
    try {
      const [port] = await find(['port'], { TOCSIN_PORT: new URL(node.url).port })
      expect(port).to.deep.include({ status: 'ok' })
      expect(port?.message).to.include('is ready')
    } finally {
      await node.stop('SIGKILL')
    }
  })

  it('finds the version, an unbroken audit log and the master key, and warns without a synchronous standby', async () => {
    await fill()
    const [found, audit, replication, key] = await find([
      'database',
      'audit log',
      'replication',
      'master key',
    ])
    expect(found).to.include({ status: 'ok' })
    expect(found?.message).to.match(/^PostgreSQL \d+.*: reachable, version \d+$/)
    expect(audit).to.include({ status: 'ok', message: '3 entries, all unchanged' })
    expect(replication).to.include({ status: 'warning' })
    expect(key).to.include({ status: 'ok' })
  })

  it('reports an entry that someone changed', async () => {
    await fill()
    await change(`ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET entry = '{}' WHERE id = 2;
      ALTER TABLE audit ENABLE TRIGGER USER`)
    const [audit] = await find(['audit log'])
    expect(audit).to.include({ status: 'problem' })
    expect(audit?.message).to.include('broken at entry 2')
  })

  it('reports a newer database, another master key and a database that cannot be reached', async () => {
    await fill()
    const otherKey = Buffer.from('another0123456789abcdefghijklmno').toString('base64')
    expect((await find(['master key'], { TOCSIN_MASTER_KEY: otherKey }))[0]).to.include({ status: 'problem' })
    await change('UPDATE tocsin_schema SET version = version + 1')
    const [beside] = await find(['database'])
    expect(beside).to.include({ status: 'warning' })
    expect(beside?.message).to.include('this one still works beside it')
    await change('UPDATE tocsin_schema SET oldest = version')
    const [newer] = await find(['database'])
    expect(newer).to.include({ status: 'problem' })
    expect(newer?.message).to.include('newer Tocsin')
    const [unreachable] = await find(['database'], {
      TOCSIN_STORE: 'postgres://u:canary-pw@127.0.0.1:1/none',
    })
    expect(unreachable).to.include({ status: 'problem' })
    expect(unreachable?.message).to.include('unavailable').and.not.include('canary-pw')
  })

  it('checks the master key before the first start of a node, and creates nothing', async () => {
    const unused = { TOCSIN_DATA_DIR: join(folder.path, 'unused') }
    const keyOf = async (changes = {}) => (await find(['master key'], { ...unused, ...changes }))[0]
    expect(await keyOf()).to.include({ status: 'ok' })
    expect(await keyOf({ TOCSIN_MASTER_KEY: '' })).to.include({ status: 'warning' })
    await fill()
    expect(await keyOf()).to.include({ status: 'ok' })
    expect(await keyOf({ TOCSIN_MASTER_KEY: '' })).to.include({ status: 'problem' })
    const otherKey = Buffer.from('another0123456789abcdefghijklmno').toString('base64')
    expect(await keyOf({ TOCSIN_MASTER_KEY: otherKey })).to.include({ status: 'problem' })
    expect(existsSync(unused.TOCSIN_DATA_DIR)).to.equal(false)
  })

  it('compares the clock with that of the database', async () => {
    const config = readConfig(environment())
    const clockOf = async (now: () => number) =>
      (await checkSharedDatabase(config, now)).find(({ check }) => check === 'clock')
    expect(await clockOf(() => Date.now())).to.include({ status: 'ok' })
    const ahead = await clockOf(() => Date.now() + 3_600_000)
    expect(ahead).to.include({ status: 'warning' })
    expect(ahead?.message).to.match(/^3600 s ahead of that of the database/)
    expect((await clockOf(() => Date.now() - 3_600_000))?.message).to.match(/^3600 s behind/)
  })

  it('creates no tables in an empty database', async () => {
    const [found] = await find(['database'])
    expect(found?.message).to.include('no tables yet')
    expect((await find(['database']))[0]?.message).to.include('no tables yet')
  })
})

describe('commands for SQLite with TOCSIN_STORE', () => {
  after(killCommands)

  for (const args of [
    ['backup', 'copy.db'],
    ['restore', 'copy.db'],
  ])
    it(`${args[0]} is refused before anything is read or changed`, async () => {
      const { code, stderr } = await runTocsin(args, {
        env: { TOCSIN_STORE: 'postgres://u:canary-pw@127.0.0.1:1/none' },
      })
      expect(code).to.not.equal(0)
      expect(stderr).to.include('TOCSIN_STORE is set').and.not.include('canary-pw')
    })
})
