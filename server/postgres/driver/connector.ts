import type pg from 'pg'
import type { Host, PostgresAddress } from './address.ts'
import { openClient, PostgresConnection, ReadOnlyServer, type SessionSettings } from './connection.ts'

/** Opens connections to the primary, whichever of the servers that is. */
export class Connector {
  readonly #address: PostgresAddress
  readonly #settings: SessionSettings
  /** The last primary, which is tried first. */
  #last = 0

  constructor(address: PostgresAddress, settings: SessionSettings) {
    this.#address = address
    this.#settings = settings
  }

  /** Rejects with the error of the last server that was tried, or of a read-only one. */
  async open(changes: Partial<SessionSettings> = {}): Promise<PostgresConnection> {
    const settings = { ...this.#settings, ...changes }
    const { client, host } = await this.#connect(settings)
    return new PostgresConnection(client, host, settings)
  }

  /** For scripts and statements that may take as long as they need, such as migrations. */
  async openSession(): Promise<pg.Client> {
    const settings = { ...this.#settings, statementTimeoutMs: 0, lockTimeoutMs: 0, idleTimeoutMs: 0 }
    return (await this.#connect(settings)).client
  }

  async #connect(settings: SessionSettings): Promise<{ readonly client: pg.Client; readonly host: Host }> {
    const { hosts } = this.#address
    const order = hosts.map((_, index) => (this.#last + index) % hosts.length)
    let failure: unknown
    for (const index of order) {
      const host = hosts[index] as Host
      try {
        const client = await openClient(this.#address, host, settings)
        this.#last = index
        return { client, host }
      } catch (error) {
        // A standby answers: that says more than a server that does not.
        if (!(failure instanceof ReadOnlyServer)) failure = error
      }
    }
    throw failure
  }
}
