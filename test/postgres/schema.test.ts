import { expect } from 'chai'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { migrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { describePostgresSchema, describeSqlite, type DescribedSchema } from './support/described-schema.ts'

/** Indexes with few rows of each value, or whose rows are only counted. */
const notPaged = [
  'alerts_following',
  'alerts_repeating',
  'cases_assigned',
  'cases_merged',
  'cases_untold_due',
  'checkpoints_of_group',
  'journal_carried',
  'journal_unknown',
  'runs_of_schedule',
]

describePostgres('the schemas of both databases', () => {
  let database: TestDatabase
  let client: pg.Client
  let sqlite: Sqlite.Database
  let ofSqlite: DescribedSchema
  let ofPostgres: DescribedSchema

  before(async () => {
    database = await createDatabase()
    client = new pg.Client(database.address)
    await client.connect()
    await migratePostgres(client, '0.1.0')
    sqlite = new Sqlite(':memory:')
    for (const step of migrations) sqlite.exec(step)
    ofSqlite = describeSqlite(sqlite)
    ofPostgres = await describePostgresSchema(client)
  })
  after(async () => {
    sqlite.close()
    await client.end()
    await database.drop()
  })

  it('have the same tables', () => {
    expect(Object.keys(ofPostgres).toSorted()).to.deep.equal(Object.keys(ofSqlite).toSorted())
    expect(Object.keys(ofSqlite)).to.include.members(['alerts', 'audit', 'sessions'])
  })

  for (const part of ['columns', 'primaryKey', 'unique', 'foreignKeys', 'indexes', 'checks'] as const) {
    it(`have the same ${part}`, () => {
      for (const [table, described] of Object.entries(ofSqlite))
        expect(ofPostgres[table]?.[part], table).to.deep.equal(described[part])
    })
  }

  it('have indexes in the order of the key where lists read them in pages', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT indexname AS name FROM pg_indexes WHERE tablename = ANY ($1) AND indexdef LIKE 'CREATE INDEX %' AND indexdef !~ '\\yid\\y'`,
      [['alerts', 'audit', 'case_entries', 'cases', 'checkpoints', 'journal', 'runs']],
    )
    expect(rows.map(({ name }) => name)).to.have.members(notPaged)
  })
})
