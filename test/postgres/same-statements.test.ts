import { expect } from 'chai'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { fromStored, toStored } from '../../server/postgres/schema/index.ts'
import { migrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'

const strange = JSON.stringify({
  code: 'x',
  n: 7,
  o: { p: 'q' },
  list: [1, 'ü'],
  texts: { 'a\0': ['\0b\ufdd0'] },
  none: null,
  nul: 'a\0b',
  half: 'a\ud800b\udc00',
  pair: '\u{1F600}',
  slashes: '\\u0000 \\\\ud800',
})

/** Statements whose meaning could differ, with bound values. */
const statements: readonly (readonly [sql: string, ...values: (string | number | null)[]])[] = [
  [
    `SELECT j ->> '$.code' AS a, j ->> '$.o.p' AS b, j ->> '$.none' AS c, j ->> '$.absent' AS d FROM (SELECT CAST(? AS text) AS j) x`,
    strange,
  ],
  [
    `SELECT j ->> '$.nul' AS a, j ->> '$.slashes' AS b, j ->> '$.pair' AS c, j ->> '$.o' AS d FROM (SELECT CAST(? AS text) AS j) x`,
    strange,
  ],
  [
    `SELECT j -> '$.code' AS a, j -> '$.n' AS b, j -> '$.o' AS c, j -> '$.absent' AS d, j -> '$.list' AS e FROM (SELECT CAST(? AS text) AS j) x`,
    strange,
  ],
  [`SELECT j -> '$.nul' AS a, j -> '$.texts' AS b FROM (SELECT CAST(? AS text) AS j) x`, strange],
  [`SELECT CAST(j ->> '$.n' AS bigint) AS n FROM (SELECT CAST(? AS text) AS j) x`, strange],
  [`SELECT 1 AS found WHERE (CAST(? AS text) ->> '$.nul') = ?`, strange, 'a\0b'],
  [`SELECT key, value FROM json_each(?) ORDER BY key`, '["a","\\u0000","ü",null]'],
  [`SELECT CAST(value AS bigint) AS value FROM json_each(?) ORDER BY value`, '[3,1,9007199254740991]'],
  [`SELECT p.value ->> '$.a' AS a FROM json_each(?) p ORDER BY p.key`, '[{"a":"b"},{"a":"c\\u0000"}]'],
  ['SELECT value FROM json_each(?)', '[]'],
  [`SELECT json_quote(CAST(? AS text)) AS a, json_quote(CAST(? AS text)) AS b`, 'a"\\ü\n\0', null],
  [
    `SELECT json_group_array(code ORDER BY id) AS a, json_group_array(code) FILTER (WHERE id > 9) AS none FROM organizations`,
  ],
  ['SELECT json_group_array(name ORDER BY id) AS a FROM organizations'],
  [`SELECT string_agg(code, ',' ORDER BY id DESC) AS a FROM organizations`],
  [
    'SELECT max(id, 2) AS a, min(id, 2) AS b, max(id, NULL) AS c, max(NULL, id) AS d, max(0, id - 5) AS e FROM organizations ORDER BY id',
  ],
  ['SELECT sum(max(0, id - 1)) AS a, max(id) AS b, min(id) AS c FROM organizations'],
  [`SELECT instr(code, 'B') AS a, instr(code, '') AS b FROM organizations ORDER BY id`],
  ['SELECT code FROM organizations ORDER BY code || name'],
  ['SELECT code FROM organizations ORDER BY lower(code) DESC'],
  ['SELECT code FROM organizations WHERE lower(code) = ?', 'beta'],
  ['SELECT name FROM organizations ORDER BY name'],
  ['SELECT lower(name) AS a FROM organizations ORDER BY id'],
  ['SELECT name FROM organizations WHERE name > ? ORDER BY name', 'a'],
  [`SELECT name FROM organizations WHERE lower(name) LIKE ? ESCAPE '\\'`, '%e z\\_%'],
  [
    'SELECT octet_length(name) AS a, length(code) AS b, substr(name, 1, 2) AS c FROM organizations WHERE id < 3 ORDER BY id',
  ],
  ['SELECT id FROM organizations WHERE name = ?', 'a\0z_'],
  ['SELECT name FROM organizations WHERE id = 3'],
  ['SELECT case_targets IS NULL AS a, EXISTS (SELECT 1) AS b, id > 1 AS c FROM organizations ORDER BY id'],
  ['SELECT id FROM organizations ORDER BY destructive_limits NULLS FIRST, id'],
  ['SELECT id FROM organizations ORDER BY id LIMIT 9223372036854775807 OFFSET 1'],
  ['SELECT id FROM organizations WHERE destructive_limits IS NOT DISTINCT FROM ? ORDER BY id', null],
  ['SELECT created_at / 1000 * 1000 AS a, -created_at / 1000 AS b FROM organizations ORDER BY id'],
  ['SELECT CAST(created_at AS TEXT) AS a FROM organizations ORDER BY id'],
  [
    'SELECT t.id, p.period FROM organizations t CROSS JOIN (SELECT 1 AS period UNION ALL SELECT 2) p ON true ORDER BY 1, 2',
  ],
]

const cases: readonly Readonly<Record<string, string | number | null>>[] = [
  { severity: 'critical', closed_at: null, responded_at: null, respond_due_at: 10, resolve_due_at: 20 },
  { severity: 'high', closed_at: null, responded_at: 5, respond_due_at: 10, resolve_due_at: 20 },
  { severity: 'high', closed_at: 20, responded_at: 10, respond_due_at: 10, resolve_due_at: 20 },
  { severity: 'medium', closed_at: 30, responded_at: 15, respond_due_at: 10, resolve_due_at: 20 },
  { severity: 'low', closed_at: 30, responded_at: null, respond_due_at: null, resolve_due_at: 20 },
  { severity: 'informational', closed_at: null, responded_at: null, respond_due_at: 30, resolve_due_at: 20 },
  { severity: 'other', closed_at: null, responded_at: null, respond_due_at: null, resolve_due_at: null },
]

describePostgres('statements for both databases', () => {
  let database: TestDatabase
  let client: pg.Client
  let sqlite: Sqlite.Database

  before(async () => {
    database = await createDatabase()
    client = new pg.Client({ connectionString: database.address, types: { getTypeParser: parserOf } })
    await client.connect()
    await migratePostgres(client, '0.1.0')
    sqlite = new Sqlite(':memory:')
    for (const step of migrations) sqlite.exec(step)
    const insert =
      'INSERT INTO organizations (id, uuid, code, name, created_at, destructive_limits) VALUES (?, ?, ?, ?, ?, ?)'
    await onBoth(insert, 1, 'u1', 'Beta', 'École', 1_700_000_000_123, null)
    await onBoth(insert, 2, 'u2', 'alpha', 'Apple z_', 9_007_199_254_740_991, '{}')
    await onBoth(insert, 3, 'u3', 'B_2', 'a\0z_', 5, null)
  })
  after(async () => {
    sqlite.close()
    await client.end()
    await database.drop()
  })

  for (const [sql, ...values] of statements) {
    it(`gives the same rows: ${sql}`, async () => {
      const [ofSqlite, ofPostgres] = await onBoth(sql, ...values)
      expect(ofPostgres).to.deep.equal(ofSqlite)
    })
  }

  it('selects rows for each statement that has some', async () => {
    const empty: string[] = []
    for (const [sql, ...values] of statements)
      if ((await onBoth(sql, ...values))[0].length === 0) empty.push(sql)
    expect(empty).to.deep.equal(['SELECT value FROM json_each(?)'])
  })

  it('computes the generated columns of cases', async () => {
    for (const [number, given] of cases.entries()) {
      const values = {
        ...given,
        organization_id: 1,
        number,
        title: 't',
        summary: 's',
        status: 'open',
        verdict: 'v',
        created_at: 1,
        modified_at: 1,
      }
      const names = Object.keys(values)
      await onBoth(
        `INSERT INTO cases (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        ...Object.values(values),
      )
    }
    const [ofSqlite, ofPostgres] = await onBoth(
      'SELECT number, severity_rank, queue_rank, due_rank, is_late FROM cases ORDER BY number',
    )
    expect(ofPostgres).to.deep.equal(ofSqlite)
    expect(ofSqlite).to.have.length(cases.length)
  })

  it('reads the columns of an audit entry from its text, whatever it holds', async () => {
    const entry = {
      at: 1_700_000_000_123,
      action: 'key.created',
      actor: { id: 'k', name: 'a\0\ud800b' },
      organization_uuid: null,
      subject: { id: '\\u0000' },
      details: { skill: 'x.y', note: '\0\0' },
    }
    await onBoth('INSERT INTO audit (id, entry, hash) VALUES (?, ?, ?)', 1, JSON.stringify(entry), 'h')
    const [ofSqlite, ofPostgres] = await onBoth(
      'SELECT entry, at, action, actor_id, organization_uuid, subject_id, skill FROM audit',
    )
    expect(ofPostgres).to.deep.equal(ofSqlite)
    const [, [named]] = await onBoth('SELECT actor_name FROM audit')
    expect(named).to.deep.equal({ actor_name: 'a\0\u{FFFD}b' })
  })

  it('keep the audit log and timelines append-only', async () => {
    await onBoth(
      `INSERT INTO case_entries (case_id, at, author, kind, text) SELECT id, 1, 'a', 'note', 'x' FROM cases WHERE number = 0`,
    )
    for (const sql of [
      `INSERT INTO audit (id, entry, hash) VALUES (3, '{}', 'h')`,
      `INSERT INTO audit (id, entry, hash) VALUES (1, '{}', 'h') ON CONFLICT (id) DO UPDATE SET hash = 'x'`,
      `UPDATE audit SET hash = 'x'`,
      'DELETE FROM audit',
      `UPDATE case_entries SET text = 'y'`,
      'DELETE FROM case_entries',
    ]) {
      expect(() => sqlite.exec(sql), sql).to.throw()
      const error: unknown = await client.query(sql).catch((reason: unknown) => reason)
      expect(error, sql).to.include({ code: '23001' })
    }
    await onBoth(`INSERT INTO audit (id, entry, hash) VALUES (2, '{}', 'h')`)
  })

  type Row = Readonly<Record<string, unknown>>

  /** The rows of both, as a driver gives them. */
  async function onBoth(
    sql: string,
    ...values: (string | number | null)[]
  ): Promise<[readonly Row[], readonly Row[]]> {
    const statement = sqlite.prepare(sql)
    const ofSqlite = statement.reader ? (statement.all(...values) as Row[]) : (statement.run(...values), [])
    let count = 0
    const text = sql.replaceAll('CROSS JOIN', 'JOIN').replaceAll('?', () => `$${++count}`)
    const { rows } = await client.query<Record<string, unknown>>(
      text,
      values.map((value) => (typeof value === 'string' ? toStored(value) : value)),
    )
    return [ofSqlite, rows]
  }
})

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0),
  20: Number,
  23: Number,
  25: (text) => fromStored(text, () => 'sealed'),
  1700: Number,
}
const parserOf = (oid: number) => parsers[oid] ?? ((text: string) => text)
