import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  callApi,
  startServer,
  type CallOptions,
  type RunningServer,
} from '../../support/server/start-server.ts'
import { PostgresServer } from '../../support/postgres/server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

export interface ClusterNode {
  /** Changes with each start. */
  server: RunningServer
  readonly name: string
  /** Of Tocsin; undefined: that of this checkout. */
  readonly version: string | undefined
}

/** Some processes of `tocsin serve` on a PostgreSQL server of their own. */
export interface TestCluster {
  readonly database: PostgresServer
  /** For commands on the same database. */
  readonly environment: Readonly<Record<string, string>>
  readonly nodes: readonly ClusterNode[]
  /** Over a new connection. */
  call(node: ClusterNode, path: string, options?: CallOptions): ReturnType<typeof callApi>
  /**
   * Starts a node again that has ended.
   *
   * @param under a program with arguments that starts it. Default: none
   */
  restart(node: ClusterNode, under?: readonly string[]): Promise<void>
  /** Starts one more node. */
  add(version?: string): Promise<ClusterNode>
  /** Path of the playbooks folder of a node. */
  playbooksOf(node: ClusterNode): string
  /** Id of the node in the database. */
  idOf(node: ClusterNode): Promise<string>
  close(): Promise<void>
}

export interface TestClusterOptions {
  readonly nodes: number
  /** Of all nodes. Default: that of this checkout. */
  readonly version?: string
  /** SQL by which a version, by its number, changes the tables of the version before. Default: no version does. */
  readonly migrations?: Readonly<Record<string, string>>
  /** Source. Default: none beside those of Tocsin. */
  readonly plugin?: string
  /** Sources by name. */
  readonly playbooks: Readonly<Record<string, string>>
  /** `host:port` of the test system. */
  readonly egress: string
  readonly env?: Readonly<Record<string, string>>
  /** Opens what stands between a node and the database, and gives its address. Default: nothing does. */
  readonly between?: (tcpAddress: string) => Promise<string>
  /** Whether each node has a playbooks folder of its own, with the same files at first. Default: they share one. */
  readonly ownPlaybooks?: boolean
  /** Options of Node for the process of a node, by its number. Default: none. */
  readonly nodeOptions?: (index: number) => readonly string[]
}

export async function startTestCluster(options: TestClusterOptions): Promise<TestCluster> {
  const folder = await makeTemporaryFolder()
  const playbooksOf = (node: string) =>
    join(folder.path, options.ownPlaybooks ? `playbooks-${node}` : 'playbooks')
  const playbooksFor = async (node: string): Promise<string> => {
    const path = playbooksOf(node)
    if ((await mkdir(path, { recursive: true })) === undefined) return path
    for (const [name, source] of Object.entries(options.playbooks))
      await writeFile(join(path, `${name}.yaml`), source)
    return path
  }
  const plugin = join(folder.path, 'plugin.js')
  if (options.plugin !== undefined) await writeFile(plugin, options.plugin)
  const database = await PostgresServer.start()
  let adminKey: string | undefined
  const environment = {
    TOCSIN_STORE: database.address('postgres'),
    TOCSIN_MASTER_KEY: randomBytes(32).toString('base64'),
    TOCSIN_DATA_DIR: join(folder.path, 'command'),
  }
  const addresses = new Map<string, string>()
  const addressOf = async (name: string): Promise<string> => {
    const made = addresses.get(name) ?? (await options.between?.(database.address('postgres', 'tcp')))
    if (made !== undefined) addresses.set(name, made)
    return made ?? environment.TOCSIN_STORE
  }
  const start = async (
    name: string,
    version: string | undefined,
    under: readonly string[] = [],
  ): Promise<RunningServer> => {
    const env = {
      ...environment,
      TOCSIN_STORE: await addressOf(name),
      TOCSIN_PLAYBOOKS_DIR: await playbooksFor(name),
      ...(options.plugin !== undefined && { TOCSIN_PLUGINS: plugin }),
      TOCSIN_ALLOW_PRIVATE_EGRESS: options.egress,
      ...options.env,
      ...(version !== undefined && asVersion(version, options.migrations?.[version])),
      TOCSIN_DATA_DIR: join(folder.path, name),
    }
    const server = await startServer({
      cwd: folder.path,
      dataDir: join(folder.path, name),
      env,
      under,
      node: [process.execPath, ...(options.nodeOptions?.(Number(name.slice(5))) ?? [])],
      ...(adminKey !== undefined && { adminKey }),
    })
    adminKey = server.adminKey
    return server
  }
  const make = async (index: number, version: string | undefined): Promise<ClusterNode> => {
    const name = `node-${index}`
    return { name, version, server: await start(name, version) }
  }
  const indexes = Array.from({ length: options.nodes }, (_, index) => index)
  for (const index of indexes) await addressOf(`node-${index}`) // in this order
  // The first creates tables and key.
  const nodes = [await make(0, options.version)]
  nodes.push(...(await Promise.all(indexes.slice(1).map((index) => make(index, options.version)))))
  return {
    database,
    environment,
    nodes,
    call: ({ server }, path, { headers, ...given } = {}) =>
      callApi(`${server.url}/api${path}`, {
        key: server.adminKey,
        ...given,
        headers: { connection: 'close', ...headers },
      }),
    playbooksOf: ({ name }) => playbooksOf(name),
    async restart(node, under) {
      node.server = await start(node.name, node.version, under)
    },
    async add(version) {
      const node = await make(nodes.length, version)
      nodes.push(node)
      return node
    },
    async idOf({ server }) {
      const [row] = await database.query(
        `SELECT id FROM nodes WHERE name LIKE '%:${server.command.process.pid}' ORDER BY started_at DESC LIMIT 1`,
      )
      return String((row as { id: string } | undefined)?.id)
    },
    async close() {
      for (const { server } of nodes) {
        server.command.process.kill('SIGKILL')
        await server.command.ended
      }
      await database.dispose()
      await folder.remove()
    },
  }
}

/** Environment of a process that takes itself for another version. */
const asVersion = (version: string, migration = ''): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${new URL('../children/as-version.ts', import.meta.url).href}`,
  TEST_VERSION: version,
  TEST_MIGRATION: migration,
})
