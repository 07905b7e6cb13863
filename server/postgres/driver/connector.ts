import type pg from 'pg'
import { parsePostgresAddress, type Host, type PostgresAddress } from './address.ts'
import { openClient, PostgresConnection, ReadOnlyServer, type SessionSettings } from './connection.ts'
import type { PostgresError } from './errors.ts'

/** The newest address. Never rejects. */
type RenewAddress = () => Promise<PostgresAddress>

/** Opens connections to the primary, whichever of the servers that is. */
export class Connector {
  #address: PostgresAddress
  readonly #settings: SessionSettings
  readonly #renew: RenewAddress
  /** The last primary, which is tried first. */
  #last = 0

  /** @param renew called when a server refuses user or password. Default: the address never changes. */
  constructor(
    address: PostgresAddress,
    settings: SessionSettings,
    renew: RenewAddress = () => Promise.resolve(address),
  ) {
    this.#address = address
    this.#settings = settings
    this.#renew = renew
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

  async #connect(settings: SessionSettings): Promise<Connected> {
    try {
      return await this.#tryHosts(settings)
    } catch (error) {
      if (!isRefused(error)) throw error
      const newest = await this.#renew()
      if (newest === this.#address) throw error
      this.#address = newest
      return await this.#tryHosts(settings)
    }
  }

  async #tryHosts(settings: SessionSettings): Promise<Connected> {
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

interface Connected {
  readonly client: pg.Client
  readonly host: Host
}

/** Class 28: invalid_authorization_specification, invalid_password. */
const isRefused = (error: unknown): boolean => (error as PostgresError).code?.startsWith('28') === true

/** How often an address is read again at most, in milliseconds: Vault would be asked each time. */
const renewMs = 5_000

/**
 * Reads user, password and TLS files of an address again, for connectors that share it. While it cannot be read, or is none, the last
 * one stays.
 *
 * @param text of `address`
 */
export function renewing(text: string, address: PostgresAddress, read: () => Promise<string>): RenewAddress {
  let [known, newest, readAt] = [text, Promise.resolve(address), -Infinity]
  const readAgain = async (last: PostgresAddress): Promise<PostgresAddress> => {
    try {
      const now = await read()
      if (now === known) return last
      // Never another database: what this process knows is of this one.
      const { hosts, database, schema } = last
      const renewed = parsePostgresAddress(now)
      known = now
      return { ...renewed, hosts, database, schema }
    } catch {
      return last
    }
  }
  return () => {
    if (performance.now() - readAt >= renewMs) {
      readAt = performance.now()
      newest = newest.then(readAgain)
    }
    return newest
  }
}
