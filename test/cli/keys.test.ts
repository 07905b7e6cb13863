import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from './support/run-tocsin.ts'
import { callApi, startServer, type RunningServer } from './support/start-server.ts'

const keyLine = /^toc_[0-9a-f]{12}_[\w-]{43}\n$/

describe('tocsin keys create', () => {
  let folder: TemporaryFolder
  let server: RunningServer

  const create = (...args: string[]) =>
    runTocsin(['keys', 'create', ...args], { env: { TOCSIN_DATA_DIR: folder.path } })

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
    await server.call('/organizations', { body: { code: 'acme', name: 'Acme' } })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('makes, beside a running server, a key that works at once; only the key is on standard output', async () => {
    const { code, stdout, stderr } = await create('siem-forwarder')
    expect(code).to.equal(0)
    expect(stdout).to.match(keyLine)
    expect(stderr).to.equal(`intake key 'siem-forwarder' for all organizations; shown once:\n`)
    const body = { alert_provider: 'custom', organization_code: 'main', alert_content: 'x' }
    const posted = await server.call('/alerts', { key: stdout.trim(), body })
    expect(posted.status).to.equal(201)
    expect((await server.call('/alerts', { key: stdout.trim() })).status, 'intake may not read').to.equal(403)
  })

  it('makes a key with a role, for organizations, for some days', async () => {
    const before = Date.now()
    const { code, stdout } = await create(
      'acme eyes',
      '--role',
      'reader',
      '--organization',
      'ACME',
      '--days',
      '30',
    )
    expect(code).to.equal(0)
    expect((await server.call('/alerts', { key: stdout.trim() })).status).to.equal(200)
    const { body } = await server.call('/keys')
    const made = body.data.find((key: { name: string }) => key.name === 'acme eyes')
    expect(made)
      .to.include({ role: 'reader', revoked_at: null })
      .and.deep.include({ organization_codes: ['acme'] })
    expect(made.expires_at - before).to.be.within(30 * 86_400_000, 30 * 86_400_000 + 60_000)
    expect(JSON.stringify(body)).not.to.contain(stdout.trim().split('_')[2])
  })

  it('names the organizations there are when one is not among them', async () => {
    const { code, stdout, stderr } = await create('x', '--organization', 'acme', 'nobody')
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.match(
      /^error no organization has the code 'nobody'\nhint {2}there are: (acme, main|main, acme)\n$/,
    )
  })

  it('works without a server, also in a data directory that nothing has used', async () => {
    const fresh = await makeTemporaryFolder()
    try {
      const env = { TOCSIN_DATA_DIR: fresh.path }
      const made = await runTocsin(['keys', 'create', 'first', '--role', 'admin'], { env })
      expect(made.code, made.stderr).to.equal(0)
      expect(made.stdout).to.match(keyLine)
      const later = await startServer({ dataDir: fresh.path, adminKey: made.stdout.trim() })
      expect((await callApi(`${later.url}/api/keys`, { key: made.stdout.trim() })).status).to.equal(200)
      expect(later.welcome, 'no second admin key').not.to.contain('toc_')
      await later.stop()
    } finally {
      await fresh.remove()
    }
  })
})
