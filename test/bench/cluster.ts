import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PostgresServer } from '../support/postgres/server.ts'
import { startChild, type Child } from './child.ts'
import { compare, type Way } from './compare.ts'
import { post } from './load.ts'
import type { Figures } from './measure.ts'
import type { Options } from './options.ts'
import { printTable } from './print-table.ts'
import { startWholeWay, type WholeWay } from './whole-way.ts'

/** As an operator runs it: commits wait for the disk. */
const settings = [
  'fsync = on',
  'synchronous_commit = on',
  'full_page_writes = on',
  'autovacuum = on',
  'shared_buffers = 512MB',
  'max_wal_size = 4GB',
]

/** The whole way on SQLite, and on PostgreSQL by one and by two nodes that share this machine with the database and the senders. */
export async function benchCluster(options: Options): Promise<void> {
  const server = await PostgresServer.start({ settings })
  const sqlite = await startWholeWay()
  const one = await startNodes(server, 'one', 1)
  const two = await startNodes(server, 'two', 2)
  const used = { one: new ProcessorTime(server), two: new ProcessorTime(server) }
  try {
    await compare({
      ...options,
      title: 'Whole way with five calls: SQLite, and PostgreSQL with one node and with two',
      ways: {
        SQLite: sqlite.investigate,
        'PostgreSQL, two nodes': used.two.of(two.investigate),
        'PostgreSQL, one node': used.one.of(one.investigate),
      },
      baseline: 'SQLite',
    })
    printTable(
      `Processor time of ${server.description}`,
      ['', 'CPU ms per alert'],
      Object.entries(used).map(([name, time]) => [name, time.perOperation().toFixed(3)]),
    )
  } finally {
    await Promise.all([sqlite.stop(), one.stop(), two.stop()])
    await server.dispose()
  }
}

interface Nodes {
  readonly investigate: Way
  stop(): Promise<void>
}

async function startNodes(server: PostgresServer, database: string, count: 1 | 2): Promise<Nodes> {
  await server.query(`CREATE DATABASE ${database}`)
  const env = {
    TOCSIN_STORE: server.address(database),
    TOCSIN_MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const way = await startWholeWay(env)
  const others: Child<WholeWay['tocsin']['said']>[] = []
  if (count === 2)
    others.push(
      await startChild('tocsin-server.ts', {
        ...env,
        TOCSIN_DATA_DIR: join(way.folder, 'other'),
        TOCSIN_PLAYBOOKS_DIR: join(way.folder, 'playbooks'),
        TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1',
      }),
    )
  const nodes = [way.tocsin, ...others]
  return {
    async investigate(connections, seconds) {
      if (count === 1) return await way.investigate(connections, seconds)
      const share = Math.max(1, Math.floor(connections / nodes.length))
      const figures = await Promise.all(
        nodes.map((node) =>
          post({
            ...way.alerts,
            url: `${node.said.apiUrl}/alerts`,
            connections: share,
            seconds,
            usage: () => node.ask('usage'),
          }),
        ),
      )
      return together(figures)
    },
    async stop() {
      await Promise.all(others.map((node) => node.stop()))
      await way.stop()
    },
  }
}

/** Of nodes that work at the same time. */
function together(figures: readonly Figures[]): Figures {
  const sum = figures.reduce((all, { perSecond }) => all + perSecond, 0)
  const mean = (figure: 'cpuMs' | 'flushes') =>
    figures.reduce((all, each) => all + each[figure] * each.perSecond, 0) / sum
  const most = (figure: 'p50' | 'p99' | 'p999') => Math.max(...figures.map((each) => each[figure]))
  return {
    perSecond: sum,
    p50: most('p50'),
    p99: most('p99'),
    p999: most('p999'),
    cpuMs: mean('cpuMs'),
    flushes: mean('flushes'),
  }
}

/** Processor time of the database server during measurements. */
class ProcessorTime {
  readonly #folder: string
  #ms = 0
  #operations = 0

  constructor({ folder }: PostgresServer) {
    this.#folder = folder
  }

  of(way: Way): Way {
    return async (count, seconds) => {
      const before = this.#read()
      const figures = await way(count, seconds)
      this.#ms += this.#read() - before
      this.#operations += figures.perSecond * seconds
      return figures
    }
  }

  perOperation(): number {
    return this.#ms / this.#operations
  }

  /** Of the server and its processes, the ended ones included. Linux only: 0 elsewhere. */
  #read(): number {
    try {
      const main = readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8').split('\n')[0] ?? ''
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .reduce((sum, pid) => sum + processorMs(pid, main), 0)
    } catch {
      return 0
    }
  }
}

/** One tick of /proc is 10 ms. */
const tickMs = 10

function processorMs(pid: string, main: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const [own, ended] = [Number(fields[11]) + Number(fields[12]), Number(fields[13]) + Number(fields[14])]
    if (pid === main) return (own + ended) * tickMs
    return fields[1] === main ? own * tickMs : 0
  } catch {
    return 0
  }
}
