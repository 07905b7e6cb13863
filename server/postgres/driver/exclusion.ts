import { hash } from 'node:crypto'
import { lossOfTurn, type RunTurn } from '../../../core/ports/runs/turn.ts'
import type { Statement, Told, WriteScope } from '../../sql/database/work.ts'
import type { SentStatement } from './batch.ts'

/** Held by each write: shared, or exclusively by a write that excludes all others. `tocsin` in ASCII. */
const all = String(0x746f6373696e)

/** Different for each scope but `all`. */
export function scopeKey(scope: WriteScope): string {
  if (scope === 'all') return 'all'
  const [[kind, name] = []] = Object.entries(scope)
  return `${kind} ${name}`
}

/**
 * SQL: the key of an advisory lock. Such locks belong to a database, which several clusters may share, each in a schema of its own. So the
 * schema is part of the key; 2200 is `public`, where the key is the number itself.
 *
 * @param number SQL
 */
export const lockKey = (number: string): string =>
  `CAST(${number} AS bigint) # (SELECT CAST(CAST(CAST(quote_ident(current_schema()) AS regnamespace) AS oid) AS bigint) - 2200)`

const takeLock = `SELECT pg_advisory_xact_lock(${lockKey('?')})`

/**
 * Asked for inside of a write: no other write holds the lock until this one ends. Other nodes wait for the end of the transaction; writes
 * of the same transaction, which the server would not keep apart, wait in `HeldLocks`.
 */
export class LockStatement implements Statement {
  readonly sql = takeLock
  readonly values: readonly string[]

  /** @param name one of few; unlike the keys of scopes */
  constructor(name: string) {
    this.values = [String(numberOf(`lock ${name}`))]
  }
}

/** Inside of a write of another scope: takes the lock of a scope, unless another transaction holds it. */
export const tryLock = (scope: WriteScope): Statement => ({
  sql: `SELECT pg_try_advisory_xact_lock(${lockKey('?')}) AS "isHeld"`,
  values: [String(numberOf(scopeKey(scope)))],
})

interface HeldLock {
  /** Undefined: the transaction holds it, but none of its writes. */
  by: number | undefined
  readonly waiting: { readonly index: number; readonly go: () => void }[]
}

/** Locks that writes of one transaction hold, by the indices of the writes. */
export class HeldLocks {
  readonly #held = new Map<LockStatement, HeldLock>()

  /** @param take takes the lock for the transaction; called for its first write that wants it @param go called once the write has it */
  want(lock: LockStatement, index: number, take: () => void, go: () => void): void {
    const held = this.#held.get(lock)
    if (held === undefined) {
      this.#held.set(lock, { by: index, waiting: [] })
      take()
    } else if (held.by === undefined || held.by === index) {
      held.by = index
      go()
    } else {
      held.waiting.push({ index, go })
    }
  }

  /** The write has ended. */
  release(index: number): void {
    for (const held of this.#held.values()) {
      if (held.by !== index) continue
      const next = held.waiting.shift()
      held.by = next?.index
      next?.go()
    }
  }
}

/**
 * Locks until the end of the transaction what its writes exclude, also against other nodes. Always in the same order, so that two
 * groups cannot wait for each other.
 */
export function lockStatements(keys: Iterable<string>): readonly Statement[] {
  const numbers: bigint[] = []
  for (const key of keys) {
    if (key === 'all') return [{ sql: takeLock, values: [all] }]
    numbers.push(numberOf(key))
  }
  numbers.sort((one, other) => (one < other ? -1 : 1))
  return [
    { sql: `SELECT pg_advisory_xact_lock_shared(${lockKey('?')})`, values: [all] },
    {
      sql: `SELECT count(pg_advisory_xact_lock(${lockKey('number')})) FROM unnest(CAST(? AS bigint[])) AS number`,
      values: [`{${numbers.join(',')}}`],
    },
  ]
}

const numberOf = (key: string): bigint => hash('sha256', key, 'buffer').readBigInt64BE()

interface TurnRow {
  readonly uuid: string
  /** Null: no such run. */
  readonly turn: number | null
}

/**
 * For `uuid = ANY (…)`, PostgreSQL would read the whole table as long as it has no statistics; for an array, it would plan the statement each
 * time.
 */
const selectTurns = `SELECT wanted.uuid, (SELECT turn FROM runs WHERE uuid = wanted.uuid) AS turn
  FROM json_array_elements_text(CAST(? AS json)) AS wanted (uuid)`

/** Refuses the write of a turn that is over. */
export class TurnStatement implements Statement {
  readonly sql = selectTurns
  readonly values: readonly string[]
  readonly isSent = true
  readonly run: string
  readonly refuses: (answer: Told) => Error | undefined

  constructor(turn: RunTurn) {
    this.run = turn.run
    this.values = [JSON.stringify([turn.run])]
    this.refuses = ({ rows: [row] }) => lossOfTurn(turn, (row as TurnRow | undefined)?.turn ?? undefined)
  }
}

/**
 * The turns that the writes of a transaction belong to, read together before it commits. That is early enough, and needs no lock on the rows,
 * which would be written for each journal entry. A transaction holds its locks from the beginning, and a turn ends only in a write that waits
 * for the locks of all others (`giveUpTurns`), or that leaves the run alone while another transaction has its lock (`takeTurn`).
 */
export class TurnFence {
  readonly #asked: { readonly run: string; readonly tell: SentStatement['tell'] }[] = []

  want({ run }: TurnStatement, tell: SentStatement['tell']): void {
    this.#asked.push({ run, tell })
  }

  /** Asks for all of them, if there are any. */
  check(ask: (statement: Statement, tell: SentStatement['tell']) => void): void {
    if (this.#asked.length === 0) return
    const runs = new Set(this.#asked.map(({ run }) => run))
    ask({ sql: selectTurns, values: [JSON.stringify([...runs])] }, (answer, error) => {
      const rows = new Map((answer?.rows as readonly TurnRow[] | undefined)?.map((row) => [row.uuid, row]))
      for (const { run, tell } of this.#asked)
        tell(answer === undefined ? undefined : { rows: [rows.get(run)], count: 1 }, error)
    })
  }
}
