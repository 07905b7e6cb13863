import type { Statement, Told, Work } from '../../sql/database/work.ts'
import type { PostgresConnection } from './connection.ts'
import { failureKind, postgresUnavailable } from './errors.ts'
import type { ConnectionPool } from './pool.ts'

/** All statements of a read see the same data. */
const begin: Statement = { sql: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', values: [] }
const maxAttempts = 3

/** Does reads, each on a connection of its own. */
export class PostgresReads {
  readonly #pool: ConnectionPool
  /** First statements of reads that asked for a second one. Others need no transaction, which would double their cost. */
  readonly #longer = new Set<string>()

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  /**
   * Repeated on another connection if the first is lost. Rejects with the error of `work`, or with UnavailableError
   * `store_unavailable`, `store_busy` or `store_closed`.
   */
  async read<T>(work: () => Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const started: Work<T> = work()
      const first = started.next(undefined as never)
      if (first.done === true) return first.value
      const connection = await this.#pool.acquire()
      try {
        if (this.#longer.has(first.value.sql)) return await this.#inTransaction(connection, work())
        const second = await this.#firstOnly(connection, started, first.value)
        if (second.done === true) return second.value
        this.#longer.add(first.value.sql)
      } catch (error) {
        const kind = failureKind(error)
        if (kind === 'own') throw error
        if (kind === 'storage' || attempt === maxAttempts) throw postgresUnavailable(error)
      }
    }
  }

  async #firstOnly<T>(
    connection: PostgresConnection,
    started: Work<T>,
    first: Statement,
  ): Promise<IteratorResult<Statement, T>> {
    try {
      return await connection.drive(stepOf(started, first))
    } catch (error) {
      if (failureKind(error) === 'lost') connection.destroy()
      throw error
    } finally {
      this.#pool.release(connection)
    }
  }

  /** The connection is free a little later than the result is known. */
  async #inTransaction<T>(connection: PostgresConnection, work: Work<T>): Promise<T> {
    // Sent together with the first statement; if it fails, so does that one.
    connection.ask(begin, () => {})
    try {
      return await connection.drive(work)
    } finally {
      connection.query('ROLLBACK').then(
        () => this.#pool.release(connection),
        () => connection.destroy(),
      )
    }
  }
}

/** Up to the second statement of a work. */
function* stepOf<T>(started: Work<T>, first: Statement): Work<IteratorResult<Statement, T>> {
  let told: Told
  try {
    told = yield first
  } catch (error) {
    return started.throw(error)
  }
  return started.next(told)
}
