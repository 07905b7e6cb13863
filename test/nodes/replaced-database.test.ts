import { expect } from 'chai'
import pg from 'pg'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { lookStep, playbookOf, toolPlugin } from './support/tool-plugin.ts'

describePostgres('nodes whose database is replaced while they run', () => {
  let cluster: TestCluster
  let tool: TestServer
  let looks = 0
  let isHeld = true

  before(async function () {
    this.timeout(60_000)
    tool = await serveHttp((_request, response) => {
      looks++
      const answer = () => (isHeld ? setTimeout(answer, 50) : response.end('{}'))
      answer()
    })
    cluster = await startTestCluster({
      nodes: 1,
      plugin: toolPlugin(),
      playbooks: { looks: playbookOf('looks', lookStep()) },
      egress: `127.0.0.1:${tool.port}`,
    })
    await connectPlugin(cluster, 'tool', tool.url)
  })
  after(() => Promise.all([cluster?.close(), tool?.close()]))

  /** While no node is connected, as copies and renames of a database need it. */
  const change = async (...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: cluster.database.address('template1') })
    await client.connect()
    await client.query('ALTER DATABASE postgres ALLOW_CONNECTIONS false')
    await client.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'postgres'",
    )
    for (const statement of statements) await client.query(statement)
    await client.query('ALTER DATABASE postgres ALLOW_CONNECTIONS true')
    await client.end()
  }

  it('by an earlier state: they end, and resume the runs of that state at their restart', async function () {
    this.timeout(120_000)
    const [node] = cluster.nodes as [ClusterNode]
    await cluster.call(node, '/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'looks',
        alert_content: 'one',
      },
    })
    const isCompleted = async () =>
      (await cluster.database.query("SELECT 1 FROM runs WHERE status = 'completed'")).length > 0 || undefined
    await eventually('the call', () => looks === 1 || undefined)
    await change('CREATE DATABASE dumped TEMPLATE postgres')
    const renewedAt = async () =>
      (await cluster.database.query('SELECT renewed_at FROM nodes'))[0]?.['renewed_at']
    const dumpedAt = await renewedAt()
    isHeld = false
    await eventually('the end of the run', isCompleted)
    await eventually('a renewal', async () => (await renewedAt()) !== dumpedAt || undefined)

    await change('ALTER DATABASE postgres RENAME TO replaced', 'ALTER DATABASE dumped RENAME TO postgres')
    const { code, stderr } = await node.server.command.ended
    expect(code).to.equal(1)
    expect(stderr)
      .to.include('database_replaced')
      .and.include('"exiting: the database is in an earlier state')
    await cluster.restart(node)
    await eventually('the end of the run', isCompleted)
    expect(looks).to.equal(2)
  })

  it('by an empty one: they acknowledge nothing, say why, and go on when theirs is back', async function () {
    this.timeout(120_000)
    const [node] = cluster.nodes as [ClusterNode]
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'quiet',
      alert_content: 'two',
    }
    const post = () => cluster.call(node, '/alerts', { body })
    const readyz = async () => {
      const reply = await fetch(`${node.server.url}/readyz`)
      return `${reply.status} ${await reply.text()}`
    }
    await change('ALTER DATABASE postgres RENAME TO aside', 'CREATE DATABASE postgres')
    await eventually('the reason', async () => /^503.*tables are missing/.test(await readyz()) || undefined)
    const refused = await post()
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.equal('5')

    await change('ALTER DATABASE postgres RENAME TO empty', 'ALTER DATABASE aside RENAME TO postgres')
    await eventually('a node that is ready', async () => (await readyz()).startsWith('200') || undefined)
    expect((await post()).status).to.equal(201)
  })
})
