import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import pg from 'pg'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { migrateToPostgres } from '../../server/postgres/move/to-postgres.ts'
import { migrateToSqlite } from '../../server/postgres/move/to-sqlite.ts'
import { openPostgres } from '../../server/postgres/open-postgres.ts'
import { systemClock } from '../../server/clock.ts'
import { expectRejection } from '../contract/fixture.ts'
import { createDatabase, describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { openStoresIn } from '../support/stores.ts'
import { dumpOf } from './support/strange-rows.ts'
import { makeWorld, removeTemplate, silent, type World } from './support/world.ts'

describePostgres('a migration to PostgreSQL refuses', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  it('the data directory of a running server', async () => {
    const stores = await openStoresIn(world.dataDir)
    const error = await expectRejection(world.migrate(), 'ConflictError', 'data_dir_in_use')
    await stores.close()
    expect(error.hint).to.match(/^Stop that process/)
    await expectNothingThere()
  })

  it('commands that write, while it runs', async () => {
    const stores = await openStoresIn(world.dataDir, { claim: 'shared', busyTimeoutMs: 1 })
    let refused: Promise<unknown> | undefined
    const progress = {
      ...silent,
      onTable(name: string) {
        if (name === 'alerts')
          refused = expectRejection(stores.probe(), 'UnavailableError', 'store_unavailable')
      },
    }
    await world.migrate({ progress })
    await refused
    expect(refused).not.to.equal(undefined)
    await stores.close()
  })

  it('a database of an earlier or later version', async () => {
    for (const [change, code] of [
      [-1, 'database_too_old'],
      [2, 'database_too_new'],
    ] as const) {
      const sqlite = new Sqlite(world.path)
      sqlite.pragma(`user_version = ${(sqlite.pragma('user_version', { simple: true }) as number) + change}`)
      sqlite.close()
      await expectRejection(world.migrate(), 'ConflictError', code)
    }
    await expectNothingThere()
  })

  it('a database that has data', async () => {
    const client = await connect()
    await migratePostgres(client, '0.1.0')
    await client.query(
      `INSERT INTO organizations (uuid, code, name, created_at) VALUES ('u', 'acme', 'Acme', 0)`,
    )
    await client.end()
    const error = await expectRejection(world.migrate(), 'ConflictError', 'target_not_empty')
    expect(error.message).to.include('(organizations)')
    const mark = await world.query(`SELECT to_regclass('tocsin_migration') AS mark`)
    expect(mark, 'a server can still use it').to.deep.equal([{ mark: null }])
  })

  it('a database that a server begins to use before it is marked', async () => {
    const client = await connect()
    await migratePostgres(client, '0.1.0')
    await client.query(
      `CREATE FUNCTION join_late() RETURNS event_trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO nodes VALUES ('n', 'n', '0.1.0', 0, 0) ON CONFLICT DO NOTHING; END $$;
       CREATE EVENT TRIGGER late ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION join_late()`,
    )
    await expectRejection(world.migrate(), 'ConflictError', 'target_not_empty')
    await client.query('DROP EVENT TRIGGER late; DROP FUNCTION join_late; DELETE FROM nodes')
    await client.end()
    await world.migrate()
  })

  it('a database of another program', async () => {
    await world.query('CREATE TABLE songs (id bigint)')
    await expectRejection(world.migrate(), 'ConflictError', 'not_a_tocsin_database')
    expect(await world.query(`SELECT to_regclass('tocsin_migration') AS mark`)).to.deep.equal([
      { mark: null },
    ])
  })

  it('a read-only replica', async function () {
    this.timeout(120_000)
    const primary = await PostgresServer.start({ settings: ['wal_level = replica', 'max_wal_senders = 2'] })
    const standby = await PostgresServer.standbyOf(primary)
    const address = parsePostgresAddress(standby.address('postgres'))
    const error = await expectRejection(
      migrateToPostgres({ dataDir: world.dataDir, address, program: '0.1.0', progress: silent }),
      'UnavailableError',
      'store_unavailable',
    )
    await standby.dispose()
    await primary.dispose()
    expect(error.message).to.include('read-only replica')
    expect(error.hint).to.include('name the primary')
    expect(error.hint).not.to.include('TOCSIN_STORE')
  })

  it('an address without a server, without TLS or without the schema, and says what to do', async () => {
    const { tcpAddress } = world.database
    const addresses = [
      ['postgres://u:pass@127.0.0.1:1/tocsin', 'UnavailableError', /ECONNREFUSED/, /^Start PostgreSQL/],
      [`${tcpAddress}?sslmode=verify-full`, 'UnavailableError', /not support SSL/, /sslmode=disable/],
      [`${tcpAddress}?schema=nowhere`, 'ConflictError', /'nowhere' does not exist/, /^Create the schema/],
    ] as const
    for (const [address, name, message, hint] of addresses) {
      const options = { dataDir: world.dataDir, program: '0.1.0', progress: silent }
      const migration = migrateToPostgres({ ...options, address: parsePostgresAddress(address) })
      const code = name === 'ConflictError' ? 'database_unsupported' : 'store_unavailable'
      const error = await expectRejection(migration, name, code)
      expect(error.message).to.match(message)
      expect(error.hint).to.match(hint).and.not.include('TOCSIN_STORE')
    }
  })

  it('a user who may not create tables, and names the cause', async () => {
    const role = `limited_${world.database.tcpAddress.slice(-12)}`
    await world.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pass'`)
    const address = new URL(world.database.tcpAddress)
    address.username = role
    address.password = 'pass'
    const error = await expectRejection(
      migrateToPostgres({
        dataDir: world.dataDir,
        address: parsePostgresAddress(String(address)),
        program: '0.1.0',
        progress: silent,
      }),
      'UnavailableError',
      'store_unavailable',
    )
    await world.query(`DROP ROLE ${role}`)
    expect(error.message).to.include('permission denied')
    expect(`${error.message} ${error.hint}`).not.to.include('pass@')
  })

  it('a second migration to the same database', async () => {
    const other = await makeWorld()
    let refused: Promise<unknown> | undefined
    const progress = {
      ...silent,
      onTable(name: string) {
        if (name !== 'alerts') return
        refused = expectRejection(
          migrateToPostgres({
            dataDir: other.dataDir,
            address: parsePostgresAddress(world.database.address),
            program: '0.1.0',
            progress: silent,
            patienceMs: 0,
          }),
          'ConflictError',
          'migration_running',
        )
      },
    }
    await world.migrate({ progress })
    await refused
    expect(refused).not.to.equal(undefined)
    await other.dispose()
  })

  it('data with rows that refer to nothing, which stay unchanged', async () => {
    const sqlite = new Sqlite(world.path)
    sqlite.pragma('foreign_keys = OFF')
    sqlite.prepare('DELETE FROM passkeys').run()
    sqlite.prepare('UPDATE account_totp SET account_id = 77 WHERE account_id = 1').run()
    sqlite.close()
    const error = await expectRejection(world.migrate(), 'ConflictError', 'data_inconsistent')
    expect(error.message).to.include('account_totp').and.include('77')
    await (await openStoresIn(world.dataDir)).close()
  })

  async function expectNothingThere(): Promise<void> {
    expect(
      await world.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    ).to.deep.equal([])
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(world.database.address)
    await client.connect()
    return client
  }
})

describePostgres('a migration from PostgreSQL refuses', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
    await world.migrate()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  it('the database of running servers', async () => {
    const server = await openPostgres({ address: world.database.address, program: '0.1.0' })
    await server.transactions.read(function* () {
      yield* server.database.get('SELECT 1')
    })
    const error = await expectRejection(world.migrateBack(), 'ConflictError', 'servers_running')
    expect(error.message).to.include('this machine')
    await server.close()
    await world.migrateBack()
  })

  it('a database without data of Tocsin', async () => {
    const empty = await createDatabase()
    const address = parsePostgresAddress(empty.address)
    const migration = migrateToSqlite({ dataDir: world.back, address, progress: silent })
    const error = await expectRejection(migration, 'ConflictError', 'not_a_tocsin_database')
    await empty.drop()
    expect(error.hint).to.match(/^Correct the address/)
    expect(await readdir(world.back)).not.to.include('tocsin.db')
  })

  it('a data directory that has data', async () => {
    await cp(world.dataDir, world.back, { recursive: true })
    await rm(join(world.back, 'tocsin.db.migration'))
    await expectRejection(world.migrateBack(), 'ConflictError', 'data_dir_not_empty')
    expect(dumpOf(join(world.back, 'tocsin.db'))).to.deep.equal(dumpOf(world.path))
  })

  it('a moved database, and says where the data is and how to go back', async () => {
    await world.migrateBack()
    const error = await expectRejection(
      openPostgres({ address: world.database.address, program: '0.1.0' }),
      'ConflictError',
      'data_moved',
    )
    expect(error.message).to.include(join(world.back, 'tocsin.db'))
    expect(error.hint).to.include('drop its table tocsin_migration')
    await world.query('DROP TABLE tocsin_migration')
    await (await openPostgres({ address: world.database.address, program: '0.1.0' })).close()
  })

  it('to start with moved data, until its mark is deleted', async () => {
    const error = await expectRejection(openStoresIn(world.dataDir), 'ConflictError', 'data_moved')
    expect(error.message).to.match(/was moved to .*, database 'tocsin_\w+' \(\d{4}-/)
    expect(`${error.message} ${error.hint}`).not.to.include('postgres@')
    const [, file = ''] = /delete (\S+)\.$/.exec(error.hint ?? '') ?? []
    const mark = JSON.parse(await readFile(file, 'utf8')) as { at: number }
    expect(mark.at).to.be.closeTo(systemClock.now(), 600_000)
    await rm(file)
    await (await openStoresIn(world.dataDir)).close()
    expect(await readdir(world.dataDir)).not.to.include('tocsin.db.migration')
  })
})
