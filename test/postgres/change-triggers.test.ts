import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { changeTriggers, parseChanges } from '../../server/postgres/change-triggers.ts'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { watchedTables, type NotedChange } from '../../server/sql/database/changes.ts'
import { createTriggers, ownOrganization } from '../../server/sqlite/database/change-triggers.ts'
import { postgresMigrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import type { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/** Rows of all watched tables, in an order that foreign keys allow. */
const inserts: readonly string[] = [
  `organizations (id, uuid, code, name, created_at) VALUES (7, 'u', 'acme', 'Acme', 1)`,
  `providers (id, code, name, created_at) VALUES (3, 'p', 'P', 1)`,
  `accounts (id, uuid, email, email_key, name, created_at) VALUES (4, 'a', 'e', 'e', 'n', 1)`,
  `api_keys (id, uuid, public_id, name, role, all_organizations, secret_hash, created_at) VALUES (5, 'k', 'k', 'n', 'admin', 1, CAST('' AS BLOB), 1)`,
  `sessions (id, uuid, token_hash, account_id, method, client, created_at, last_used_at) VALUES (6, 's', CAST('' AS BLOB), 4, 'm', 'c', 1, 1)`,
  `cases (id, organization_id, number, title, summary, status, severity, verdict, created_at, modified_at) VALUES (8, 7, 1, 't', 's', 'open', 'low', 'v', 1, 1)`,
  `case_entries (id, case_id, at, author, kind, text) VALUES (9, 8, 1, 'a', 'note', 't')`,
  `case_files (id, case_id, sha256, size, name, content_type, at, author_kind, author_id, author) VALUES (10, 8, 'x', 1, 'n', 't', 1, 'k', 'i', 'a')`,
  `case_tasks (id, uuid, case_id, title, created_at, author_kind, author_id, author) VALUES (11, 't', 8, 't', 1, 'k', 'i', 'a')`,
  `alerts (id, uuid, organization_id, provider_id, sequence, created_by, created_at, modified_at, status) VALUES (12, 'al', 7, 3, 1, 'x', 1, 1, 0)`,
  `runs (id, uuid, organization_id, playbook_name, playbook_hash, status, created_at) VALUES (13, 'r1', 7, 'p', 'h', 'failed', 1)`,
  `runs (id, uuid, organization_id, playbook_name, playbook_hash, status, created_at, retry_of) VALUES (14, 'r2', 7, 'p', 'h', 'queued', 1, 13)`,
  `journal (id, run_id, path, kind, state, attempt, started_at) VALUES (15, 14, 'p', 'k', 's', 1, 1)`,
  `failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at) VALUES (14, 'p', 1, '{}', 1, 1, 1)`,
  `checkpoints (id, public_id, organization_id, run_id, path, question, state, created_at, timeout_at) VALUES (16, 'c', 7, 14, 'p', '{}', 'waiting', 1, 1)`,
  `checkpoint_answers (id, checkpoint_id, outcome, author, at) VALUES (17, 16, 'o', '{}', 1)`,
  `containments (id, uuid, organization_id, run_uuid, path, state, action, undone_by, created_at, changed_at) VALUES (18, 'co', 7, 'r2', 'p', 's', '{}', 'u', 1, 1)`,
  `notifications (id, uuid, organization_id, event, kind, subject_kind, subject_id, facts, at, last_at, told) VALUES (19, 'n', 7, 'e', 'k', 's', 'i', '{}', 1, 1, 0)`,
  `notification_reads (notification_id, account_uuid, at) VALUES (19, 'a', 1)`,
  `notification_people (account_uuid) VALUES ('a')`,
  `connections (id, uuid, organization_id, name, folded_name, plugin, settings, enabled, created_at, modified_at) VALUES (20, 'cn', 7, 'n', 'n', 'p', '{}', 1, 1, 1)`,
  `playbooks (id, organization_id, name, hash, source, origin, newest, created_at) VALUES (21, 7, 'p', 'h', 's', 'generated', 1, 1)`,
  `playbook_drafts (revision, organization_id, name, source, note, created_at, created_by, changed_at, changed_by) VALUES (22, 7, 'p', 's', '', 1, 'x', 1, 'x')`,
  `playbook_drafts (revision, name, source, note, created_at, created_by, changed_at, changed_by) VALUES (23, 'q', 's', '', 1, 'x', 1, 'x')`,
  `facts (name, value) VALUES ('paused', '{}')`,
  `facts (name, value) VALUES ('other', '{}')`,
  `audit (id, entry, hash) VALUES (1, '{"organization_uuid":"u"}', 'h')`,
  `audit (id, entry, hash) VALUES (2, '{"organization_uuid":null}', 'h')`,
]

const tableOf = (insert: string): string => /^\w+/.exec(insert)?.[0] ?? ''
const tables = [...new Set(inserts.map(tableOf))]
const appendOnly = new Set(['audit', 'case_entries'])

/** Inserts, updates of each watched column and of one that may be unwatched, and deletes. */
const statements: readonly string[] = [
  ...inserts.map((insert) => `INSERT INTO ${insert}`),
  ...watchedTables
    .filter(({ table }) => !appendOnly.has(table))
    .flatMap(({ table, columns }) =>
      (columns ?? []).map((column) => `UPDATE ${table} SET ${column} = ${column}`),
    ),
  'UPDATE runs SET wake_at = 5, turn = 2',
  'UPDATE alerts SET listed = 1',
  'UPDATE journal SET attempt = 2',
  'UPDATE notifications SET told = 1',
  'UPDATE notifications SET at = 2',
  'UPDATE checkpoints SET counted = 1',
  `UPDATE facts SET value = '{}'`,
  'UPDATE sessions SET last_used_at = 2',
  'UPDATE providers SET name = name',
  ...tables
    .filter((table) => !appendOnly.has(table) && table !== 'cases' && table !== 'organizations')
    .toReversed()
    .map((table) => `DELETE FROM ${table}`),
]

describePostgres('change triggers of PostgreSQL', () => {
  let database: TestDatabase
  let client: pg.Client
  let folder: TemporaryFolder
  let sqlite: SqliteConnection
  let ofSqlite: NotedChange[]

  beforeEach(async () => {
    database = await createDatabase()
    client = new pg.Client(database.address)
    await client.connect()
    await migratePostgres(client, '0.1.0')
    folder = await makeTemporaryFolder()
    sqlite = openDatabase(join(folder.path, 'x.db'))
    ofSqlite = []
    sqlite.define('note_change', (kind, organization, key) => {
      ofSqlite.push({
        kind,
        organization: organization === ownOrganization ? undefined : organization,
        key,
      } as NotedChange)
    })
    createTriggers(sqlite)
  })
  afterEach(async () => {
    sqlite.close()
    await folder.remove()
    await client.end()
    await database.drop()
  })

  it('note what those of SQLite note, each row once', async () => {
    expect(tables).to.have.members([...new Set(watchedTables.map(({ table }) => table))])
    const kinds = new Set<string>()
    for (const statement of statements) {
      ofSqlite = []
      sqlite.script(statement)
      await client.query('BEGIN')
      await client.query(statement.replace('AS BLOB', 'AS bytea'))
      const noted = await readNoted()
      await client.query('COMMIT')
      const once = new Map(ofSqlite.map((change) => [`${change.kind} ${change.key}`, change]))
      expect(noted, statement).to.have.deep.members([...once.values()])
      for (const { kind } of ofSqlite) kinds.add(kind)
    }
    expect([...kinds]).to.have.members([...new Set(watchedTables.map(({ kind }) => kind))])
  })

  it('note a row once, forget what was rolled back, and begin anew with each transaction', async () => {
    await client.query('BEGIN')
    await client.query(`INSERT INTO ${inserts[0]}`)
    await client.query('UPDATE organizations SET name = name')
    await client.query('SAVEPOINT s')
    await client.query(`INSERT INTO ${inserts[1]}`)
    await client.query('ROLLBACK TO s')
    expect(await readNoted()).to.deep.equal([{ kind: 'organization', organization: 7, key: 7 }])
    await client.query('COMMIT')
    expect(await readNoted()).to.deep.equal([])
  })

  it('note only that a transaction changed many rows', async () => {
    await client.query('BEGIN')
    const insert = (from: number, to: number) =>
      client.query(
        `INSERT INTO providers (code, name, created_at) SELECT 'p' || n, 'P', 1 FROM generate_series(${from}, ${to}) n`,
      )
    await insert(1, 500)
    expect(await readNoted()).to.have.length(500)
    await insert(501, 10_000)
    expect(await readNoted()).to.equal('many')
    await client.query('ROLLBACK')
  })

  // A changed digest needs a migration, which may be empty, so that databases get the new triggers.
  it('belong to a version of the schema', () => {
    const digest = createHash('sha256').update(changeTriggers()).digest('hex').slice(0, 16)
    expect({ migrations: postgresMigrations.length, digest }).to.deep.equal({
      migrations: 4,
      digest: '61c62a37def6255f',
    })
  })

  async function readNoted(): Promise<readonly NotedChange[] | 'many'> {
    const { rows } = await client.query<{ noted: string | null }>(
      `SELECT current_setting('tocsin.changes', true) AS noted`,
    )
    return parseChanges(rows[0]?.noted ?? null)
  }
})
