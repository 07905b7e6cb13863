import type { NotifyChannel } from '../../nodes/signals/notified-signals.ts'
import { timeColumn, type OnTime, type PostgresConnection } from './connection.ts'
import type { Connector } from './connector.ts'
import { ConnectionLost, postgresUnavailable } from './errors.ts'

/** Between attempts to connect, in milliseconds: doubled from the first to the last. */
const firstPauseMs = 50
const lastPauseMs = 1000
/** Between signs of life of the server, which tell its time. */
const beatMs = 10_000

interface ChannelOptions {
  readonly name?: string | undefined
  readonly onTime?: OnTime | undefined
}

/** Listens and notifies on a connection of its own, which is opened again whenever it is lost. */
export class PostgresChannel implements NotifyChannel {
  readonly #connector: Connector
  readonly #name: string
  readonly #onTime: OnTime
  readonly #listeners = new Set<{
    readonly onPayload: (payload: string) => void
    readonly onGap: () => void
  }>()
  #connection: PostgresConnection | undefined
  #opening: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #isClosed = false

  /** @param name of the channel in PostgreSQL */
  constructor(connector: Connector, { name = 'tocsin', onTime = () => {} }: ChannelOptions = {}) {
    this.#connector = connector
    this.#name = name
    this.#onTime = onTime
    this.#open()
  }

  async notify(payload: string): Promise<void> {
    await this.#opening
    if (this.#connection === undefined)
      throw postgresUnavailable(new ConnectionLost('no connection for notifications'))
    await this.#connection.query('SELECT pg_notify(?, ?)', this.#name, payload)
  }

  listen(onPayload: (payload: string) => void, onGap: () => void): () => void {
    const listener = { onPayload, onGap }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#opening
    await this.#connection?.close()
    clearTimeout(this.#timer)
  }

  #open(): void {
    this.#opening = this.#connect().catch(() => {
      this.#pauseMs = Math.min(this.#pauseMs * 2, lastPauseMs)
      this.#openLater()
    })
  }

  #openLater(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#open(), this.#pauseMs)
  }

  async #connect(): Promise<void> {
    // A silent connection is given up after this time and the grace of `PostgresConnection`.
    const connection = await this.#connector.open({ statementTimeoutMs: beatMs })
    connection.onNotification((payload) => {
      for (const { onPayload } of this.#listeners) onPayload(payload)
    })
    try {
      await connection.query(`LISTEN ${this.#name}`)
    } catch (error) {
      connection.destroy()
      throw error
    }
    this.#connection = connection
    this.#pauseMs = firstPauseMs
    this.#beat(connection)
    connection.onEnd(() => {
      this.#connection = undefined
      clearTimeout(this.#timer)
      this.#openLater()
    })
    for (const { onGap } of this.#listeners) onGap()
  }

  /** Without statements, nobody would see that the other side is gone. */
  #beat(connection: PostgresConnection): void {
    this.#timer = setTimeout(() => {
      this.#askTime(connection).then(
        () => this.#beat(connection),
        () => connection.destroy(),
      )
    }, beatMs)
  }

  async #askTime(connection: PostgresConnection): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await connection.query(`SELECT ${timeColumn}`)
    this.#onTime((rows[0] as { now: number }).now, performance.now() - askedAt)
  }
}
