import { createHash, randomBytes } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { hashEntry } from '../../../core/audit/audit-chain.ts'

interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
  readonly hidden: number
}

const strangeTexts = [
  'plain',
  'U+0000 \0 in the middle, and at the end \0',
  '\u{FDD0}',
  '\u{FDD0}0\u{FDD0}1\u{FDD0}2place\u{FDD0}2sealed',
  String.raw`\N \. \\x \t`,
  '\\N\t\n\r\v\f\b\\',
  'ÀÉ ß ſ İı Ω 😀 𐐷 \u{10FFFF} \u{FFFD}',
  '',
  String.raw`{"lone":"\ud800","nul":"\u0000","big":12345678901234567890}`,
] as const

const strangeIntegers = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n] as const
const strangeReals = [0.1, -1e308, 5, Number.MIN_VALUE]

/** Tables and columns that hold JSON which an index takes apart. */
const jsonColumns = new Set(['runs.error', 'checkpoints.question'])

/**
 * Puts rows with values that are hard to copy into each empty table of a data directory, in a file that no server uses. Constraints hold,
 * but the rows mean nothing.
 */
export function fillWithStrangeRows(
  path: string,
  /** `entries`: rows of a journal, for more than one chunk. */
  { contentBytes = 8_388_608, entries = 0 } = {},
): void {
  const database = new Sqlite(path)
  database.pragma('foreign_keys = OFF')
  database.exec('BEGIN')
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .pluck()
    .all() as string[]
  for (const table of tables.filter((name) => !/^(alert_search|audit$|nodes$|facts$)/.test(name)))
    fill(database, table)
  fillAudit(database)
  const journal = database.prepare(
    `INSERT INTO journal (run_id, path, kind, state, attempt, started_at) VALUES (1, ?, 'call', 'done', 1, 0)`,
  )
  for (let entry = 0; entry < entries; entry++) journal.run(`/${entry}${strange(strangeTexts, entry)}`)
  const keys = database.prepare(`INSERT INTO entity_sightings VALUES (1, 'host', ?, ?, 'a')`)
  for (let entry = 0; entry < entries; entry++) keys.run(`${strange(strangeTexts, entry)}${entry}`, entry)
  database
    .prepare('UPDATE alert_contents SET content = ? WHERE alert_id = 2')
    .run('\\ \0\n😀\u{FDD0}'.repeat(contentBytes / 14))
  database.prepare('UPDATE file_pieces SET bytes = ? WHERE id = 2').run(randomBytes(contentBytes))
  database.exec('COMMIT')
  const [dangling] = database.pragma('foreign_key_check') as readonly unknown[]
  if (dangling !== undefined) throw new Error(`dangling: ${JSON.stringify(dangling)}`)
  database.close()
}

function fill(database: Sqlite.Database, table: string): void {
  const columns = (database.prepare('SELECT * FROM pragma_table_xinfo(?)').all(table) as ColumnInfo[]).filter(
    ({ hidden }) => hidden === 0,
  )
  const references = new Set(
    database.prepare('SELECT "from" FROM pragma_foreign_key_list(?)').pluck().all(table) as string[],
  )
  const present = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
  const insert = database.prepare(
    `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const last = table === 'playbook_changes' ? 1 : strangeTexts.length
  for (let row = present + 1; row <= last; row++) {
    const values = columns.map((column, at) => valueOf(table, column, row, at, references.has(column.name)))
    insert.run(...constrained(table, columns, values, row))
  }
}

function valueOf(
  table: string,
  { name, type, notnull, pk }: ColumnInfo,
  row: number,
  at: number,
  isReference: boolean,
): Value {
  // References of optional columns lead to later rows too.
  if (isReference && (notnull === 1 || pk > 0)) return BigInt(row)
  if (isReference) return row % 3 === 0 ? null : BigInt((row % strangeTexts.length) + 1)
  if (notnull === 0 && pk === 0 && (row + at) % 4 === 0) return null
  if (type === 'INTEGER')
    return pk > 0 || name === 'sequence' || name === 'number'
      ? BigInt(row)
      : strange(strangeIntegers, row + at)
  if (type === 'REAL') return strange(strangeReals, row)
  if (type === 'BLOB') return row === 1 ? Buffer.alloc(0) : digest(`${table} ${name} ${row}`)
  if (jsonColumns.has(`${table}.${name}`))
    return `{"code":"c${row}","via":"\\u0000\\ud800","message":"${row}"}`
  const text = strange(strangeTexts, row + (pk > 0 ? -1 : at))
  return `${text}${row}`
}

type Value = bigint | number | string | Buffer | null

/** Constraints over several columns or rows. */
function constrained(
  table: string,
  columns: readonly ColumnInfo[],
  values: readonly Value[],
  row: number,
): readonly Value[] {
  const changes: Readonly<Record<string, Value>> =
    table === 'sessions'
      ? row % 2 === 0
        ? { api_key_id: BigInt(row), account_id: null }
        : { api_key_id: null, account_id: BigInt(row) }
      : table === 'playbooks'
        ? { newest: 0n }
        : {}
  return values.map((value, at) => {
    const changed = changes[columns[at]?.name ?? '']
    return changed === undefined ? value : changed
  })
}

const strange = <T>(list: readonly T[], at: number): T => list[at % list.length] as T
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Entries that continue the chain. */
function fillAudit(database: Sqlite.Database): void {
  const last = database.prepare('SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1').get() as
    { id: number; hash: string } | undefined
  let previous = last?.hash
  const insert = database.prepare('INSERT INTO audit (id, entry, hash) VALUES (?, ?, ?)')
  for (const [index, text] of strangeTexts.entries()) {
    const sequence = (last?.id ?? 0) + index + 1
    const entry = JSON.stringify({
      sequence,
      at: 1_700_000_000_000 + index,
      action: 'alert.created',
      actor: { kind: 'system', id: 'x', name: text },
      organization_uuid: null,
      subject: { kind: 'data', id: text, name: text },
      details: { skill: text },
    })
    previous = hashEntry(previous, entry)
    insert.run(sequence, entry, previous)
  }
}

/** All rows of all tables, as they are stored, without what a migration leaves behind. */
export function dumpOf(path: string): Readonly<Record<string, readonly unknown[]>> {
  const database = new Sqlite(path)
  database.defaultSafeIntegers(true)
  const tables = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'alert_search%' ORDER BY name`,
    )
    .pluck()
    .all() as string[]
  const dump = Object.fromEntries(
    tables.map((table) => [
      table,
      database
        .prepare(
          `SELECT * FROM ${table}${table === 'facts' ? ` WHERE name <> 'alerts_indexed_to'` : ''} ORDER BY 1, 2`,
        )
        .raw()
        .all(),
    ]),
  )
  database.close()
  return dump
}
