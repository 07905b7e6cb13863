import type { PostgresConnection } from './connection.ts'
import type { Connector } from './connector.ts'
import { isPermanent, postgresBusy, postgresClosed, postgresUnavailable } from './errors.ts'

export interface PoolOptions {
  /** Maximum number of connections. */
  readonly size: number
  /**
   * How long callers wait for a connection: for a free one, or while PostgreSQL is away. A failover or a restart should fit. Once
   * PostgreSQL has been away that long, callers are refused at once. Default 10,000.
   */
  readonly patienceMs?: number
  /** Called when PostgreSQL cannot be reached any more, and when it can again. */
  readonly onOutage?: (error: Error | undefined) => void
}

interface Waiting {
  readonly since: number
  readonly resolve: (connection: PostgresConnection) => void
  readonly reject: (error: unknown) => void
}

interface Outage {
  readonly since: number
  /** Of the last attempt. */
  readonly error: Error
}

/** Pauses between attempts to connect, in milliseconds: doubled from the first to the last. */
const firstPauseMs = 50
const lastPauseMs = 1000

/** Connections that are opened when needed and kept. First come, first served. */
export class ConnectionPool {
  readonly #connector: Connector
  readonly #size: number
  readonly #patienceMs: number
  readonly #onOutage: NonNullable<PoolOptions['onOutage']>
  readonly #idle: PostgresConnection[] = []
  readonly #open = new Set<PostgresConnection>()
  #waiting: Waiting[] = []
  #opening = 0
  #pauseMs = firstPauseMs
  #outage: Outage | undefined
  #clock: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connector: Connector, options: PoolOptions) {
    this.#connector = connector
    this.#size = options.size
    this.#patienceMs = options.patienceMs ?? 10_000
    this.#onOutage = options.onOutage ?? (() => {})
  }

  /** Give it back with `release`. Rejects with UnavailableError `store_unavailable`, `store_busy` or `store_closed`. */
  acquire(): Promise<PostgresConnection> {
    if (this.#isClosed) return Promise.reject(postgresClosed())
    if (this.#isAway()) return Promise.reject(this.#refusal())
    const connection = this.#idle.pop()
    if (connection !== undefined) return Promise.resolve(connection)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ since: performance.now(), resolve, reject })
      this.#clock ??= setTimeout(() => this.#refuseLate(), this.#patienceMs)
      this.#openMore()
    })
  }

  /** A connection that is lost, or in a transaction, must have been destroyed. */
  release(connection: PostgresConnection): void {
    if (!connection.isOpen) return
    if (this.#isClosed || connection.isWorn) {
      void connection.close()
      return
    }
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(connection)
    else next.resolve(connection)
  }

  /** Closes the connections that are not in use; the others close when they are released. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#clock)
    clearTimeout(this.#retry)
    for (const { reject } of this.#waiting.splice(0)) reject(postgresClosed())
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  /** Away for longer than anybody waits. */
  #isAway(): boolean {
    const since = this.#outage?.since ?? Infinity
    return this.#open.size === 0 && performance.now() - since > this.#patienceMs
  }

  #refusal(): Error {
    if (this.#outage !== undefined) return postgresUnavailable(this.#outage.error)
    if (this.#open.size === 0)
      return postgresUnavailable(new Error(`no connection after ${this.#patienceMs / 1000} seconds`))
    return postgresBusy(
      `all ${this.#size} connections to PostgreSQL are busy`,
      'Look for slow statements in pg_stat_activity, or send more slowly.',
    )
  }

  #refuseLate(): void {
    const now = performance.now()
    const isLate = ({ since }: Waiting): boolean => now - since >= this.#patienceMs - 1
    while (this.#waiting[0] !== undefined && isLate(this.#waiting[0]))
      this.#waiting.shift()?.reject(this.#refusal())
    const [next] = this.#waiting
    const pauseMs = next === undefined ? 0 : next.since + this.#patienceMs - now
    this.#clock = next === undefined ? undefined : setTimeout(() => this.#refuseLate(), pauseMs)
  }

  #openMore(): void {
    if (this.#isClosed || this.#retry !== undefined || this.#open.size + this.#opening >= this.#size) return
    // During an outage one attempt at a time is enough, and it goes on although nobody waits.
    const isOut = this.#outage !== undefined && this.#open.size === 0
    if (isOut ? this.#opening > 0 : this.#waiting.length <= this.#opening) return
    this.#opening++
    this.#connector.open().then(
      (connection) => this.#adopt(connection),
      (error: unknown) => this.#tryAgain(error as Error),
    )
  }

  #adopt(connection: PostgresConnection): void {
    this.#opening--
    this.#pauseMs = firstPauseMs
    if (this.#outage !== undefined) this.#onOutage(undefined)
    this.#outage = undefined
    this.#open.add(connection)
    connection.onEnd(() => {
      this.#open.delete(connection)
      const at = this.#idle.indexOf(connection)
      if (at >= 0) this.#idle.splice(at, 1)
      this.#openMore()
    })
    this.release(connection)
    this.#openMore()
  }

  #tryAgain(error: Error): void {
    this.#opening--
    if (this.#isClosed) return
    if (this.#outage === undefined) this.#onOutage(error)
    this.#outage = { since: this.#outage?.since ?? performance.now(), error }
    if (isPermanent(error)) for (const { reject } of this.#waiting.splice(0)) reject(this.#refusal())
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      this.#openMore()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, lastPauseMs)
  }
}
