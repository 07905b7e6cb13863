import type { RunTurn } from '../../core/ports/runs/turn.ts'
import type { SqlValue } from '../sql/database/columns.ts'
import { Database, noRow } from '../sql/database/database.ts'
import type { Statement, Work } from '../sql/database/work.ts'
import { LockStatement, tryLock, TurnStatement } from './driver/exclusion.ts'
import type { StoredTexts } from './driver/values.ts'
import { auditDdl, fromStored, toStored } from './schema/index.ts'
import { postgresDialect } from './search/alert-words.ts'

/** `age`: how long ago the transaction began, in milliseconds; it sees the data of that time. */
const readRevision: Statement = {
  sql: `SELECT revision, xmin = CAST(pg_current_xact_id_if_assigned() AS xid) AS "isOwn",
    CAST(extract(epoch FROM clock_timestamp() - now()) * 1000 AS float8) AS age FROM tocsin_revision`,
  values: [],
}
const countRevision: Statement = {
  sql: 'UPDATE tocsin_revision SET revision = revision + 1 RETURNING revision',
  values: [],
}

/** How long a revision is believed, in milliseconds. Changes by other nodes are seen after this time, or sooner if they send a signal. */
const maxAgeMs = 800

/** Triggers that prevent changes, deletions and insertions of entries, with their `pg_trigger.tgtype`: when and for what they run. */
const auditGuards: Readonly<Record<string, number>> = {
  audit_keeps_entries: 0b111010, // before TRUNCATE, UPDATE, DELETE; once for each statement
  audit_grows_by_one: 0b000111, // before INSERT, for each row
}

const locks = { audit: new LockStatement('audit') }

const nextKeys = { alerts: "SELECT nextval('alerts_id_seq') AS key" }

/** INSERT statements that give the key of the new row. */
const inserts = new Map<string, string>()

/** Asks for each statement, for whoever drives the work. */
export class PostgresDatabase extends Database {
  override readonly hasOneWriter = false
  override readonly dialect = postgresDialect
  /** The newest committed revision that a transaction saw, and when. */
  #seen = { revision: -1, at: -Infinity }
  /** The newest revision that this process made, committed or not: what is older is not believed without asking. */
  #changedTo = -1
  /** How texts are stored; opens sealed values. */
  readonly texts: StoredTexts = {
    toStored,
    fromStored: (text) => fromStored(text, (sealed, place) => this.sealed?.open(sealed, place) ?? 'null'),
  };

  override *get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined> {
    return (yield { sql, values }).rows[0] as Row | undefined
  }

  override *all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]> {
    return (yield { sql, values }).rows as Row[]
  }

  override *run(sql: string, ...values: SqlValue[]): Work<number> {
    return (yield { sql, values }).count
  }

  override *send(sql: string, ...values: SqlValue[]): Work<void> {
    yield { sql, values, isSent: true }
  }

  override *change(sql: string, ...values: SqlValue[]): Work<void> {
    yield { sql, values, isSent: true, refuses: ({ count }) => (count === 1 ? undefined : noRow(sql)) }
  }

  override *nextKey(table: 'alerts'): Work<number> {
    const { rows } = yield { sql: nextKeys[table], values: [] }
    return (rows[0] as { key: number }).key
  }

  override *sendInsert(onKey: (key: number) => void, sql: string, ...values: SqlValue[]): Work<void> {
    yield {
      sql: returningId(sql),
      values,
      isSent: true,
      refuses({ rows }) {
        onKey((rows[0] as { id: number }).id)
        return undefined
      },
    }
  }

  override *insert(sql: string, ...values: SqlValue[]): Work<number> {
    const { rows } = yield { sql: returningId(sql), values }
    return (rows[0] as { id: number }).id
  }

  override knownRevision(): number | undefined {
    const { revision, at } = this.#seen
    return performance.now() - at < maxAgeMs && revision >= this.#changedTo ? revision : undefined
  }

  override *revision(): Work<number | undefined> {
    const askedAt = performance.now()
    const { rows } = yield readRevision
    const { revision, isOwn, age } = rows[0] as { revision: number; isOwn: number | null; age: number }
    if (isOwn === 1) return undefined
    if (revision >= this.#seen.revision) this.#seen = { revision, at: askedAt - age }
    return revision
  }

  override *configurationChanged(): Work<void> {
    const { rows } = yield countRevision
    this.#changedTo = Math.max(this.#changedTo, (rows[0] as { revision: number }).revision)
  }

  /** Another node has changed the configuration: its revision is read before the cache is used again. */
  distrustRevision(): void {
    this.#seen = { ...this.#seen, at: -Infinity }
  }

  override *check<Row>(
    refuses: (row: Row | undefined) => Error | undefined,
    sql: string,
    ...values: SqlValue[]
  ): Work<void> {
    yield { sql, values, isSent: true, refuses: ({ rows }) => refuses(rows[0] as Row | undefined) }
  }

  override *requireTurn(turn: RunTurn): Work<void> {
    yield new TurnStatement(turn)
  }

  override *excludeWritesFor(run: string): Work<boolean> {
    const { rows } = yield tryLock({ run })
    return (rows[0] as { isHeld: boolean }).isHeld
  }

  override forgetTurns(): void {}

  override *lock(name: keyof typeof locks): Work<void> {
    yield locks[name]
  }

  override *unguardedAudit(): Work<readonly string[]> {
    const guards = yield* this.all<{ name: string; type: number; source: string }>(
      `SELECT t.tgname AS name, t.tgtype AS type, p.prosrc AS source FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
       WHERE t.tgrelid = CAST('audit' AS regclass) AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL`,
    )
    const isAsMade = (guard: string): boolean =>
      guards.some(
        ({ name, type, source }) =>
          name === guard && type === auditGuards[guard] && auditDdl.includes(`$$${source}$$`),
      )
    return Object.keys(auditGuards).filter((guard) => !isAsMade(guard))
  }
}

function returningId(sql: string): string {
  let returning = inserts.get(sql)
  if (returning === undefined) {
    returning = `${sql} RETURNING id`
    inserts.set(sql, returning)
  }
  return returning
}
