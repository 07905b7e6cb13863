import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { noteUntested } from '../support/untested.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { startDeafProxy, type DeafProxy } from './support/deaf-proxy.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { lookStep, playbookOf, toolPlugin } from './support/tool-plugin.ts'

/** Longer than a lease, than the other nodes wait for its end, and than writes wait for the database. */
const longOutageMs = 15_000
/** Until a node that cannot reach the database sends nothing, with a margin for a busy machine. */
const sendsNothingAfterMs = 8_000

const alert = (type: string, content: string) => ({
  alert_provider: 'custom',
  organization_code: 'main',
  alert_type: type,
  alert_content: content,
})

describePostgres('nodes that lose the connection to their database', () => {
  let cluster: TestCluster
  let tool: TestServer
  let looks: number[]
  let proxies: DeafProxy[]

  const start = async (nodes: number) => {
    looks = []
    proxies = []
    tool = await serveHttp((_request, response) => {
      looks.push(performance.now())
      setTimeout(() => response.end('{}'), 50)
    })
    cluster = await startTestCluster({
      nodes,
      plugin: toolPlugin(),
      playbooks: { looks: playbookOf('looks', lookStep(1_000)), quick: playbookOf('quick', '  - return: 1') },
      egress: `127.0.0.1:${tool.port}`,
      async between(address) {
        const proxy = await startDeafProxy(address)
        proxies.push(proxy)
        return proxy.address
      },
    })
    await connectPlugin(cluster, 'tool', tool.url)
  }
  afterEach(async () => {
    await cluster?.close()
    await Promise.all([...proxies, tool].map((each) => each.close()))
  })

  const readyz = async ({ server }: ClusterNode) => {
    const reply = await fetch(`${server.url}/readyz`)
    return { status: reply.status, detail: String(((await reply.json()) as { detail?: string }).detail) }
  }
  const post = (node: ClusterNode, type: string, content: string) =>
    cluster.call(node, '/alerts', { body: alert(type, content) })
  const storedContents = async () =>
    (await cluster.database.query('SELECT content FROM alert_contents')).map(({ content }) => String(content))

  it('for a second: requests wait, and the run goes on', async function () {
    this.timeout(120_000)
    await start(1)
    const [node] = cluster.nodes as [ClusterNode]
    expect((await post(node, 'looks', 'run')).status).to.equal(201)
    await eventually('the first call', () => looks.length > 0 || undefined)
    proxies[0]!.isCut = true
    const posted = [post(node, 'quick', 'one'), post(node, 'quick', 'two')]
    await sleep(1_000)
    proxies[0]!.isCut = false
    expect((await Promise.all(posted)).map(({ status }) => status)).to.deep.equal([201, 201])
    expect(await storedContents()).to.include.members(['one', 'two'])
    const before = looks.length
    await eventually('further calls', () => looks.length > before + 5 || undefined)
    expect((await readyz(node)).status).to.equal(200)
  })

  it('for longer: a node alone acknowledges nothing, says why it is not ready, sends nothing, and goes on later', async function () {
    this.timeout(180_000)
    await start(1)
    const [node] = cluster.nodes as [ClusterNode]
    expect((await post(node, 'looks', 'run')).status).to.equal(201)
    await eventually('the first call', () => looks.length > 0 || undefined)
    proxies[0]!.isCut = true
    const cutAt = performance.now()
    const answered: string[] = []
    for (let n = 0; performance.now() - cutAt < longOutageMs; n++) {
      const { status, headers } = await post(node, 'quick', `alert ${n}`)
      if (status === 201) answered.push(`alert ${n}`)
      else {
        expect(status).to.equal(503)
        expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
      }
      await sleep(200)
    }
    expect(answered).to.deep.equal([])
    const refusal = await readyz(node)
    expect(refusal.status).to.equal(503)
    expect(refusal.detail).to.include('PostgreSQL is unavailable')
    expect(looks.filter((at) => at > cutAt + sendsNothingAfterMs)).to.deep.equal([])
    proxies[0]!.isCut = false
    await eventually('a node that is ready', async () => (await readyz(node)).status === 200 || undefined)
    const before = looks.length
    await eventually('further calls', () => looks.length > before + 5 || undefined)
    expect((await post(node, 'quick', 'after')).status).to.equal(201)
    expect(await storedContents()).to.deep.equal(['run', 'after'])
  })

  it('for longer: a node of several is replaced, and ends when it learns that', async function () {
    this.timeout(180_000)
    await start(2)
    const [other, cut] = cluster.nodes as [ClusterNode, ClusterNode]
    const { body } = await post(cut, 'looks', 'run')
    await eventually('the first call', () => looks.length > 0 || undefined)
    const owner = async () =>
      (await cluster.database.query('SELECT owner FROM runs WHERE ended_at IS NULL'))[0]?.['owner']
    const [idOfCut, idOfOther] = [await cluster.idOf(cut), await cluster.idOf(other)]
    expect(await owner()).to.equal(idOfCut)
    proxies[1]!.isCut = true
    await eventually('its run on the other node', async () => (await owner()) === idOfOther || undefined)
    const late = post(cut, 'quick', 'late').then(
      ({ status }) => status,
      () => 'cut off',
    )
    proxies[1]!.isCut = false
    const { code, stderr } = await cut.server.command.ended
    expect(code).to.equal(1)
    expect(stderr).to.include('node_removed').and.include('"exiting: another process has replaced this one"')
    expect(stderr).to.not.include('data directory')
    expect(await late).to.be.oneOf([503, 'cut off'])
    expect(await storedContents()).to.deep.equal(['run'])
    expect((await cluster.call(other, `/alerts/${body.alert_id}`)).status).to.equal(200)
    expect((await readyz(other)).status).to.equal(200)
  })
})

/** A small file system in memory; undefined: this machine cannot mount one. */
function mountSmall(folder: string, megabytes: number): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1)
  }
}

describePostgres('nodes whose database has no space left', () => {
  let folder: TemporaryFolder
  let database: PostgresServer | undefined
  let small: string | undefined
  before(async function () {
    folder = await makeTemporaryFolder()
    // The user of PostgreSQL cannot read the temporary folder of the tests.
    const place = mkdtempSync('/tmp/tocsin-small-')
    const failure = mountSmall(place, 48)
    if (failure !== undefined) {
      rmSync(place, { recursive: true })
      noteUntested(`a full disk of PostgreSQL: ${failure}`)
      return this.skip()
    }
    small = place
    database = await PostgresServer.start()
    const { uid, gid } = statSync(join(database.folder, 'data'))
    chownSync(small, uid, gid)
    await database.query(`CREATE TABLESPACE small LOCATION '${small}'`)
    await database.query('CREATE DATABASE small TABLESPACE small')
  })
  after(async () => {
    await killCommands()
    await database?.dispose()
    if (small !== undefined) {
      execFileSync('umount', ['--lazy', small])
      rmSync(small, { recursive: true })
    }
    await folder?.remove()
  })

  it('acknowledge only what is kept, say why, and go on when there is space', async function () {
    this.timeout(180_000)
    const { url, call, stop } = await startServer({
      cwd: folder.path,
      dataDir: join(folder.path, 'data'),
      env: {
        TOCSIN_STORE: database!.address('small'),
        TOCSIN_MASTER_KEY: randomBytes(32).toString('base64'),
      },
    })
    const readyz = async () => {
      const reply = await fetch(`${url}/readyz`)
      return { status: reply.status, detail: String(((await reply.json()) as { detail?: string }).detail) }
    }
    const kept: string[] = []
    const post = async (n: number) => {
      const content = `${n} ${randomBytes(400_000).toString('base64')}`
      const reply = await call('/alerts', { body: alert('custom', content) })
      if (reply.status === 201) kept.push(content)
      return reply
    }
    let refused
    for (let n = 0; refused === undefined; n++) {
      expect(n, 'alerts of 0.5 MB').to.be.lessThan(200)
      const reply = await post(n)
      if (reply.status !== 201) refused = reply
    }
    expect(refused.status, JSON.stringify(refused.body)).to.equal(503)
    expect(refused.body.detail).to.include('No space left on device')
    expect(refused.body.hint).to.include('Free space on the disk of PostgreSQL')
    expect(kept.length).to.be.greaterThan(5)
    expect((await call('/alerts?limit=1')).body.total, 'reads go on').to.equal(kept.length)
    const refusal = await eventually('a node that is not ready', async () => {
      await post(1_000)
      const found = await readyz()
      return found.status === 503 ? found : undefined
    })
    expect(refusal.detail).to.include('No space left on device')
    execFileSync('mount', ['-o', 'remount,size=200m', small!])
    await eventually('a write', async () => (await post(1_001)).status === 201 || undefined)
    await eventually('a node that is ready', async () => (await readyz()).status === 200 || undefined)
    const ids = (await call('/alerts?limit=200')).body.data.map(
      ({ alert_id }: { alert_id: string }) => alert_id,
    )
    const stored = await Promise.all(
      ids.map(async (id: string) => (await call(`/alerts/${id}`)).body.alert_content),
    )
    expect(stored).to.have.members(kept)
    expect((await stop()).code).to.equal(0)
  })
})
