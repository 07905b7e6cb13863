import type pg from 'pg'
import type { PostgresConnection } from '../driver/connection.ts'
import { copyIn } from './copy-in.ts'
import { toStored } from '../schema/index.ts'
import type { SqliteConnection } from '../../sqlite/database/connection.ts'
import {
  postgresKeys,
  sqliteKeys,
  sqliteValueOf,
  type KeyDialect,
  type Found,
  type CopiedRow,
  type SqlText,
} from './rows.ts'
import type { ColumnType, CopiedTable } from './tables.ts'

/** One of the two databases. */
export interface CopySide {
  readonly dialect: KeyDialect
  /** Its statements block this thread. */
  readonly isBlocking: boolean
  all(text: SqlText): Promise<readonly Found[]>
  /** In a transaction of its own. */
  remove(text: SqlText): Promise<void>
  /** In a transaction of its own. */
  insert(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
}

export class SqliteSide implements CopySide {
  readonly dialect = sqliteKeys
  readonly isBlocking = true
  readonly #database: SqliteConnection

  constructor(database: SqliteConnection) {
    this.#database = database
    database.define('stored_form', (text) => toStored(text as string))
  }

  async all({ sql, values }: SqlText): Promise<readonly Found[]> {
    return this.#database.all<Found>(sql, ...values)
  }

  async remove({ sql, values }: SqlText): Promise<void> {
    this.#database.run(sql, ...values)
  }

  async insert({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const names = columns.map((column) => column.name).join(', ')
    const sql = `INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`
    this.#database.script('BEGIN IMMEDIATE')
    try {
      for (const row of rows)
        this.#database.run(sql, ...columns.map(({ type }, index) => sqliteValueOf(type, row[index] ?? null)))
      this.#database.script('COMMIT')
    } catch (error) {
      if (this.#database.inTransaction) this.#database.script('ROLLBACK')
      throw error
    }
  }
}

export class PostgresSide implements CopySide {
  readonly dialect = postgresKeys
  readonly isBlocking = false
  readonly #connection: PostgresConnection
  readonly #client: pg.Client

  /** @param client of another session of the same database */
  constructor(connection: PostgresConnection, client: pg.Client) {
    this.#connection = connection
    this.#client = client
  }

  async all({ sql, values }: SqlText): Promise<readonly Found[]> {
    return (await this.#connection.query(sql, ...values)).rows as readonly Found[]
  }

  async remove({ sql, values }: SqlText): Promise<void> {
    await this.#connection.query(sql, ...values)
  }

  async insert({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const names = columns.map((column) => column.name).join(', ')
    const lines = rows.map((row) =>
      columns.map(({ type }, index) => copied(type, row[index] ?? null)).join('\t'),
    )
    await copyIn(
      this.#client,
      `COPY ${name} (${names}) FROM STDIN`,
      Buffer.from(`${lines.join('\n')}\n`, 'utf8'),
    )
  }
}

/** A value in the text format of COPY. */
function copied(type: ColumnType, value: string | null): string {
  if (value === null) return String.raw`\N`
  if (type === 'BLOB') return String.raw`\\x${value}`
  if (type === 'INTEGER' || type === 'REAL') return value
  const stored = toStored(value)
  return special.test(stored) ? stored.replaceAll(specials, (character) => escapes[character] ?? '') : stored
}

const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}
