import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import pg from 'pg'
import { newestVersion, migratePostgres } from '../../server/postgres/migrate.ts'
import { describePostgresSchema } from '../postgres/support/described-schema.ts'
import { createDatabase, describePostgres } from '../support/postgres.ts'
import { dumpOf, fillWithStrangeRows } from './support/strange-rows.ts'
import { makeWorld, removeTemplate, type World } from './support/world.ts'

describePostgres('a migration to PostgreSQL and back', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  it('gives the same rows, whatever their values', async function () {
    this.timeout(120_000)
    fillWithStrangeRows(world.path)
    const before = dumpOf(world.path)
    for (const [table, rows] of Object.entries(before))
      if (table !== 'nodes') expect(rows, table).not.to.have.length(0)
    const there = await world.migrate()
    const backAgain = await world.migrateBack()
    const after = dumpOf(`${world.back}/tocsin.db`)
    for (const [table, rows] of Object.entries(before))
      // Chai would print megabytes.
      if (table !== 'facts') expect(isDeepStrictEqual(after[table], rows), table).to.equal(true)
    expect(after['facts']).to.deep.equal(
      before['facts']?.map((row) => {
        const [name, value] = row as readonly [string, unknown]
        return [name, value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value]
      }),
    )
    expect(backAgain.tables.map(({ table, rows, sha256 }) => ({ table, rows, sha256 }))).to.deep.equal(
      there.tables.map(({ table, rows, sha256 }) => ({ table, rows, sha256 })),
    )
    const count = Object.values(before).flat().length
    expect(there.rows).to.equal(count)
    // A new database has facts.
    expect(there.written).to.be.within(count - 6, count)
    expect(there.audit).to.deep.equal(backAgain.audit)
    expect(there.audit?.entries).to.equal(before['audit']?.length)
    expect(dumpOf(world.path), 'the original').to.deep.equal(before)
  })

  it('leaves the schema as a new database has it', async () => {
    await world.migrate()
    const fresh = await createDatabase()
    const schemas = []
    for (const address of [world.database.address, fresh.address]) {
      const client = new pg.Client(address)
      await client.connect()
      await migratePostgres(client, '0.1.0')
      schemas.push(await describePostgresSchema(client))
      await client.end()
    }
    await fresh.drop()
    expect(schemas[0]).to.deep.equal(schemas[1])
    expect(Object.keys(schemas[0] ?? {})).to.include('alerts')
    expect(await world.query('SELECT version::int AS version, program FROM tocsin_schema')).to.deep.equal([
      { version: newestVersion, program: '0.1.0' },
    ])
  })

  it('never uses a key twice', async () => {
    const sqlite = new Sqlite(world.path)
    const newest = sqlite.prepare('SELECT max(revision) FROM playbook_drafts').pluck().get() as number
    sqlite.prepare('DELETE FROM playbook_drafts WHERE revision = ?').run(newest)
    sqlite.prepare(`DELETE FROM logout_tokens`).run()
    sqlite.close()
    await world.migrate()
    const nextOf = async (table: string, key: string): Promise<number> => {
      const [row] = await world.query<{ next: string }>(
        `SELECT nextval(pg_get_serial_sequence('${table}', '${key}')) AS next`,
      )
      return Number(row?.next)
    }
    const [runs] = await world.query<{ last: string }>('SELECT max(id) AS last FROM runs')
    expect(await nextOf('runs', 'id')).to.equal(Number(runs?.last) + 1)
    expect(await nextOf('playbook_drafts', 'revision'), 'also after its row was deleted').to.equal(newest + 1)
    await world.migrateBack()
    const back = new Sqlite(join(world.back, 'tocsin.db'))
    const { lastInsertRowid } = back
      .prepare(
        `INSERT INTO playbook_drafts (name, source, note, created_at, created_by, changed_at, changed_by)
         VALUES ('a', '', '', 0, '', 0, '')`,
      )
      .run()
    back.close()
    expect(lastInsertRowid).to.equal(newest + 2)
  })

  it('leaves the identity of a database, its processes and its search index behind', async () => {
    const { cluster } = await migratedFacts()
    expect(cluster).to.match(/^[0-9a-f-]{36}$/)
    expect(await world.query('SELECT 1 FROM nodes')).to.deep.equal([])
    expect(await world.query('SELECT 1 FROM alert_search')).to.deep.equal([])
    expect(
      await world.query(`SELECT value FROM facts WHERE name = 'alerts_indexed_to'`),
      'every alert is indexed again',
    ).to.deep.equal([{ value: '0' }])
    await world.migrateBack()
    const facts = dumpOf(`${world.back}/tocsin.db`)['facts'] as readonly (readonly [string, unknown])[]
    expect(facts.map(([name]) => name)).not.to.include('cluster_id')
  })

  async function migratedFacts(): Promise<{ readonly cluster: string }> {
    await world.migrate()
    const [row] = await world.query<{ value: string }>(`SELECT value FROM facts WHERE name = 'cluster_id'`)
    return { cluster: row?.value ?? '' }
  }
})
