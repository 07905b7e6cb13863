import type { Stepwise } from '../../../core/state/stepwise.ts'
import type { SqlValue } from './columns.ts'

/** A statement, with `?` for each value. */
export interface Statement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** True if the work does not wait for the answer. If such a statement fails, the whole write fails. */
  readonly isSent?: true
  /** Of a sent statement: the error of the write, if the answer does not allow it. */
  readonly refuses?: (told: Told) => Error | undefined
  /** Statements to send at the same time in place of `sql`, which then only names them. See `together`. */
  readonly parts?: readonly Statement[]
}

export interface Told {
  readonly rows: readonly unknown[]
  /** Number of rows that were read or changed. */
  readonly count: number
  /** The answers to `Statement.parts`. */
  readonly parts?: readonly Told[]
}

/**
 * A read or a write, written once for all databases: a generator that asks for statements and is told their answers. SQLite answers
 * inside of `Database.get` and the like, so that its work never yields; PostgreSQL answers later. Work changes only the database,
 * since it may be rolled back and repeated.
 */
export type Work<T> = Stepwise<T, Statement, Told>

/** The caller names the type of a row: the compiler does not check SQL. */
export interface SqlReader {
  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined>
  /** A row that must exist: its absence is a bug. */
  one<Row>(sql: string, ...values: SqlValue[]): Work<Row>
  all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]>
}

/**
 * What a write excludes. Writes that exclude the same never overlap, in this process or another; a write that excludes all overlaps with no
 * other. A write that reads rows and then writes what depends on them excludes every write that changes these rows; with a narrower
 * scope, it changes them by a statement with a condition and looks at the count.
 */
export type WriteScope =
  /** Writes of this run (uuid). */
  | { readonly run: string }
  /** Writes of this organization (uuid), such as those that start and end its runs. */
  | { readonly organization: string }
  /** Writes of a single row, by a name that is unique among all. */
  | { readonly row: string }
  | 'all'

/** Reads, and writes that are committed in groups. */
export interface Transactions {
  /** A read that sees every write whose promise has resolved. */
  read<T>(work: () => Work<T>): Promise<T>
  /**
   * Rejects with the error of `work`, or with UnavailableError `store_unavailable`, `store_busy` or `store_closed`.
   *
   * @param scope default `all`: no other write overlaps
   */
  write<T>(work: () => Work<T>, scope?: WriteScope): Promise<T>
}

/** Work whose result is known: a `yield*` of it makes no generator. */
export const known = <T>(value: T): Work<T> => new Known(value)

/** At once a generator and what its `next` gives, so that only one object is made. */
class Known<T> implements Work<T> {
  readonly done = true
  readonly value: T

  constructor(value: T) {
    this.value = value
  }

  next(): this {
    return this
  }

  throw(error: unknown): never {
    throw error
  }

  [Symbol.iterator](): this {
    return this
  }
}

/** The rows of a work, each turned into something else. */
export function* mapped<Row, T>(rows: Work<readonly Row[]>, to: (row: Row) => T): Work<readonly T[]> {
  return (yield* rows).map((row) => to(row))
}

/**
 * Does works that do not wait for one another, and gives their results; at most one may write to the audit log. On PostgreSQL their statements
 * are sent at the same time, in the order of the works; SQLite does one work after the other.
 */
export function* together<const Works extends readonly Work<unknown>[]>(works: Works): Work<Results<Works>> {
  const results: unknown[] = []
  let told: readonly Told[] = []
  let asking: readonly number[] | undefined
  for (;;) {
    const asked: number[] = []
    const parts: Statement[] = []
    const count = asking?.length ?? works.length
    for (let at = 0; at < count; at++) {
      const index = asking?.[at] ?? at
      const work = works[index]!
      let step = asking === undefined ? work.next() : work.next(told[at]!)
      while (step.done !== true && step.value.isSent === true) step = work.next(yield step.value)
      if (step.done === true) {
        results[index] = step.value
      } else {
        asked.push(index)
        parts.push(step.value)
      }
    }
    if (asked.length === 0) return results as Results<Works>
    told = (yield { sql: parts.map(({ sql }) => sql).join('; '), values: [], parts }).parts ?? []
    asking = asked
  }
}

type Results<Works extends readonly Work<unknown>[]> = {
  -readonly [Index in keyof Works]: Works[Index] extends Work<infer T> ? T : never
}

/** As `eachInTurn`, for works that do not wait for one another, such as a read for each row. See `together`. */
export const eachTogether = <Item, T>(
  items: readonly Item[],
  work: (item: Item) => Work<T>,
): Work<readonly T[]> => together(items.map((item) => work(item)))

/** The results of works done one after another. */
export function* eachInTurn<Item, T>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Work<T>,
): Work<T[]> {
  const results: T[] = []
  let index = 0
  for (const item of items) results.push(yield* work(item, index++))
  return results
}
