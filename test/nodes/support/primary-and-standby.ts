import { setTimeout as sleep } from 'node:timers/promises'
import { startProxy, type CuttingProxy } from '../../postgres/support/cutting-proxy.ts'
import { eventually } from '../../support/eventually.ts'
import { PostgresServer } from '../../support/postgres/server.ts'

const settings = [
  'wal_level = replica',
  'max_wal_senders = 5',
  'hot_standby = on',
  'wal_keep_size = 512MB',
  // So that a commit that does not wait for the standby is lost with the primary.
  'wal_writer_delay = 5s',
  'wal_writer_flush_after = 100MB',
]

/** What one node sees of the database: both servers, over connections that tests cut. */
export interface DatabaseLink {
  /** As in TOCSIN_STORE. */
  readonly address: string
  readonly proxies: readonly CuttingProxy[]
}

/** A PostgreSQL server and its synchronous standby, which replaces it. */
export class PrimaryAndStandby {
  /** One of them is the primary; undefined: there is no standby yet. */
  readonly #servers: (PostgresServer | undefined)[]
  readonly #links: DatabaseLink[] = []
  #primary = 0

  private constructor(servers: readonly [PostgresServer, PostgresServer]) {
    this.#servers = [...servers]
  }

  static async start(): Promise<PrimaryAndStandby> {
    const primary = await PostgresServer.start({ settings })
    const pair = new PrimaryAndStandby([primary, await PostgresServer.standbyOf(primary)])
    await pair.#waitForStandby()
    return pair
  }

  get primary(): PostgresServer {
    return this.#servers[this.#primary]!
  }

  /** Statements for the administrator of the primary. */
  query(sql: string): Promise<readonly Record<string, unknown>[]> {
    return this.primary.query(sql)
  }

  /** A way to the servers of its own. */
  async link(): Promise<DatabaseLink> {
    const proxies = await Promise.all(this.#servers.map((server) => startProxy(tcpAddress(server)!)))
    const hosts = proxies.map(({ address }) => new URL(address).host)
    const first = new URL(proxies[0]!.address)
    const address = `postgres://${first.username}:${first.password}@${hosts.join(',')}/postgres`
    const link = { address, proxies }
    this.#links.push(link)
    return link
  }

  async killPrimary(): Promise<void> {
    const lost = this.primary
    this.#servers[this.#primary] = undefined
    this.#primary = 1 - this.#primary
    await lost.stop('SIGKILL')
    this.#tellLinks()
    await lost.dispose()
  }

  /** Makes the standby the primary, without a standby of its own. */
  promote(): Promise<void> {
    return this.primary.promote()
  }

  /** Resolves when commits wait for the new standby. */
  async addStandby(): Promise<void> {
    this.#servers[1 - this.#primary] = await PostgresServer.standbyOf(this.primary)
    this.#tellLinks()
    await this.#waitForStandby()
  }

  async close(): Promise<void> {
    for (const { proxies } of this.#links) await Promise.all(proxies.map((proxy) => proxy.close()))
    for (const server of this.#servers) await server?.dispose()
  }

  async #waitForStandby(): Promise<void> {
    const isStreaming = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
    await eventually('the standby to follow', async () => (await this.query(isStreaming))[0])
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.query('SELECT pg_reload_conf()')
    const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
    await eventually('the standby to be synchronous', async () => (await this.query(isSynchronous))[0])
    // Until each session has read the setting. Then a commit shows that the standby has everything before it.
    await sleep(500)
    await this.query('BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_current_xact_id(); COMMIT')
  }

  #tellLinks(): void {
    for (const { proxies } of this.#links)
      for (const [index, proxy] of proxies.entries()) proxy.target = tcpAddress(this.#servers[index])
  }
}

const tcpAddress = (server: PostgresServer | undefined): string | undefined =>
  server?.address('postgres', 'tcp')
