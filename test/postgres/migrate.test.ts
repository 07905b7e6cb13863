import { expect } from 'chai'
import pg from 'pg'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { oldestBeside, postgresMigrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { baselineVersion } from '../../server/postgres/schema/index.ts'
import { expectRejection } from '../contract/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'

const newest = baselineVersion + postgresMigrations.length

describePostgres('migrations of PostgreSQL', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeEach(async () => {
    database = await createDatabase()
    client = await connect()
  })
  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  it('creates the schema once, also if two nodes start together', async () => {
    const other = await connect()
    await Promise.all([migratePostgres(client, '0.1.0'), migratePostgres(other, '0.1.0')])
    await other.end()
    const cluster = await one<{ value: string }>(`SELECT value FROM facts WHERE name = 'cluster_id'`)
    expect(cluster.value).to.match(/^[0-9a-f-]{36}$/)
    await migratePostgres(client, '0.2.0')
    expect(await one(`SELECT value FROM facts WHERE name = 'cluster_id'`)).to.deep.equal(cluster)
    expect(await one('SELECT program FROM tocsin_schema')).to.deep.equal({ program: '0.1.0' })
  })

  it('applies each later migration in its own transaction', async () => {
    const steps = ['CREATE TABLE a (x TEXT)', 'CREATE TABLE b (x TEXT)']
    await migratePostgres(client, '0.1.0', { steps: steps.slice(0, 1) })
    const broken = migratePostgres(client, '0.2.0', {
      steps: [...steps, 'CREATE TABLE c (x TEXT); CREATE TABLE a (x TEXT)'],
    })
    await expectRejection(broken, 'error', '42P07')
    expect(await one('SELECT version::int AS version, program FROM tocsin_schema')).to.deep.equal({
      version: baselineVersion + 2,
      program: '0.2.0',
    })
    const tables = `SELECT string_agg(c.relname || ' ' || l.collname, ', ' ORDER BY c.relname) AS found
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'x' JOIN pg_collation l ON l.oid = a.attcollation`
    expect(await one(tables)).to.deep.equal({ found: 'a C, b C' })
    await migratePostgres(client, '0.3.0', { steps: [...steps, 'CREATE TABLE c (x TEXT)'] })
    expect(await one(tables)).to.deep.equal({ found: 'a C, b C, c C' })
  })

  it('gives way to others while a table is locked', async () => {
    await migratePostgres(client, '0.1.0', { steps: ['CREATE TABLE a (x TEXT)'] })
    const [reader, writer] = [await connect(), await connect()]
    await reader.query('BEGIN; SELECT FROM a')
    const steps = ['CREATE TABLE a (x TEXT)', 'ALTER TABLE a ADD COLUMN y TEXT']
    const migrated = migratePostgres(client, '0.2.0', { steps, waitMs: 50 })
    const isWaiting = `SELECT 1 AS found FROM pg_locks WHERE NOT granted AND relation = 'a'::regclass AND mode = 'AccessExclusiveLock'`
    await eventually('the migration', async () => (await reader.query<{ found: number }>(isWaiting)).rows[0])
    await writer.query(`INSERT INTO a (x) VALUES ('written meanwhile')`)
    expect(await version(writer)).to.equal(baselineVersion + 1)
    await reader.query('COMMIT')
    await migrated
    expect(await version(writer)).to.equal(baselineVersion + 2)
    await Promise.all([reader.end(), writer.end()])
  })

  it('makes change triggers anew only if they changed', async () => {
    const oid = `SELECT string_agg(oid::text, ',' ORDER BY tgname) AS oids FROM pg_trigger WHERE tgname LIKE 'note\\_%'`
    await migratePostgres(client, '0.1.0')
    const before = await one(oid)
    await migratePostgres(client, '0.2.0', { steps: [...postgresMigrations, 'CREATE TABLE a (x TEXT)'] })
    expect(await one(oid)).to.deep.equal(before)
    await client.query(`UPDATE tocsin_schema SET triggers = 'other'`)
    await migratePostgres(client, '0.3.0', { steps: [...postgresMigrations, '', ''] })
    expect(await one(oid)).to.not.deep.equal(before)
  })

  it('uses a newer database as it is, if that allows nodes of its version beside newer ones', async () => {
    const steps = ['CREATE TABLE a (x TEXT)', 'CREATE TABLE b (x TEXT)', 'CREATE TABLE c (x TEXT)']
    const migrate = (version: string, count: number, oldest: number) =>
      migratePostgres(client, version, { steps: steps.slice(0, count), oldest: baselineVersion + oldest })
    await migrate('0.2.0', 3, 2)
    const before = await one('SELECT * FROM tocsin_schema')
    await migrate('0.1.0', 2, 1)
    expect(await one('SELECT * FROM tocsin_schema')).to.deep.equal(before)
    const error = await expectRejection(migrate('0.0.9', 1, 0), 'ConflictError', 'database_too_new')
    expect(error.message).to.include(`has version ${baselineVersion + 3} (Tocsin 0.2.0), but`)
    expect(error.hint).to.include('Start Tocsin 0.2.0 or later')
    expect(await one('SELECT * FROM tocsin_schema')).to.deep.equal(before)
  })

  it('refuses a newer database that says nothing of older nodes, or whose tables they do not know', async () => {
    await migratePostgres(client, '0.2.0', {
      steps: ['CREATE TABLE a (x TEXT)'],
      oldest: baselineVersion + 1,
    })
    const older = () => migratePostgres(client, '0.1.0', { steps: [] })
    await expectRejection(older(), 'ConflictError', 'database_too_new')
    await client.query('ALTER TABLE tocsin_schema DROP COLUMN oldest')
    await expectRejection(older(), 'ConflictError', 'database_too_new')
    expect(await one('SELECT program FROM tocsin_schema')).to.deep.equal({ program: '0.2.0' })
  })

  it('waits for no dead node and refuses to begin beside a live one, if nodes cannot work beside it', async () => {
    await migratePostgres(client, '0.1.0', { oldest: newest })
    const steps = [...postgresMigrations, 'ALTER TABLE alerts DROP COLUMN title']
    const migrate = (oldest: number) => migratePostgres(client, '0.2.0', { steps, oldest, nodesMs: 100 })
    const row = `('a', 'web-1:7', '0.1.0', 1, 1), ('b', 'web-2:7', '0.1.0', 1, 1)`
    await client.query(`INSERT INTO nodes (id, name, program, started_at, renewed_at) VALUES ${row}`)
    const renewing = setInterval(
      () => void client.query(`UPDATE nodes SET renewed_at = renewed_at + 1 WHERE id = 'b'`).catch(() => {}),
      20,
    )
    const error = await expectRejection(migrate(newest + 1), 'ConflictError', 'older_nodes_running')
    clearInterval(renewing)
    expect(error.message).to.include('web-2:7 (Tocsin 0.1.0)').and.not.include('web-1')
    expect(await version()).to.equal(newest)
    await migrate(newest + 1)
    expect(await version()).to.equal(newest + 1)
  })

  it('adds only, after the version from which on older nodes may work beside newer ones', () => {
    expect(oldestBeside).to.be.at.most(newest)
    const adding = /^(CREATE TABLE|CREATE INDEX|ALTER TABLE \w+ ADD COLUMN|UPDATE|INSERT INTO) /
    for (const step of postgresMigrations.slice(oldestBeside - baselineVersion)) {
      for (const statement of step.split(';').map((text) => text.trim()))
        if (statement !== '') expect(statement).to.match(adding)
      for (const [, column] of step.matchAll(/ADD COLUMN ([^;]*)/g))
        if (/NOT NULL/.test(column ?? '')) expect(column).to.include('DEFAULT')
    }
  })

  it('refuses a database of another program and leaves it unchanged', async () => {
    await client.query('CREATE VIEW songs AS SELECT 1 AS id')
    await expectRejection(migratePostgres(client, '0.1.0'), 'ConflictError', 'not_a_tocsin_database')
    expect(await one(`SELECT to_regclass('tocsin_schema') AS ours`)).to.deep.equal({ ours: null })
    await client.query('DROP VIEW songs')
    await migratePostgres(client, '0.1.0')
  })

  it('uses the schema that the search_path of the user names', async () => {
    await client.query('CREATE TABLE songs (id bigint); CREATE SCHEMA tocsin; SET search_path = tocsin')
    await migratePostgres(client, '0.1.0')
    expect(await one(`SELECT to_regclass('tocsin.alerts') IS NOT NULL AS ours`)).to.deep.equal({ ours: true })
    await client.query('SET search_path = nowhere')
    await expectRejection(migratePostgres(client, '0.1.0'), 'ConflictError', 'database_unsupported')
  })

  it('refuses a database in another encoding', async () => {
    const name = `latin_${database.address.slice(-12)}`
    await client.query(
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    )
    const other = new pg.Client(database.address.replace(/tocsin_\w+/, name))
    await other.connect()
    const error = await expectRejection(
      migratePostgres(other, '0.1.0'),
      'ConflictError',
      'database_unsupported',
    )
    expect(error.message).to.include('SQL_ASCII')
    await other.end()
    await client.query(`DROP DATABASE ${name}`)
  })

  async function connect(): Promise<pg.Client> {
    const made = new pg.Client(database.address)
    // The database is dropped with its connections.
    made.on('error', () => undefined)
    await made.connect()
    return made
  }

  const version = async (by = client): Promise<number> => {
    const { rows } = await by.query<{ version: number }>('SELECT version::int AS version FROM tocsin_schema')
    return rows[0]!.version
  }

  const one = async <Row = unknown>(sql: string): Promise<Row> => (await client.query(sql)).rows[0] as Row
})
