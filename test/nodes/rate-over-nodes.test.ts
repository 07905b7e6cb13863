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
