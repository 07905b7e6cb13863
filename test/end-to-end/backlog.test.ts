import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('tocsin serve with an alert backlog', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let server: RunningServer
  const env = { TOCSIN_MAX_QUEUED: '3' }

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ cwd: folder.path, dataDir: 'data', env })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const post = (organization: string, type: string | null = 'odd_sign_in') =>
    server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: organization,
        alert_type: type,
        alert_content: 'somebody at 198.51.100.23',
      },
    })
  const ask = async (path: string) => (await server.call(path)).body
  const postAll = async (count: number) => {
    const answers = []
    for (let n = 0; n < count; n++) answers.push((await post('main')).status)
    return answers
  }
  /** The run is queued after the answer. */
  const queued = async (count: number) => {
    while ((await ask('/engine')).queued !== count) await sleep(10)
  }

  it('pauses runs: current steps end, and alerts are stored and wait', async () => {
    await server.call('/organizations', { body: { code: 'beta', name: 'Beta' } })
    const { status, body } = await server.call('/engine/pause', {
      body: { reason: 'a playbook isolates too much' },
    })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      state: 'paused',
      paused_by: 'bootstrap',
      reason: 'a playbook isolates too much',
      queued: 0,
    })
    expect(body.paused_since).to.be.a('number')
    expect((await post('main')).status).to.equal(201)
    await queued(1)
    expect((await ask('/runs')).data[0]).to.include({ status: 'queued' })
  })

  it('refuses alerts of an organization with too many waiting, stores none of them, and accepts others', async () => {
    expect(await postAll(2)).to.deep.equal([201, 201])
    await queued(3)
    const refused = await fetch(`${server.url}/api/alerts`, {
      method: 'POST',
      headers: { cookie: `Session=${server.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'x',
        alert_content: 'x',
      }),
    })
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
    expect(await refused.json()).to.include({ code: 'investigations_full' })
    expect((await post('main', null)).status, 'one that is not investigated').to.equal(201)
    expect((await post('beta')).status, 'another organization').to.equal(201)
    expect((await ask('/alerts?organization=main')).total).to.equal(4)
  })

  it('restores both after a restart and reports it', async () => {
    const { adminKey } = server
    expect((await server.stop()).code).to.equal(0)
    server = await startServer({ cwd: folder.path, dataDir: 'data', adminKey, env })
    expect(server.welcome).to.match(/paused\s+since .* by bootstrap: a playbook isolates too much/)
    await queued(4)
    expect(await ask('/engine')).to.include({ state: 'paused' })
    expect((await post('main')).status).to.equal(503)
  })

  it('resumes all waiting runs', async () => {
    const { body } = await server.call('/engine/resume', { method: 'POST' })
    expect(body).to.include({ state: 'running', paused_since: null, paused_by: null, reason: null })
    await queued(0)
    const running = async () =>
      (await ask('/runs')).data.filter((run: { status: string }) => run.status !== 'completed')
    while ((await running()).length > 0) await sleep(10)
    expect((await ask('/runs')).total).to.equal(4)
    expect((await post('main')).status).to.equal(201)
  })

  it('lets only admins of all organizations pause', async () => {
    const make = async (role: string, codes: readonly string[] | null) => {
      const made = await server.call('/keys', { body: { name: role, role, organization_codes: codes } })
      return made.body.key as string
    }
    const analyst = await make('analyst', null)
    const scoped = await make('admin', ['main'])
    for (const key of [analyst, scoped]) {
      const refused = await server.call('/engine/pause', { body: { reason: 'x' }, key })
      expect(refused.status).to.equal(403)
      expect((await server.call('/engine/resume', { method: 'POST', key })).status).to.equal(403)
    }
    expect(await ask('/engine')).to.include({ state: 'running' })
  })
})
