import { expect } from 'chai'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { migratePostgres } from '../../server/postgres/migrate.ts'
import { postgresDialect, wordQuery, wordVector } from '../../server/postgres/search/alert-words.ts'
import { wordsIn } from '../../server/postgres/search/words.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'

const texts = [
  'ACME-edr-1 malware {"host":"WS-0042","ip":"10.1.2.5","user":"kim@example.com","path":"C:\\\\Windows\\\\system32\\\\cmd.exe"}',
  'ACME-edr-2 scan {"from":"10.1.2.7","to":"192.168.2.5","note":"10 seen"}',
  'ACME-mail-3 phishing {"url":"https://evil.example.com/login?x=1","subject":"Überweisung fällig","user":"KIM"}',
  'ACME-mail-4 phishing {\n  "user": "bob",\n  "file": "evil.exe"\n}',
  'ACME-x-5 Ελληνικά Οδός Русский текст 日本語 naïve Ça va İstanbul ısı \u{1F600} emoji e\u0301te',
  'a\0b _under_score_ x--y "quoted \'single\' \\back" 50% AND OR NOT NEAR',
  'evil example evil com',
]
const searches = [
  'malware',
  'MALWARE',
  '10.1.2.5',
  '10.1.2',
  '2.5',
  '10.1.2.*',
  'kim',
  'kim@example.com',
  'system32\\cmd.exe',
  'WS-00*',
  'ws-0042',
  'evil.example.com',
  'evil.exam*',
  'evil',
  'evil com',
  'com evil',
  '"user":"bob"',
  'user:bob',
  'uberweisung',
  'ÜBERWEISUNG',
  'fallig',
  'οδος',
  'ΟΔΌΣ',
  'русский',
  '日本*',
  '日本',
  'naive',
  'ca',
  'istanbul',
  'ısı',
  'isi',
  'ete',
  'été',
  '--',
  '*',
  'malware --',
  "'",
  '"',
  '\\',
  '\0',
  'a\0b',
  'x-y',
  'x--y',
  'under_score',
  'and',
  'not near',
  '50%',
  '\u{1F600}',
  'phishing user',
  'acme-mail-3',
  'acme-mail-*',
  'e*',
  'nothing',
  ' malware  scan ',
  'a*b',
  'a**',
  'ab',
  '😀*',
]

describe('words of a search in PostgreSQL', () => {
  it('are those of SQLite, for letters of Europe and Asia', () => {
    const blocks = [
      [1, 0x52f],
      [0x1e00, 0x1eff],
      [0x3041, 0x30ff],
      [0x4e00, 0x4eff],
      [0xac00, 0xacff],
      [0xff10, 0xff5a],
    ] as const
    // Assigned or given lower case after the Unicode version of SQLite.
    const newer = new Set([0x37f, 0x528, 0x52a, 0x52c, 0x52e])
    const characters = blocks
      .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
      .filter((code) => !newer.has(code))
      .map((code) => String.fromCodePoint(code))
    const given = characters.flatMap((character) => [character, `q${character}z`])
    const ofSqlite = sqliteWords(given)
    expect(given.map(wordsIn)).to.deep.equal(ofSqlite)
  })

  it('are those of SQLite in texts', () => {
    expect(texts.map(wordsIn)).to.deep.equal(sqliteWords(texts))
  })
})

describe('the index of words', () => {
  it('holds two short numbers together, which single ones would not find', () => {
    expect(wordVector('at 10.1.23 1234'))
      .to.include("' 10 1' ' 1 23'")
      .and.not.include('1234 ')
      .and.not.include(' 1234')
    expect(wordQuery('10.1.23')).to.match(/^\(' 10 1' & ' 1 23' & /)
    expect(wordQuery('10.1.2*')).to.match(/^\(' 10 1' & \(/)
  })
})

describePostgres('a search in PostgreSQL', () => {
  let database: TestDatabase
  let client: pg.Client
  let sqlite: Sqlite.Database

  before(async () => {
    database = await createDatabase()
    client = new pg.Client(database.address)
    await client.connect()
    await migratePostgres(client, '0.1.0')
    sqlite = index(texts)
    for (const [row, text] of texts.entries()) await insert(row + 1, text)
  })
  after(async () => {
    sqlite?.close()
    await client?.end()
    await database?.drop()
  })

  it('finds what SQLite finds', async () => {
    const sizes = new Set<number>()
    for (const search of searches) {
      const expected = searchSqlite(search)
      expect(await find(search), JSON.stringify(search)).to.deep.equal(expected)
      sizes.add(expected.length)
    }
    expect(sizes).to.include.members([0, 1, 2, 3])
  })

  it('finds the parts of an address only in sequence, however long the text is', async () => {
    await insert(100, `${'x.1 '.repeat(300)} 10.1.2.7 192.168.2.5 10.1.2.5`)
    await insert(101, `${'x.1 '.repeat(200)} 10.1.2.7 192.168.2.5`)
    expect(await find('10.1.2.5')).to.deep.equal([1, 100])
  })

  it('stores the longest text and the longest word', async () => {
    const many = Array.from({ length: 21_845 }, (_, n) => (n + 46_656).toString(36).slice(-2)).join(' ')
    await insert(102, many.slice(0, 65_536))
    await insert(103, 'ü'.repeat(65_536))
    await insert(104, '漢 字 '.repeat(16_384))
    await insert(
      105,
      Array.from({ length: 32_768 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000))).join(' '),
    )
    await insert(106, '')
    expect(await find(`${'ü'.repeat(400)}*`)).to.deep.equal([103])
    expect(await find('漢.字.漢'), 'too many words for positions').to.deep.equal([104, 105])
    expect(await find(many.slice(-2))).to.include(102)
  })

  const find = async (search: string): Promise<readonly number[]> => {
    const { sql, values } = postgresDialect.searchCondition(search)
    const { rows } = await client.query<{ row: number }>(
      numbered(`SELECT s.rowid::int AS row FROM alert_search s WHERE ${sql} ORDER BY 1`),
      [...values],
    )
    return rows.map(({ row }) => row)
  }

  const insert = (row: number, text: string) => {
    const { sql, values } = postgresDialect.indexAlerts([{ id: row, text }])[0]!
    return client.query(numbered(sql), [...values])
  }

  /** With the query of `sqlite-database.ts`. */
  const searchSqlite = (search: string): readonly number[] => {
    const query = search
      .trim()
      .split(/\s+/)
      .map((word) => `"${word.replaceAll('"', '""').replaceAll('\0', ' ')}"${word.endsWith('*') ? '*' : ''}`)
    return sqlite
      .prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid')
      .pluck()
      .all(query.join(' AND ')) as number[]
  }
})

function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

function index(given: readonly string[]): Sqlite.Database {
  const sqlite = new Sqlite(':memory:')
  sqlite.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61');
    CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance); BEGIN`)
  const insert = sqlite.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  for (const [row, text] of given.entries()) insert.run(row + 1, text)
  sqlite.exec('COMMIT')
  return sqlite
}

/** The words of each text in their order. */
function sqliteWords(given: readonly string[]): string[][] {
  const sqlite = index(given)
  const words: string[][] = given.map(() => [])
  for (const { doc, offset, term } of sqlite
    .prepare('SELECT doc, offset, term FROM words')
    .iterate() as Iterable<{ doc: number; offset: number; term: string }>)
    words[doc - 1]![offset] = term
  sqlite.close()
  return words
}
