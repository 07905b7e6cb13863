import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { eventually } from '../support/eventually.ts'
import type { ApiNode } from '../../server/web/api/types.ts'
import type { RunningServer } from '../support/server/start-server.ts'
import { startTocsinCommand } from '../support/server/run-tocsin.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** Time between the intent of the call and its request. */
const thinkingMs = 2_000

/** A plugin that says that its call has begun, and acts some time later. */
const plugin = `
const connection = {
  title: 'Slow',
  description: 'Acts slowly.',
  settings: {
    type: 'object',
    required: ['base_url'],
    additionalProperties: false,
    properties: { base_url: { type: 'string' } },
  },
  baseUrl: ({ base_url }) => base_url,
  authenticate: async () => {},
}
export default {
  name: 'slow',
  title: 'Slow',
  description: 'Acts slowly.',
  connection,
  skills: [
    {
      name: 'act',
      title: 'Act',
      description: 'Acts once.',
      effect: 'write',
      repeat: 'never',
      connection,
      input: { type: 'object', additionalProperties: false, properties: {} },
      output: { type: 'object' },
      examples: [{ title: 'Act', input: {}, output: {} }],
      async run(_input, { http }) {
        await http.get('/begun')
        await new Promise((resolve) => setTimeout(resolve, ${thinkingMs}))
        await http.post('/act')
        return {}
      },
    },
  ],
}
`

describe('a server with a standby', function () {
  this.timeout(120_000)
  let house: TestTocsin
  let remote: TestServer
  let seen: string[]

  beforeEach(async () => {
    seen = []
    remote = await serveHttp((request, response) => {
      seen.push(request.url ?? '')
      response.end('{}')
    })
    house = await makeTestTocsin({
      plugin,
      env: {
        TOCSIN_STANDBY: 'on',
        TOCSIN_WORKERS: '1',
        TOCSIN_ALLOW_PRIVATE_EGRESS: `127.0.0.1:${remote.port}`,
      },
    })
    await house.addPlaybook('act', '  - { id: act, uses: slow.act, connection: slow, with: {} }')
    await house.addPlaybook('quick', '  - { set: { ok: true } }')
  })
  afterEach(async () => {
    await house?.close()
    await remote?.close()
  })

  async function firstServer(): Promise<RunningServer> {
    const server = await house.start()
    const settings = { base_url: remote.url }
    const body = { organization_code: 'main', plugin: 'slow', name: 'slow', settings }
    expect((await house.call('/connections', { body })).status).to.equal(201)
    return server
  }
  /** Its locks on the database would not reach another machine, but they reach the second process of this test. */
  async function stopBetweenWrites({ command }: RunningServer): Promise<void> {
    const isStopped = () => {
      command.process.kill('SIGSTOP')
      const database = new SqliteConnection(join(house.folder, 'data/tocsin.db'), { busyTimeoutMs: 0 })
      try {
        database.script('BEGIN IMMEDIATE; ROLLBACK')
        return true
      } catch {
        command.process.kill('SIGCONT')
        return undefined
      } finally {
        database.close()
      }
    }
    await eventually('the server is stopped between two writes', async () => isStopped())
  }
  const hasBegun = () => eventually('the call has begun', async () => seen.includes('/begun') || undefined)
  const readyz = (server: RunningServer) => fetch(`${server.url}/readyz`).then(({ status }) => status)

  it('is replaced when it is killed; the standby says meanwhile that it is not ready', async () => {
    const first = await firstServer()
    const posted = await house.post('quick')
    const env = { TOCSIN_PORT: '0' }
    const standby = house.start({ env })
    const nodes = async (server: RunningServer) =>
      (await server.call('/nodes')).body.data as readonly ApiNode[]
    const [active, waiting] = await eventually('the standby is listed', async () => {
      const listed = await nodes(first)
      return listed.length === 2 ? listed : undefined
    })
    expect(active).to.include({ role: 'active', state: 'ok', runs: 0 })
    expect(active?.lease_ms).to.be.within(1, 5_000)
    expect(waiting).to.include({ role: 'standby', state: 'ok', lease_ms: null, runs: null })
    expect(await readyz(first)).to.equal(200)
    await first.stop('SIGKILL')
    const second = await standby
    expect(await readyz(second)).to.equal(200)
    expect(
      (await nodes(second)).map(({ role, state, gone_reason: why }) => [role, state, why]),
    ).to.deep.equal([
      ['active', 'gone', 'lost'],
      ['active', 'ok', null],
    ])
    const { status, body } = await second.call(`/alerts/${posted.body.alert_id}`)
    expect({ status, id: body.alert_id }).to.deep.equal({ status: 200, id: posted.body.alert_id })
    await house.investigatedAlerts()
  })

  it('hands over without waiting for the end of its lease when it is stopped', async () => {
    const first = await firstServer()
    const standby = house.start()
    await sleep(1_500)
    expect(await first.stop()).to.include({ code: 0 })
    const second = await standby
    expect((await house.post('quick')).status).to.equal(201)
    expect((await second.stop()).stdout).to.not.include('waiting until the lease')
  })

  it('sends nothing, acknowledges nothing and exits if it was stopped during a call and replaced', async () => {
    const first = await firstServer()
    expect((await house.post('act')).status).to.equal(201)
    await hasBegun()
    await stopBetweenWrites(first)
    // The volume was attached to another machine, which locks of files do not reach.
    await rm(join(house.folder, 'data/tocsin.lock'))
    const second = await house.start()
    const step = await eventually('the step is unknown', async () => {
      const run = (await second.call('/runs')).body.data[0]
      const steps = (await second.call(`/runs/${run.run_uuid}/steps`)).body.data
      return steps.find(({ state }: { state: string }) => state === 'unknown')
    })
    expect(step).to.include({ path: 'act' })
    const late = first.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'quick',
        alert_content: 'late',
      },
    })
    const outcome = late.then(
      ({ status }) => status,
      () => 'cut off',
    )
    first.command.process.kill('SIGCONT')
    expect(await first.command.ended).to.include({ code: 1 })
    expect(await outcome).to.be.oneOf([503, 'cut off'])
    expect(seen).to.deep.equal(['/begun'])
    const alerts = (await second.call('/alerts')).body.data
    expect(alerts.map(({ alert_content }: any) => alert_content)).to.not.include('late')
    expect((await house.post('quick')).status).to.equal(201)
  })

  it('goes on where it was if nobody took over while it was stopped', async () => {
    const first = await firstServer()
    expect((await house.post('act')).status).to.equal(201)
    await hasBegun()
    first.command.process.kill('SIGSTOP')
    await sleep(thinkingMs + 5_000)
    first.command.process.kill('SIGCONT')
    const runs = await house.endedRuns(1)
    expect(runs[0]).to.include({ status: 'completed' })
    expect(seen.filter((path) => path === '/act')).to.have.length(1)
  })

  it('is refused while another process renews its lease, although the claim is free', async () => {
    const first = await firstServer()
    await rm(join(house.folder, 'data/tocsin.lock'))
    const command = startTocsinCommand(['serve'], {
      cwd: house.folder,
      env: {
        TOCSIN_STANDBY: 'on',
        TOCSIN_PORT: '0',
        TOCSIN_DATA_DIR: 'data',
        TOCSIN_PLAYBOOKS_DIR: 'playbooks',
      },
    })
    const { code, stdout, stderr } = await command.ended
    expect(code).to.not.equal(0)
    expect(stdout + stderr).to.include('another process works on the data directory')
    expect(await readyz(first)).to.equal(200)
    expect((await house.post('quick')).status).to.equal(201)
  })
})
