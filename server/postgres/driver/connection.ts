import pg from 'pg'
import type { Told, Statement, Work } from '../../sql/database/work.ts'
import { showHost, type Host, type PostgresAddress } from './address.ts'
import { Batch, type SentStatement, type Memory } from './batch.ts'
import { driveWork } from './drive-work.ts'
import { asFailure, ConnectionLost } from './errors.ts'
import { prepared } from './statement.ts'
import { toParameter, type StoredTexts } from './values.ts'

export interface SessionSettings {
  readonly texts: StoredTexts
  /** Name of the connections in pg_stat_activity. */
  readonly applicationName: string
  readonly connectTimeoutMs: number
  /** 0: no limit, for migrations. */
  readonly statementTimeoutMs: number
  readonly lockTimeoutMs: number
  /** Of a transaction between two statements. A transaction of a node that is gone ends then, and its locks with it. */
  readonly idleTimeoutMs: number
  /** Called with the time of the server, in epoch milliseconds, and how long its answer took. */
  readonly onTime?: OnTime | undefined
}

export type OnTime = (serverMs: number, tookMs: number) => void

/** Asks for the time of the server as "now". */
export const timeColumn = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS float8) AS "now"'

export const defaultSettings: SessionSettings = {
  texts: { toStored: (text) => text, fromStored: (text) => text },
  applicationName: 'tocsin',
  connectTimeoutMs: 5000,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
}

/** How much longer than the server itself a connection waits for an answer before it is given up. */
const graceMs = 5000

/** More prepared statements than this would fill the memory of the server. */
const maxPrepared = 2000

/**
 * One connection. Statements that are asked for while others are under way are sent together, see `Batch`; so all of them belong to
 * one transaction, or to one caller that waits for each answer.
 */
export class PostgresConnection {
  readonly #client: pg.Client
  readonly #settings: SessionSettings
  readonly #memory: Memory = { prepared: [], fields: [], count: 0 }
  readonly #ended: (() => void)[] = []
  #asked: SentStatement[] = []
  #isBusy = false
  #isPlanned = false
  #failure: ConnectionLost | undefined
  readonly #watch: NodeJS.Timeout | undefined

  /** @param client from `openClient` */
  constructor(client: pg.Client, host: Host, settings: SessionSettings) {
    this.#client = client
    this.#settings = settings
    if (settings.statementTimeoutMs > 0) {
      this.#watch = setTimeout(() => {
        if (this.#isBusy) this.destroy(new ConnectionLost(`no answer from ${showHost(host)}`))
      }, settings.statementTimeoutMs + graceMs).unref()
    }
    client.on('error', (error) => this.#lose(error))
    client.on('end', () => this.#lose(new Error(`${showHost(host)} closed the connection`)))
  }

  get isOpen(): boolean {
    return this.#failure === undefined
  }

  /** True if the connection should not be used much longer. */
  get isWorn(): boolean {
    return this.#memory.count > maxPrepared
  }

  /** Calls `tell` once, later. Throws if a value cannot be a parameter. */
  ask({ sql, values }: Statement, tell: SentStatement['tell']): void {
    const text = prepared(sql)
    const parameters = values.map((value) => toParameter(value, this.#settings.texts))
    this.#asked.push({ text, values: parameters, tell })
    if (this.#isBusy || this.#isPlanned) return
    this.#isPlanned = true
    process.nextTick(() => {
      this.#isPlanned = false
      this.#send()
    })
  }

  /** One statement, outside of a transaction or in one. */
  query(sql: string, ...values: Statement['values']): Promise<Told> {
    return new Promise((resolve, reject) => {
      this.ask({ sql, values }, (answer, error) => (answer === undefined ? reject(error) : resolve(answer)))
    })
  }

  /** Does a work, statement by statement. Its transaction is the caller's. */
  drive<T>(work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) =>
      driveWork(work, {
        done: resolve,
        fail: reject,
        isOver: () => false,
        ask: (statement, tell) => this.ask(statement, tell),
      }),
    )
  }

  /** Drops statements that were asked for and not sent yet; whoever waits for them is not told. */
  forgetUnsent(): void {
    this.#asked = []
  }

  /** For LISTEN. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload ?? ''))
  }

  /** Called once, when the connection is lost or closed. */
  onEnd(listener: () => void): void {
    if (this.isOpen) this.#ended.push(listener)
    else listener()
  }

  /** Ends it at once; whoever waits for an answer is told `failure`. */
  destroy(failure: ConnectionLost = new ConnectionLost('the connection was given up')): void {
    this.#lose(failure)
    ;(this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }

  /** Ends it in order. */
  async close(): Promise<void> {
    this.#lose(new ConnectionLost('the connection was closed'))
    await this.#client.end()
  }

  #send(): void {
    if (this.#isBusy || this.#asked.length === 0) return
    const asked = this.#asked.splice(0)
    if (this.#failure !== undefined) {
      for (const { tell } of asked) tell(undefined, this.#failure)
      return
    }
    this.#isBusy = true
    this.#watch?.refresh()
    const batch = new Batch(asked, this.#memory, this.#settings.texts, {
      answered: () => this.#watch?.refresh(),
      explain: (error) => this.#explain(error),
      ended: () => {
        this.#isBusy = false
        this.#send()
      },
    })
    this.#client.query(batch as unknown as pg.Submittable)
  }

  /** Why the connection was lost, if it was. */
  #explain(error: Error): Error {
    const failure = asFailure(error)
    return failure instanceof ConnectionLost ? (this.#failure ?? failure) : failure
  }

  #lose(error: unknown): void {
    if (this.#failure !== undefined) return
    const failure = asFailure(error)
    this.#failure = failure instanceof ConnectionLost ? failure : new ConnectionLost(failure.message, failure)
    clearTimeout(this.#watch)
    this.#send()
    for (const listener of this.#ended.splice(0)) listener()
  }
}

/** A client of a server that accepts writes. Rejects with the error of the attempt; its code is 25006 for a read-only server. */
export async function openClient(
  address: PostgresAddress,
  host: Host,
  settings: SessionSettings,
): Promise<pg.Client> {
  const client = new pg.Client({
    host: host.host,
    port: host.port,
    user: address.user,
    // Never undefined: `pg` would then look for a file with passwords.
    password: address.password ?? '',
    database: address.database,
    ssl: address.tls(host) ?? false,
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  client.on('error', () => {}) // the promises reject
  try {
    await client.connect()
    const askedAt = performance.now()
    const answers = await client.query(sessionSettings(address, host, settings))
    const [state] = (answers as unknown as pg.QueryResult<ServerState>[]).at(-1)?.rows ?? []
    if (state?.isReadOnly === true) throw new ReadOnlyServer('the server is a read-only replica')
    if (state !== undefined) settings.onTime?.(state.now, performance.now() - askedAt)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

interface ServerState {
  readonly isReadOnly: boolean
  readonly now: number
}

/** Its code is that of a write to such a server. */
export class ReadOnlyServer extends ConnectionLost {
  override readonly code = '25006'
}

/** One request: several statements without parameters. The last one tells whether the server is read-only. */
function sessionSettings(address: PostgresAddress, host: Host, settings: SessionSettings): string {
  const values: Record<string, string> = {
    search_path: address.schema,
    statement_timeout: String(settings.statementTimeoutMs),
    lock_timeout: String(settings.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(settings.idleTimeoutMs),
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    standard_conforming_strings: 'on',
    bytea_output: 'hex',
    TimeZone: 'UTC',
    jit: 'off',
    client_min_messages: 'warning',
  }
  if (!host.host.startsWith('/'))
    Object.assign(values, {
      tcp_keepalives_idle: '30',
      tcp_keepalives_interval: '10',
      tcp_keepalives_count: '3',
    })
  const lines = Object.entries(values).map(([name, value]) => `SET ${name} = ${pg.escapeLiteral(value)};`)
  // Stricter values than `on` (remote_apply) are the operator's.
  return `${lines.join('\n')}
    SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly", ${timeColumn};`
}
