import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { readEvents } from '../http/support/event-reader.ts'
import { readExposition } from '../metrics/read-exposition.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import type { CallOptions } from '../support/server/start-server.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { startDeafProxy, type DeafProxy } from './support/deaf-proxy.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { lookStep, playbookOf, toolPlugin } from './support/tool-plugin.ts'

/** What one node does takes effect on the others within a second; a busy machine takes longer. */
const boundMs = 3_000
const rounds = times(1)
/** Until the test system answers. */
const answerMs = 100
/** Without a request for this time, the run is taken to stand still. */
const stillMs = 5 * answerMs

const playbooks = {
  looks: playbookOf('looks', lookStep()),
  'looks-long': playbookOf('looks-long', lookStep(500)),
  asks: playbookOf(
    'asks',
    '  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }',
  ),
  versioned: playbookOf('versioned', '  - return: 0'),
}

describePostgres('what one node changes, on another node', () => {
  let cluster: TestCluster
  let a: ClusterNode
  let b: ClusterNode
  let proxies: DeafProxy[]
  let tools: TestServer[]
  /** Requests to each tool. */
  let looks: number[]

  before(async function () {
    this.timeout(120_000)
    proxies = []
    looks = [0, 0]
    tools = await Promise.all(
      looks.map((_, index) =>
        serveHttp((_request, response) => {
          looks[index]!++
          setTimeout(() => response.end('{}'), answerMs)
        }),
      ),
    )
    cluster = await startTestCluster({
      nodes: 2,
      plugin: toolPlugin(),
      playbooks,
      egress: tools.map(({ port }) => `127.0.0.1:${port}`).join(','),
      env: { TOCSIN_PLAYBOOKS_RELOAD_SECONDS: '0' },
      async between(address) {
        const proxy = await startDeafProxy(address)
        proxies.push(proxy)
        return proxy.address
      },
    })
    ;[a, b] = cluster.nodes as [ClusterNode, ClusterNode]
    await connectPlugin(cluster, 'tool', tools[0]!.url)
  })
  after(async () => {
    await cluster?.close()
    await Promise.all([...(proxies ?? []), ...(tools ?? [])].map((each) => each.close()))
  })

  async function expectStatus(status: number, node: ClusterNode, path: string, options?: CallOptions) {
    const reply = await cluster.call(node, path, options)
    expect(reply.status, `${path}: ${JSON.stringify(reply.body)}`).to.equal(status)
    return reply.body
  }
  /** Its id. */
  async function post(node: ClusterNode, type: string, prefer?: string): Promise<string> {
    const body = { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: 'x' }
    const headers: Record<string, string> = prefer === undefined ? {} : { prefer }
    return (await expectStatus(201, node, '/alerts', { body, headers })).alert_id
  }
  const runOf = (node: ClusterNode, alert: string) =>
    eventually('the run', async () => (await cluster.call(node, `/runs?alert=${alert}`)).body.data?.[0])
  const stateOf = async (node: ClusterNode) => (await cluster.call(node, '/engine')).body.state
  /** A run that has its turn on the second node, and looks again and again. */
  async function lookingRun() {
    // Otherwise another node takes the run.
    await eventually('a node that runs', async () => (await stateOf(b)) === 'running' || undefined)
    const before = looks[0]!
    const run = await runOf(b, await post(b, 'looks-long'))
    await eventually('its calls', () => looks[0]! > before + 2 || undefined)
    const [row] = await cluster.database.query(`SELECT owner FROM runs WHERE uuid = '${run.run_uuid}'`)
    expect(row?.['owner']).to.equal(await cluster.idOf(b))
    return run
  }
  const statusAt = async (node: ClusterNode, path: string, key: string) =>
    (await cluster.call(node, path, { key })).status

  /** Until the second node acts, in milliseconds. */
  async function until(acts: () => Promise<boolean>): Promise<number> {
    const from = performance.now()
    await eventually('the other node to act', async () => (await acts()) || undefined)
    return performance.now() - from
  }

  /** Each does something on the first node, and gives the time until the second one acts on it. */
  const cases: Readonly<Record<string, (round: number) => Promise<number>>> = {
    async 'a revoked API key'() {
      const { key_id: id, key } = await expectStatus(201, a, '/keys', {
        body: { name: 'short', role: 'reader' },
      })
      expect(await statusAt(b, '/organizations', key)).to.equal(200)
      await expectStatus(200, a, `/keys/${id}`, { method: 'DELETE' })
      return await until(async () => (await statusAt(b, '/organizations', key)) === 401)
    },
    async 'a disabled account'(round) {
      const person = { email: `p${round}@example.com`, name: 'P', roles: [{ role: 'reader' }] }
      const { account_uuid: uuid, invitation_url: url } = await expectStatus(201, a, '/accounts', {
        body: person,
      })
      const token = String(url).split('#')[1]
      const { headers } = await cluster.call(b, '/invitation/accept', {
        body: { token, password: 'correct horse battery staple' },
        headers: { cookie: '' },
      })
      const cookie = String(headers.get('set-cookie')).split(';', 1)[0]!
      const status = async () => (await cluster.call(b, '/me', { headers: { cookie } })).status
      expect(await status()).to.equal(200)
      await expectStatus(200, a, `/accounts/${uuid}/disable`, { method: 'POST' })
      return await until(async () => (await status()) === 401)
    },
    async 'a pause of the engine'() {
      const run = await lookingRun()
      await expectStatus(200, a, '/engine/pause', { body: { reason: 'test' } })
      const took = await until(async () => {
        const before = looks[0]
        await sleep(stillMs)
        return looks[0] === before
      })
      await expectStatus(200, a, `/runs/${run.run_uuid}/cancel`, { method: 'POST' })
      await expectStatus(200, a, '/engine/resume', { method: 'POST' })
      return took - stillMs
    },
    async 'the end of a pause'() {
      await expectStatus(200, b, '/engine/pause', { body: { reason: 'test' } })
      expect(await stateOf(b)).to.equal('paused')
      await expectStatus(200, a, '/engine/resume', { method: 'POST' })
      return await until(async () => (await stateOf(b)) === 'running')
    },
    async 'a cancelled run'() {
      const run = await lookingRun()
      await expectStatus(200, a, `/runs/${run.run_uuid}/cancel`, { method: 'POST' })
      return await until(
        async () => (await cluster.call(a, `/runs/${run.run_uuid}`)).body.status === 'cancelled',
      )
    },
    async 'a published playbook'(round) {
      const source = playbookOf('versioned', `  - return: ${round + 1}`)
      const headers = { 'if-match': '*' }
      const { hash } = await expectStatus(200, a, '/playbooks/versioned', {
        method: 'PUT',
        body: { source },
        headers,
      })
      return await until(
        async () => (await runOf(b, await post(b, 'versioned', 'wait=30'))).playbook_hash === hash,
      )
    },
    async 'an answer, while a sender waits for the investigation'() {
      let endedAt: number | undefined
      const waiting = post(b, 'asks', 'wait=40').then(() => (endedAt = performance.now()))
      const question = await eventually(
        'the question',
        async () => (await cluster.call(a, '/checkpoints?state=waiting')).body.data?.[0],
      )
      await expectStatus(200, a, `/checkpoints/${question.checkpoint_id}/answer`, { body: { answer: 'yes' } })
      const from = performance.now()
      await waiting
      return Math.max(0, (endedAt ?? 0) - from)
    },
    async 'a new organization'(round) {
      await expectStatus(200, b, '/organizations')
      const code = `new${round}`
      await expectStatus(201, a, '/organizations', { body: { code, name: code } })
      await expectStatus(201, b, '/alerts', {
        body: { alert_provider: 'custom', organization_code: code, alert_type: null, alert_content: 'x' },
      })
      return 0
    },
    async 'a changed connection'() {
      const [first, second] = tools.map(({ url }) => ({ settings: { base_url: url } }))
      await post(b, 'looks', 'wait=30')
      const before = looks[1]!
      await expectStatus(200, a, '/connections/tool', { method: 'PATCH', body: second })
      const took = await until(async () => {
        await post(b, 'looks', 'wait=30')
        return looks[1]! > before
      })
      await expectStatus(200, a, '/connections/tool', { method: 'PATCH', body: first })
      return took
    },
  }

  it('is in the metrics of each: how many nodes live, its own lease, and the size of the database', async () => {
    for (const { server } of [a, b]) {
      const headers = { authorization: `Bearer ${server.adminKey}` }
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
      const value = (name: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        )
      expect(value('tocsin_nodes_live')).to.equal(2)
      expect(value('tocsin_node_lease_seconds')).to.be.within(0, 5)
      const [row] = await cluster.database.query('SELECT pg_database_size(current_database()) AS bytes')
      const bytes = Number(row?.['bytes'])
      expect(value('tocsin_store_size_bytes{file="database"}')).to.be.within(bytes / 2, bytes * 2)
      expect(text).to.not.include('file="wal"')
    }
  })

  it('is in the metrics of each: what they share has the same values', async () => {
    const sharedAt = async ({ server }: ClusterNode) => {
      const headers = { authorization: `Bearer ${server.adminKey}` }
      const families = readExposition(await (await fetch(`${server.url}/metrics`, { headers })).text())
      return (
        families
          // Each node reads the size of the database once a minute.
          .filter(({ name, help }) => help?.endsWith('The same on all nodes.') && !name.endsWith('_bytes'))
          .flatMap(({ samples }) =>
            samples.map(({ name, labels, value }) => [name, ...labels.values(), value]),
          )
      )
    }
    const run = await runOf(a, await post(a, 'asks'))
    await eventually('the same values', async () => {
      const [one, other] = (await Promise.all([sharedAt(a), sharedAt(b)])).map((each) => each.join('\n'))
      return (one === other && one?.includes('tocsin_runs,waiting,1')) || undefined
    })
    await expectStatus(200, a, `/runs/${run.run_uuid}/cancel`, { method: 'POST' })
  })

  it('are counted in GET engine of each: active runs and their limit', async () => {
    const engineOf = async (node: ClusterNode) =>
      (await cluster.call(node, '/engine')).body.organizations.find(
        (each: { organization_code: string }) => each.organization_code === 'main',
      )
    const run = await lookingRun()
    for (const node of [b, a]) {
      // The other node tells its number with its lease, and a cancelled run of an earlier test may still be ending.
      const row = await eventually('the one run to be counted', async () => {
        const seen = await engineOf(node)
        return seen?.working === 1 ? seen : undefined
      })
      expect(row.max_working).to.equal(200)
    }
    await expectStatus(200, a, `/runs/${run.run_uuid}/cancel`, { method: 'POST' })
  })

  it('ends the event streams of a revoked API key, also while that node answers requests from its cache', async () => {
    const { key_id: id, key } = await expectStatus(201, a, '/keys', {
      body: { name: 'watching', role: 'reader' },
    })
    const stream = await readEvents(`${b.server.url}/api/events`, { authorization: `Bearer ${key}` })
    expect(stream.status).to.equal(200)
    const goOn = new AbortController()
    const asking = (async () => {
      while (!goOn.signal.aborted) await statusAt(b, '/organizations', key)
    })()
    try {
      await sleep(1_000)
      await expectStatus(200, a, `/keys/${id}`, { method: 'DELETE' })
      expect(await until(async () => stream.isOver())).to.be.lessThan(boundMs)
    } finally {
      goOn.abort()
      await asking
      stream.close()
    }
  })

  for (const isDeaf of [false, true])
    describe(isDeaf ? 'that hears no notifications' : 'that hears notifications', () => {
      before(() => {
        for (const proxy of proxies) proxy.isDeaf = isDeaf
      })

      for (const [what, change] of Object.entries(cases))
        it(`${what} takes effect within a second`, async function () {
          this.timeout(rounds * 60_000)
          const took: number[] = []
          for (let round = 0; round < rounds; round++) took.push(await change(round + (isDeaf ? rounds : 0)))
          if (rounds > 1) process.stdout.write(`    ${what}: ${figuresOf(took)}\n`)
          expect(Math.max(...took)).to.be.lessThan(boundMs)
          const hasLost = () => proxies.some(({ lost }) => lost > 0)
          // The change may act before its notification is sent.
          if (isDeaf) await eventually('a notification is lost', () => hasLost() || undefined)
          else expect(hasLost()).to.equal(false)
        })
    })
})

/** Least, median, most. */
function figuresOf(took: readonly number[]): string {
  const sorted = took.toSorted((x, y) => x - y).map(Math.round)
  return `${sorted[0]}, ${sorted[Math.floor(sorted.length / 2)]}, ${sorted.at(-1)} ms`
}
