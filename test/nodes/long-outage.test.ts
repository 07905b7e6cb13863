import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { lookStep, playbookOf, toolPlugin } from './support/tool-plugin.ts'

/** Ten minutes in the long form of the tests. */
const outageMs = times(1) === 1 ? 20_000 : 600_000
/** Until requests are refused: what waits for the database gives up after 10 seconds. */
const refusedAfterMs = 15_000
/** Each sender sees at least as many requests refused; on a slow machine the outage takes longer for them. */
const leastRefused = 10
/** Each sender pauses between its alerts, in milliseconds. */
const pauseMs = 200
/** Runs that become due during the outage, and how many a node does at once. */
const [dueRuns, maxRuns] = [60, 5]
/** From the return of the database until both nodes are ready, in milliseconds. */
const readyAfterMs = 10_000
/** Log lines of a node: about 20 jobs say once in a minute that they fail, and how often. */
const linesPerMinute = 60
/** Growth from the first third of the outage to its end. */
const growthBytes = 64 * 2 ** 20

/** What the nodes said and used during the outage. */
const record = join(import.meta.dirname, '../../.build/long-outage.jsonl')

describePostgres('nodes whose database is away for minutes', () => {
  let cluster: TestCluster
  let tool: TestServer
  /** Calls of runs, in milliseconds of `performance.now()`; how many were under way at once. */
  let looks: number[]
  let busiest: number
  const note = (line: object) => appendFileSync(record, `${JSON.stringify(line)}\n`)

  before(async function () {
    this.timeout(120_000)
    mkdirSync(join(record, '..'), { recursive: true })
    writeFileSync(record, '')
    ;[looks, busiest] = [[], 0]
    let underWay = 0
    tool = await serveHttp((_request, response) => {
      looks.push(performance.now())
      busiest = Math.max(busiest, ++underWay)
      setTimeout(() => {
        underWay--
        response.end('{}')
      }, 50)
    })
    cluster = await startTestCluster({
      nodes: 2,
      plugin: toolPlugin(),
      playbooks: {
        looks: playbookOf('looks', lookStep(10_000)),
        quick: playbookOf('quick', '  - return: 1'),
        due: playbookOf('due', `  - wait: 5s\n${lookStep()}`),
      },
      egress: `127.0.0.1:${tool.port}`,
      env: { TOCSIN_LOG_LEVEL: 'info', TOCSIN_MAX_RUNS: String(maxRuns) },
    })
    await connectPlugin(cluster, 'tool', tool.url)
  })
  after(async () => {
    await cluster?.close()
    await tool?.close()
  })

  const readyz = async ({ server }: ClusterNode) => {
    const reply = await fetch(`${server.url}/readyz`)
    const { detail = '', hint = '' } = (await reply.json()) as { detail?: string; hint?: string }
    return { status: reply.status, detail, hint }
  }
  const post = (node: ClusterNode, type: string, content: string, key: string = randomUUID()) =>
    cluster.call(node, '/alerts', {
      body: { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: content },
      headers: { 'idempotency-key': key },
    })
  const memoryOf = ({ server }: ClusterNode): number =>
    1_024 *
    Number(
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.command.process.pid}/status`, 'utf8'))?.[1] ?? 0,
    )

  /** Posts alerts to a node, each until it is acknowledged or refused. */
  function send(node: ClusterNode, signal: AbortSignal) {
    const acknowledged: string[] = []
    const refusals: { readonly at: number; readonly tookMs: number; readonly detail: string }[] = []
    const sending = (async () => {
      for (let n = 0; !signal.aborted; n++) {
        const content = `${node.name} ${n}`
        const at = performance.now()
        const { status, headers, body } = await post(node, 'quick', content)
        if (status === 201) acknowledged.push(content)
        else {
          expect(status, JSON.stringify(body)).to.equal(503)
          expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
          refusals.push({ at, tookMs: performance.now() - at, detail: `${body.detail} | ${body.hint}` })
        }
        await sleep(pauseMs)
      }
    })()
    return { acknowledged, refusals, sending }
  }

  it('refuse what they cannot keep, stay small and quiet, and go on by themselves', async function () {
    this.timeout(outageMs + 180_000)
    const { nodes, database } = cluster
    expect((await post(nodes[0]!, 'looks', 'run')).status).to.equal(201)
    for (let n = 0; n < dueRuns; n++)
      expect((await post(nodes[n % 2]!, 'due', `due ${n}`)).status).to.equal(201)
    const lines = nodes.map(() => [] as string[])
    for (const [index, { server }] of nodes.entries())
      server.command.process.stderr.on('data', (text: string) => {
        for (const line of text.trimEnd().split('\n')) {
          lines[index]!.push(line)
          note({ node: index, line })
        }
      })
    const stopping = new AbortController()
    const senders = nodes.map((node) => send(node, stopping.signal))
    await sleep(1_000)
    await database.stop()
    const stoppedAt = performance.now()
    const memory: number[][] = nodes.map(() => [])
    const refused: { readonly status: number; readonly detail: string }[] = []
    const lateRefusals = () =>
      senders.map(({ refusals }) => refusals.filter(({ at }) => at > stoppedAt + refusedAfterMs))
    const areRefused = () => lateRefusals().every(({ length }) => length >= leastRefused)
    while (performance.now() - stoppedAt < outageMs || !areRefused()) {
      await sleep(1_000)
      const passedMs = Math.round(performance.now() - stoppedAt)
      for (const [index, node] of nodes.entries()) {
        const used = memoryOf(node)
        memory[index]!.push(used)
        const reply = await readyz(node)
        if (passedMs > refusedAfterMs) refused.push(reply)
        note({ passedMs, node: index, megabytes: Math.round(used / 2 ** 20), ...reply })
      }
    }
    const [tookMs, late] = [performance.now() - stoppedAt, lateRefusals().flat()]
    const linesInOutage = lines.map(({ length }) => length)
    const callsInOutage = looks.filter((at) => at > stoppedAt + 8_000).length
    busiest = 0
    await database.resume()
    const backAt = performance.now()
    for (const node of nodes)
      await eventually('a node that is ready', async () => (await readyz(node)).status === 200 || undefined)
    const readyMs = performance.now() - backAt
    await eventually('the runs that were due', async () => {
      const [row] = await database.query(
        `SELECT count(*)::int AS n FROM runs WHERE playbook_name = 'due' AND status = 'completed'`,
      )
      return row?.['n'] === dueRuns || undefined
    })
    const before = looks.length
    await eventually('further calls of the long run', () => looks.length > before + 5 || undefined)
    const acknowledgedBefore = senders.map(({ acknowledged }) => acknowledged.length)
    await eventually('further alerts through both', () =>
      senders.every(({ acknowledged }, index) => acknowledged.length > acknowledgedBefore[index]!)
        ? true
        : undefined,
    )
    stopping.abort()
    await Promise.all(senders.map(({ sending }) => sending))
    const figures = {
      outageMs: Math.round(tookMs),
      readyMs: Math.round(readyMs),
      settledMs: Math.round(performance.now() - backAt),
      busiest,
      linesInOutage,
      callsInOutage,
      megabytes: memory.map((used) => [used[Math.floor(used.length / 3)]!, used.at(-1)!].map(toMegabytes)),
      refusals: senders.map(({ refusals }) => refusals.length),
      texts: [...new Set(senders.flatMap(({ refusals }) => refusals.map(({ detail }) => detail)))],
    }
    note(figures)

    const stored = (await database.query('SELECT content FROM alert_contents')).map(({ content }) => content)
    const acknowledged = senders.flatMap((sender) => sender.acknowledged)
    expect(stored, 'acknowledged alerts').to.include.members(acknowledged)
    expect(new Set(stored).size, 'stored once').to.equal(stored.length)
    for (const { status, detail } of refused) {
      expect(status).to.equal(503)
      expect(detail).to.include('PostgreSQL is unavailable')
    }
    for (const { detail } of late) expect(detail).to.include('PostgreSQL is unavailable')
    expect(callsInOutage, 'calls of nodes without a lease').to.equal(0)
    expect(readyMs).to.be.lessThan(readyAfterMs)
    expect(busiest, 'calls at once').to.be.within(1, 2 * maxRuns)
    for (const count of linesInOutage)
      expect(count, 'log lines').to.be.lessThan(Math.max(1, tookMs / 60_000) * linesPerMinute)
    for (const used of memory)
      expect(used.at(-1)! - used[Math.floor(used.length / 3)]!, 'bytes').to.be.lessThan(growthBytes)
    for (const { server } of nodes) expect(server.command.process.exitCode).to.equal(null)
    const ofDatabase = lines.flat().filter((line) => line.includes('the database can'))
    expect(ofDatabase.length).to.be.greaterThan(3)
    for (const line of ofDatabase) expect(JSON.parse(line)).to.not.have.any.keys('run', 'request_id')
    const gone = await database.query('SELECT name FROM nodes WHERE gone_why IS NOT NULL')
    expect(gone).to.deep.equal([])
  })
})

const toMegabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)
