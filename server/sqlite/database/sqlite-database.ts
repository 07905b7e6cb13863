import { lossOfTurn, type RunTurn } from '../../../core/ports/runs/turn.ts'
import type { SqlValue } from '../../sql/database/columns.ts'
import { Database, noRow, type Dialect } from '../../sql/database/database.ts'
import { known, type Work } from '../../sql/database/work.ts'
import { auditTables } from '../schema/audit.ts'
import type { SqliteConnection } from './connection.ts'

/** Triggers that prevent changes, deletions and insertions of entries. */
const auditGuards: readonly string[] = [...auditTables.matchAll(/CREATE TRIGGER (\w+)/g)].map(
  ([, name]) => name ?? '',
)

/** Words of a search that count, so that it stays fast. */
const maxWords = 20

/** More than the number of runs that write at the same time. */
const maxTurns = 5000

const dialect: Dialect = {
  indexAlerts: (alerts) =>
    alerts.map(({ id, text }) => ({
      sql: 'INSERT INTO alert_search (rowid, text) VALUES (?, ?)',
      values: [id, text],
    })),
  searchCondition: (words) => ({
    sql: 's.alert_search MATCH ?',
    values: [words.trim().split(/\s+/).slice(0, maxWords).map(toPhrase).join(' AND ')],
  }),
}

/** Quotes a word, so that nothing in it is an operator of the search language. */
function toPhrase(word: string): string {
  const isBeginning = word.endsWith('*')
  return `"${word.toWellFormed().replaceAll('"', '""').replaceAll('\0', ' ')}"${isBeginning ? '*' : ''}`
}

const nothing: Work<undefined> = known(undefined)

/** Answers each statement at once, so its works are answers and not generators. */
export class SqliteDatabase extends Database {
  override readonly hasOneWriter = true
  override readonly dialect = dialect
  readonly connection: SqliteConnection
  /** The numbers of the turns of runs, by uuid; forgotten when one changes. */
  readonly #turns = new Map<string, number>()
  /** The revision that `#turns` are of. */
  #turnsOf: number | undefined
  #revision: number | undefined

  constructor(connection: SqliteConnection) {
    super()
    this.connection = connection
    // Commands without the master key can read rows without encrypted columns.
    connection.define(
      'open_sealed',
      (text, place) => this.sealed?.open(String(text), String(place)) ?? 'null',
    )
  }

  override get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined> {
    return known(this.connection.get<Row>(sql, ...values))
  }

  override all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]> {
    return known(this.connection.all<Row>(sql, ...values))
  }

  override run(sql: string, ...values: SqlValue[]): Work<number> {
    return known(this.connection.run(sql, ...values))
  }

  override send(sql: string, ...values: SqlValue[]): Work<void> {
    this.connection.run(sql, ...values)
    return nothing
  }

  override change(sql: string, ...values: SqlValue[]): Work<void> {
    if (this.connection.run(sql, ...values) !== 1) throw noRow(sql)
    return nothing
  }

  override nextKey(): Work<undefined> {
    return nothing
  }

  override sendInsert(onKey: (key: number) => void, sql: string, ...values: SqlValue[]): Work<void> {
    onKey(this.connection.insert(sql, ...values))
    return nothing
  }

  override insert(sql: string, ...values: SqlValue[]): Work<number> {
    return known(this.connection.insert(sql, ...values))
  }

  /** Asked once per turn of the event loop: commits of other processes become visible at the next turn. */
  override knownRevision(): number {
    if (this.#revision === undefined) {
      this.#revision = this.connection.one<{ data_version: number }>('PRAGMA data_version').data_version
      setImmediate(() => (this.#revision = undefined))
    }
    return this.#revision
  }

  override revision(): Work<number> {
    return known(this.knownRevision())
  }

  override configurationChanged(): Work<void> {
    this.cache.forget()
    return nothing
  }

  override check<Row>(
    refuses: (row: Row | undefined) => Error | undefined,
    sql: string,
    ...values: SqlValue[]
  ): Work<void> {
    const refusal = refuses(this.connection.get<Row>(sql, ...values))
    if (refusal !== undefined) throw refusal
    return nothing
  }

  override requireTurn(turn: RunTurn): Work<void> {
    const lost = lossOfTurn(turn, this.#turnOf(turn.run))
    if (lost !== undefined) throw lost
    return nothing
  }

  /** Writes never overlap. */
  override excludeWritesFor(): Work<boolean> {
    return known(true)
  }

  #turnOf(run: string): number | undefined {
    const revision = this.knownRevision()
    if (this.#turns.size >= maxTurns || revision !== this.#turnsOf) this.#turns.clear()
    this.#turnsOf = revision
    const kept = this.#turns.get(run)
    if (kept !== undefined) return kept
    const row = this.rowsOfRuns.get(run)
    const read =
      row === undefined ? 'SELECT turn FROM runs WHERE uuid = ?' : 'SELECT turn FROM runs WHERE id = ?'
    const turn = this.connection.get<{ turn: number }>(read, row ?? run)?.turn
    if (turn !== undefined) this.#turns.set(run, turn)
    return turn
  }

  override forgetTurns(): void {
    this.#turns.clear()
  }

  /** Writes never overlap. */
  override lock(): Work<void> {
    return nothing
  }

  override unguardedAudit(): Work<readonly string[]> {
    return known(auditGuards.filter((name) => !this.#isAsMade(name)))
  }

  #isAsMade(trigger: string): boolean {
    const found = this.connection.get<{ sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?`,
      trigger,
    )
    return found !== undefined && auditTables.includes(`${found.sql};`)
  }

  /** After a rollback: the caches may hold what was not committed. */
  forgetRead(): void {
    this.cache.forget()
    this.#turns.clear()
  }
}

/** Does work that never yields, as all work on SQLite. */
export function done<T>(work: Work<T>): T {
  const step = work.next()
  if (step.done === true) return step.value
  throw new Error(`SQLite cannot answer later: ${step.value.sql}`)
}
