import { personOf } from '../../core/domain/audit.ts'
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { migrations, postgresMigrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { migrate } from '../../server/sqlite/database/migrate.ts'
import { expectRejection, newAlert } from '../contract/fixture.ts'
import { withSyncedDatabases } from '../support/unsynced-databases.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('opening SQLite stores', () => {
  let folder: TemporaryFolder
  let file: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    file = join(folder.path, 'tocsin.db')
  })
  afterEach(() => folder.remove())

  const version = () => withDatabase((database) => database.pragma('user_version'))

  function withDatabase<T>(use: (database: SqliteConnection) => T): T {
    const database = new SqliteConnection(file)
    try {
      return use(database)
    } finally {
      database.close()
    }
  }

  it('creates no file for a database in memory', () => {
    expect(existsSync(':memory:')).to.equal(false)
    const database = new SqliteConnection(':memory:')
    database.close()
    const isMade = existsSync(':memory:')
    rmSync(':memory:', { force: true })
    expect(isMade).to.equal(false)
  })

  it('creates tables in an empty file once', async () => {
    await (await openStoresIn(folder.path)).close()
    expect(version()).to.equal(migrations.length)
    const stores = await openStoresIn(folder.path)
    expect(await stores.organizations.list('all')).to.deep.equal([])
    await stores.close()
    expect(version()).to.equal(migrations.length)
  })

  it('keeps stored data', async () => {
    const first = await openStoresIn(folder.path)
    const acme = await first.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await first.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    const { alert } = await first.alerts.createOnce(newAlert(acme), { key: 'abc', keepMs: 60_000 })
    await first.close()
    const second = await openStoresIn(folder.path)
    expect(await second.alerts.find('all', alert.id)).to.deep.equal(alert)
    const again = await second.alerts.createOnce(newAlert(acme), { key: 'abc', keepMs: 60_000 })
    expect(again).to.deep.equal({ alert, replayed: true })
    expect((await second.alerts.create(newAlert(acme))).id).to.equal('Acme-SIEM-2')
    await second.close()
  })

  it('keeps the timeline of a case unchanged', async () => {
    const stores = await openStoresIn(folder.path)
    const acme = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await stores.cases.create(acme.uuid, { title: 'One' }, personOf('kim'), 'a')
    await stores.close()
    withDatabase((database) => {
      for (const change of [`UPDATE case_entries SET text = 'x'`, 'DELETE FROM case_entries'])
        expect(() => database.run(change), change).to.throw(/append-only/)
    })
  })

  it('applies missing migrations, each in its own transaction', () => {
    withDatabase((database) => {
      migrate(database, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'])
      expect(database.pragma('user_version')).to.equal(2)
      expect(() => migrate(database, ['', '', 'CREATE TABLE c (x)', 'CREATE TABLE a (x)'])).to.throw(
        'already exists',
      )
      expect(database.pragma('user_version')).to.equal(3)
      const names = database.all<{ name: string }>('SELECT name FROM sqlite_schema ORDER BY name')
      expect(names.map(({ name }) => name)).to.deep.equal(['a', 'b', 'c'])
    })
  })

  it('numbers the files of migrations in their order', async () => {
    const source = await readFile(
      new URL('../../server/sqlite/migrations/all-migrations.ts', import.meta.url),
      'utf8',
    )
    const files = new Map(
      [...source.matchAll(/import \{ (\w+) \} from '\.\/(\d{4})-/g)].map(([, name = '', number]) => [
        name,
        Number(number),
      ]),
    )
    const lists = source.slice(source.lastIndexOf('import ')).replaceAll(/\/\*\*[^]*?\*\//g, '')
    const order = [...lists.matchAll(/\w+/g)]
      .map(([name]) => files.get(name))
      .filter((number) => number !== undefined)
    expect(order).to.deep.equal(Array.from({ length: migrations.length - 1 }, (_, index) => index + 2))
    expect(postgresMigrations).to.have.length(migrations.length - 34)
  })

  it('rolls back an unfinished migration', () => {
    withDatabase((database) => {
      database.script('CREATE TABLE alerts (broken)')
      database.pragma('application_id = 0x546f6373')
      expect(() => migrate(database)).to.throw('already exists')
      expect(database.pragma('user_version')).to.equal(0)
      expect(database.all(`SELECT name FROM sqlite_schema`)).to.deep.equal([{ name: 'alerts' }])
      expect(database.inTransaction).to.equal(false)
    })
  })

  it('refuses a newer database and leaves it unchanged', async () => {
    await (await openStoresIn(folder.path)).close()
    withDatabase((database) => database.pragma(`user_version = ${migrations.length + 1}`))
    const error = await expectRejection(openStoresIn(folder.path), 'ConflictError', 'database_too_new')
    expect(error.hint).to.include('newer Tocsin')
    await expectRejection(openStoresIn(folder.path, { claim: 'shared' }), 'ConflictError', 'database_too_new')
    expect(version()).to.equal(migrations.length + 1)
  })

  it('refuses a file of another program', async () => {
    withDatabase((database) => database.script('CREATE TABLE songs (title)'))
    await expectRejection(openStoresIn(folder.path), 'ConflictError', 'not_a_tocsin_database')
    await writeFile(file, 'not a database at all, but long enough to be looked at'.repeat(100))
    await expectRejection(openStoresIn(folder.path), 'ConflictError', 'not_a_tocsin_database')
  })

  it('syncs at every commit and enforces foreign keys', async () => {
    const database = withSyncedDatabases(() => openDatabase(file))
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'mmap_size'].map((name) =>
      database.pragma(name),
    )
    database.close()
    expect(settings).to.deep.equal(['wal', 2, 1, 0])
  })

  it('detects with a probe that it cannot write, keeps reading, and recovers', async () => {
    const stores = await openStoresIn(folder.path, { busyTimeoutMs: 0 })
    const other = new SqliteConnection(file)
    other.script('BEGIN IMMEDIATE')
    await expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
    expect(await stores.organizations.list('all')).to.deep.equal([])
    other.close()
    await stores.probe()
    await stores.close()
  })

  it('detects a full disk with a probe, even if a small write still fits', async function () {
    if (process.platform !== 'linux') this.skip()
    const stores = await openStoresIn(folder.path)
    await symlink('/dev/full', join(folder.path, 'tocsin.probe'))
    const error = await expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
    expect(error).to.deep.include({ details: { code: 'ENOSPC' } })
    await stores.probe()
    expect(await readdir(folder.path)).not.to.include('tocsin.probe')
    await stores.close()
  })

  it('creates files that only the owner can read, regardless of the umask', async function () {
    if (process.platform === 'win32') this.skip()
    const dataDir = join(folder.path, 'new', 'data')
    const before = process.umask(0o000)
    const stores = await openStoresIn(dataDir)
    try {
      await stores.probe()
      expect((await stat(dataDir)).mode & 0o777).to.equal(0o700)
      const names = await readdir(dataDir)
      expect(names).to.include.members([
        'master.key',
        'tocsin.db',
        'tocsin.db-shm',
        'tocsin.db-wal',
        'tocsin.lock',
      ])
      for (const name of names) expect((await stat(join(dataDir, name))).mode & 0o777, name).to.equal(0o600)
    } finally {
      process.umask(before)
      await stores.close()
    }
  })

  it('tightens a database file that others can read', async function () {
    if (process.platform === 'win32') this.skip()
    await mkdir(folder.path, { recursive: true })
    await writeFile(file, '')
    await chmod(file, 0o644)
    await (await openStoresIn(folder.path)).close()
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('refuses another master key at once', async () => {
    await (await openStoresIn(folder.path)).close()
    await writeFile(join(folder.path, 'master.key'), Buffer.alloc(32, 7).toString('base64'))
    const error = await expectRejection(openStoresIn(folder.path), 'ConflictError', 'master_key_mismatch')
    expect(error.hint).to.include('master.key')
  })

  it('leaves no plain-text secret in its files', async () => {
    const stores = await openStoresIn(folder.path)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    const secrets = { token: new Secret('canary-4711-canary') }
    await stores.connections.create(
      uuid,
      { name: 'c', plugin: 'p', settings: { visible: 'seen' }, secrets },
      somebody(),
    )
    const contents = await Promise.all(
      ['tocsin.db', 'tocsin.db-wal'].map((name) => readFile(join(folder.path, name))),
    )
    await stores.close()
    contents.push(await readFile(file))
    const isStored = (text: string | Buffer) => contents.some((content) => content.includes(text))
    expect(isStored('seen')).to.equal(true)
    for (const form of ['utf8', 'utf16le'] as const) {
      expect(isStored(Buffer.from('canary-4711', form)), form).to.equal(false)
    }
    expect(isStored(Buffer.from('canary-4711').toString('base64').slice(0, 12))).to.equal(false)
  })

  it('reports a damaged page, and serves requests that need other pages', async () => {
    const before = await openStoresIn(folder.path)
    await before.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    await before.close()
    const { page, size } = withDatabase((database) => ({
      page: database.one<{ root: number }>(
        `SELECT rootpage AS root FROM sqlite_schema WHERE name = 'providers'`,
      ).root,
      size: Number(database.pragma('page_size')),
    }))
    await writeFile(file, (await readFile(file)).fill(0xaa, (page - 1) * size, page * size))
    const stores = await openStoresIn(folder.path)
    for (const call of [
      () => stores.providers.list(),
      () => stores.providers.create({ code: 'DLP', name: 'x' }, somebody()),
    ]) {
      const error = await expectRejection(call(), 'UnavailableError', 'store_unavailable')
      expect(error.details).to.deep.equal({ sqlite_code: 'SQLITE_CORRUPT' })
      expect(error.hint).to.include('backup')
    }
    expect((await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())).code).to.equal('Acme')
    await stores.close()
  })

  it('does not open a secret that was moved to another connection or field', async () => {
    const stores = await openStoresIn(folder.path)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    for (const name of ['one', 'two']) {
      const secrets = { token: new Secret(name), other: new Secret('other') }
      await stores.connections.create(uuid, { name, plugin: 'p', settings: {}, secrets }, somebody())
    }
    withDatabase((database) =>
      database.script(`UPDATE connection_secrets SET sealed = (SELECT sealed FROM connection_secrets WHERE connection_id = 2
      AND field = 'token') WHERE connection_id = 1 AND field = 'token'`),
    )
    await expectRejection(stores.connections.open(uuid, 'one'), 'ConnectionError', 'secret_unreadable')
    expect((await stores.connections.open(uuid, 'two'))?.secrets['token']?.reveal()).to.equal('two')
    withDatabase((database) =>
      database.script(`UPDATE connection_secrets SET sealed = (SELECT sealed FROM connection_secrets WHERE connection_id = 2
      AND field = 'other') WHERE connection_id = 2 AND field = 'token'`),
    )
    // Changes of other processes are visible from the next turn.
    await new Promise((resolve) => setImmediate(resolve))
    await expectRejection(stores.connections.open(uuid, 'two'), 'ConnectionError', 'secret_unreadable')
    await stores.close()
  })
})
