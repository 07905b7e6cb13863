import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { certificate, freePort, hasCaddy, startCaddyFor, type RunningProxy } from '../http/support/proxies.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { startTestCluster, type TestCluster } from './support/test-cluster.ts'

const senders = 8
const pauseMs = 20

describePostgres('three nodes behind Caddy, as deploy/caddy/Caddyfile.cluster sets it up', () => {
  let cluster: TestCluster
  let proxy: RunningProxy
  let folder: TemporaryFolder
  let port: number
  let agent: Agent

  before(async function () {
    this.timeout(120_000)
    if (!hasCaddy) return this.skip()
    folder = await makeTemporaryFolder()
    cluster = await startTestCluster({
      nodes: 3,
      playbooks: {},
      egress: '127.0.0.1:9',
      env: { TOCSIN_TRUSTED_PROXIES: '127.0.0.1', TOCSIN_DRAIN_SECONDS: '10' },
    })
    port = await freePort()
    const ports = cluster.nodes.map(({ server }) => Number(new URL(server.url).port))
    proxy = await startCaddyFor(ports, port, folder.path)
    agent = new Agent({ keepAlive: true, ca: certificate })
  })
  after(async () => {
    agent?.destroy()
    await proxy?.close()
    await cluster?.close()
    await folder?.remove()
  })

  /** The status of the answer, or the error of the connection. */
  async function ask(
    method: string,
    path: string,
    { headers, body }: { headers?: Readonly<Record<string, string>>; body?: string | Uint8Array } = {},
  ): Promise<string> {
    const asked = request({
      agent,
      port,
      host: '127.0.0.1',
      method,
      path: `/api${path}`,
      headers: { authorization: `Bearer ${cluster.nodes[0]!.server.adminKey}`, ...headers },
    })
    asked.end(body)
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      await text(answer)
      return String(answer.statusCode)
    } catch (error) {
      return (error as Error).message
    }
  }

  const send = (key: string): Promise<string> =>
    ask('POST', '/alerts', {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'x',
        alert_content: 'x',
      }),
    })

  /** Sends alerts until `work` ends, and repeats each one until it is acknowledged. Returns the answers that did not acknowledge an alert. */
  async function sendDuring(work: () => Promise<void>): Promise<readonly string[]> {
    const others: string[] = []
    const over = new AbortController()
    const sending = Array.from({ length: senders }, async () => {
      while (!over.signal.aborted) {
        const key = randomUUID()
        for (let status = await send(key); status !== '201'; status = await send(key)) {
          others.push(status)
          await sleep(pauseMs)
        }
        await sleep(pauseMs)
      }
    })
    await work().finally(() => over.abort())
    await Promise.all(sending)
    return others
  }

  it('take files of cases', async () => {
    const [node] = cluster.nodes
    const id = await eventually('a case', async () => {
      await send(randomUUID())
      const { body } = await cluster.call(node!, '/cases')
      return body.data[0]?.case_id as string | undefined
    })
    expect(await ask('POST', `/cases/${id}/files?name=x`, { body: Buffer.alloc(6_000_000) })).to.equal('201')
  })

  it('give no sender an error while a node is stopped for an upgrade', async () => {
    const refused = await sendDuring(async () => {
      await sleep(500)
      const ended = await cluster.nodes[0]!.server.stop('SIGTERM')
      expect(ended.code).to.equal(0)
      await sleep(500)
    })
    expect(refused).to.deep.equal([])
  })

  it('lose no alert of a sender that repeats its requests when a node is killed, and then answer all', async () => {
    const refused = await sendDuring(async () => {
      await sleep(500)
      await cluster.nodes[1]!.server.stop('SIGKILL')
      // Caddy has not asked for its state yet.
      const reads = await Promise.all(Array.from({ length: 30 }, () => ask('GET', '/engine')))
      expect(new Set(reads)).to.deep.equal(new Set(['200']))
      await eventually('an answer of the other node', async () =>
        (await send(randomUUID())) === '201' ? true : undefined,
      )
    })
    expect(
      refused.every((status) => status === '502'),
      refused.join(),
    ).to.equal(true)
    await sleep(5_000)
    expect(await sendDuring(() => sleep(1_000))).to.deep.equal([])
  })
})
