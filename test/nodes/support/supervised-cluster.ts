import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callApi,
  startServer,
  type CallOptions,
  type RunningServer,
} from '../../support/server/start-server.ts'
import { killCommands } from '../../support/server/run-tocsin.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { PrimaryAndStandby, type DatabaseLink } from './primary-and-standby.ts'

/** A process of `tocsin serve` that is started again whenever it ends. */
export interface SupervisedNode {
  readonly name: string
  readonly link: DatabaseLink
  /** Changes with each start. */
  server: RunningServer
  /** False from the end of a process until the next one listens. */
  isUp: boolean
}

/** An end of a process. */
export interface NodeEnd {
  readonly node: SupervisedNode
  readonly code: number | null
  /** Its last lines. */
  readonly output: string
}

/** Some nodes on a PostgreSQL primary with a synchronous standby. */
export interface SupervisedCluster {
  readonly database: PrimaryAndStandby
  /** For commands on the same database. */
  readonly environment: Readonly<Record<string, string>>
  readonly nodes: readonly SupervisedNode[]
  /** Over a new connection. */
  call(node: SupervisedNode, path: string, options?: CallOptions): ReturnType<typeof callApi>
  /** Id in the database. */
  idOf(node: SupervisedNode): Promise<string>
  close(): Promise<void>
}

export interface SupervisedClusterOptions {
  readonly nodes: number
  readonly plugin: string
  /** Sources by name. */
  readonly playbooks: Readonly<Record<string, string>>
  /** `host:port` of the test system. */
  readonly egress: string
  readonly onEnd: (end: NodeEnd) => void
}

export async function startSupervisedCluster(options: SupervisedClusterOptions): Promise<SupervisedCluster> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  await mkdir(playbooks)
  for (const [name, source] of Object.entries(options.playbooks))
    await writeFile(join(playbooks, `${name}.yaml`), source)
  const plugin = join(folder.path, 'plugin.js')
  await writeFile(plugin, options.plugin)
  const database = await PrimaryAndStandby.start()
  const masterKey = randomBytes(32).toString('base64')
  let adminKey: string | undefined
  const closing = new AbortController()
  const start = async (name: string, { address }: DatabaseLink): Promise<RunningServer> => {
    const dataDir = join(folder.path, name)
    const server = await startServer({
      cwd: folder.path,
      dataDir,
      env: {
        TOCSIN_STORE: address,
        TOCSIN_MASTER_KEY: masterKey,
        TOCSIN_PLAYBOOKS_DIR: playbooks,
        TOCSIN_PLUGINS: plugin,
        TOCSIN_ALLOW_PRIVATE_EGRESS: options.egress,
        TOCSIN_LOG_LEVEL: 'warn',
      },
      ...(adminKey !== undefined && { adminKey }),
    })
    adminKey = server.adminKey
    return server
  }
  const restart = async (node: SupervisedNode): Promise<void> => {
    try {
      node.server = await start(node.name, node.link)
      node.isUp = true
    } catch (error) {
      options.onEnd({ node, code: 1, output: String(error).slice(-1_000) })
      await sleep(500)
    }
  }
  /** As a supervisor does. */
  const supervise = async (node: SupervisedNode): Promise<void> => {
    const { code, stdout, stderr } = await node.server.command.ended
    node.isUp = false
    if (closing.signal.aborted) return
    options.onEnd({ node, code, output: (stdout + stderr).slice(-1_000) })
    while (!node.isUp && !closing.signal.aborted) await restart(node)
    await supervise(node)
  }
  const open = async (index: number): Promise<SupervisedNode> => {
    const [name, link] = [`node-${index}`, await database.link()]
    return { name, link, server: await start(name, link), isUp: true }
  }
  // The first one makes the tables and the key.
  const nodes = [await open(0)]
  nodes.push(...(await Promise.all(Array.from({ length: options.nodes - 1 }, (_, index) => open(index + 1)))))
  const supervised = nodes.map(supervise)
  const commands = await database.link()
  return {
    database,
    nodes,
    environment: {
      TOCSIN_STORE: commands.address,
      TOCSIN_MASTER_KEY: masterKey,
      TOCSIN_DATA_DIR: join(folder.path, 'command'),
    },
    call: ({ server }, path, { headers, ...given } = {}) =>
      callApi(`${server.url}/api${path}`, {
        key: server.adminKey,
        ...given,
        headers: { connection: 'close', ...headers },
      }),
    async idOf({ server }) {
      const [row] = await database.query(
        `SELECT id FROM nodes WHERE name LIKE '%:${server.command.process.pid}' ORDER BY started_at DESC LIMIT 1`,
      )
      return String((row as { id: string } | undefined)?.id)
    },
    async close() {
      closing.abort()
      await killCommands()
      await Promise.all(supervised)
      await database.close()
      await folder.remove()
    },
  }
}
