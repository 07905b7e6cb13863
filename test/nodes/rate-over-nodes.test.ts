import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { lookStep, playbookOf, toolPlugin } from './support/tool-plugin.ts'

const limit = { requests: 12, perMs: 2_000 }
/**
 * The sandbox counts in half of the time span: on a busy machine, requests that were sent a time span apart may arrive closer together.
 * A node that took the whole limit for itself would send it at once.
 */
const windowMs = limit.perMs / 2
const phaseMs = 6_000
/** What the other system asks for; longer than a node takes to start. */
const pauseMs = 15_000
/** Until all nodes know of the pause, and requests that were under way have arrived. */
const heardMs = 1_000
/** The pause begins when the answer arrives, and ends by the clocks of nodes. */
const earlierMs = 500

describePostgres('the rate limit of a connection over three processes', () => {
  let cluster: TestCluster
  let tool: TestServer
  let seen: { readonly at: number; readonly alert: string }[]

  before(async function () {
    this.timeout(120_000)
    seen = []
    tool = await serveHttp((request, response) => {
      seen.push({ at: performance.now(), alert: String(request.url).slice(1) })
      response.end('{}')
    })
    cluster = await startTestCluster({
      nodes: 3,
      plugin: toolPlugin(`() => ({ bucket: 'requests', limits: [${JSON.stringify(limit)}] })`),
      playbooks: { looks: playbookOf('looks', lookStep(1_000, 10)) },
      egress: `127.0.0.1:${tool.port}`,
      // As in production: a thread of skills, which is told of the share of its node.
      env: { TOCSIN_WORKERS: '1' },
    })
    await connectPlugin(cluster, 'tool', tool.url)
  })
  after(async () => {
    await cluster?.close()
    await tool?.close()
  })

  async function post(node: ClusterNode): Promise<string> {
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'looks',
      alert_content: 'x',
    }
    const reply = await cluster.call(node, '/alerts', { body })
    expect(reply.status).to.equal(201)
    return reply.body.alert_id
  }
  const isSeen = (alert: string) =>
    eventually(`requests for ${alert}`, () => seen.some((request) => request.alert === alert) || undefined)

  function expectLimit(): void {
    const times = seen.map(({ at }) => at)
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
    )
    expect(most, `most requests in ${windowMs} ms`).to.be.at.most(limit.requests)
    const spans = Math.ceil((times.at(-1)! - times[0]!) / limit.perMs) + 1
    expect(times.length, `requests in ${spans} time spans`).to.be.at.most(spans * limit.requests)
  }

  it('holds while all work, after one was killed, and when another one joins', async function () {
    this.timeout(180_000)
    const alerts = await Promise.all(cluster.nodes.map(post))
    await Promise.all(alerts.map(isSeen))
    await sleep(phaseMs)
    const [, , killed] = cluster.nodes
    await killed!.server.stop('SIGKILL')
    // Until its share is divided, and its run was taken over.
    const before = seen.length
    await eventually(
      'the work of the killed node',
      () => seen.slice(before).some(({ alert }) => alert === alerts[2]) || undefined,
    )
    await sleep(phaseMs)
    const joined = await cluster.add()
    await isSeen(await post(joined))
    await sleep(phaseMs)
    expectLimit()
    process.stdout.write(`    ${seen.length} requests in ${Math.round(seen.at(-1)!.at - seen[0]!.at)} ms\n`)
  })
})

describePostgres('a connection that the other system asks one of several nodes to pause', () => {
  let cluster: TestCluster
  let tool: TestServer
  let seen: number[]
  let asks: boolean
  /** When it asked. */
  let askedAt: number

  before(async function () {
    this.timeout(120_000)
    ;[seen, asks, askedAt] = [[], false, 0]
    tool = await serveHttp((_request, response) => {
      if (!asks) {
        seen.push(performance.now())
        setTimeout(() => response.end('{}'), 20)
        return
      }
      asks = false
      askedAt = performance.now()
      response.writeHead(429, { 'retry-after': String(pauseMs / 1_000) }).end()
    })
    cluster = await startTestCluster({
      nodes: 2,
      plugin: toolPlugin("() => ({ bucket: 'requests', limits: [{ requests: 1_000, perMs: 1_000 }] })"),
      playbooks: { looks: playbookOf('looks', lookStep(10_000)) },
      egress: `127.0.0.1:${tool.port}`,
      env: { TOCSIN_WORKERS: '1' },
    })
    await connectPlugin(cluster, 'tool', tool.url)
  })
  after(async () => {
    await cluster?.close()
    await tool?.close()
  })

  it('gets nothing from any node until then, also from one that starts meanwhile', async function () {
    this.timeout(120_000)
    const post = (node: ClusterNode) =>
      cluster.call(node, '/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: 'main',
          alert_type: 'looks',
          alert_content: 'x',
        },
      })
    for (const node of cluster.nodes) expect((await post(node)).status).to.equal(201)
    await eventually('requests', () => seen.length > 20 || undefined)
    asks = true
    await eventually('the request to pause', () => askedAt || undefined)
    const joined = await cluster.add()
    expect((await post(joined)).status).to.equal(201)
    await sleep(askedAt + pauseMs - performance.now())
    const early = seen.filter((at) => at > askedAt + heardMs && at < askedAt + pauseMs - earlierMs)
    expect(early.map((at) => Math.round(at - askedAt))).to.deep.equal([])
    const before = seen.length
    await eventually('requests after the pause', () => seen.length > before + 20 || undefined)
  })
})
