import { expect } from 'chai'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { callApi, startServer, type RunningServer } from '../support/server/start-server.ts'

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

  it('creates a working key beside a running server and prints only the key to standard output', async () => {
    const { code, stdout, stderr } = await create('siem-forwarder')
    expect(code).to.equal(0)
    expect(stdout).to.match(keyLine)
    expect(stderr).to.equal(
      `intake key 'siem-forwarder' for all organizations, valid until revoked; shown once:\n`,
    )
    const body = { alert_provider: 'custom', organization_code: 'main', alert_content: 'x' }
    const posted = await server.call('/alerts', { key: stdout.trim(), body })
    expect(posted.status).to.equal(201)
    expect((await server.call('/alerts', { key: stdout.trim() })).status, 'intake may not read').to.equal(403)
  })

  it('creates a key with a role, organizations and a lifetime in days', async () => {
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
    expect(JSON.stringify(body)).not.to.contain(stdout.trim().slice(-43))
  })

  it('lists the organizations if one is unknown', async () => {
    const { code, stdout, stderr } = await create('x', '--organization', 'acme', 'nobody')
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.match(
      /^error no organization has the code 'nobody'\nhint {2}organizations: (acme, main|main, acme)\n$/,
    )
  })

  it('works without a server', async () => {
    const own = await makeTemporaryFolder()
    try {
      const first = await startServer({ dataDir: own.path })
      await first.stop()
      const made = await runTocsin(['keys', 'create', 'x'], { env: { TOCSIN_DATA_DIR: own.path } })
      expect(made.code, made.stderr).to.equal(0)
      const later = await startServer({ dataDir: own.path, adminKey: first.adminKey })
      const { status } = await callApi(`${later.url}/api/organizations`, { key: made.stdout.trim() })
      expect(status).to.equal(200)
      expect(later.welcome, 'no second admin key').not.to.contain('toc_')
      await later.stop()
    } finally {
      await own.remove()
    }
  })

  it('creates no data directory, because the path is probably mistyped', async () => {
    const fresh = await makeTemporaryFolder()
    try {
      for (const dataDir of [fresh.path, join(fresh.path, 'mistyped')]) {
        for (const args of [['create', 'x'], ['list'], ['revoke', 'x']]) {
          const ended = await runTocsin(['keys', ...args], { env: { TOCSIN_DATA_DIR: dataDir } })
          expect(ended).to.include({ code: 1, stdout: '' })
          expect(ended.stderr).to.contain(`no Tocsin data in ${dataDir}`).and.contain('TOCSIN_DATA_DIR')
        }
      }
      expect(await readdir(fresh.path)).to.deep.equal([])
    } finally {
      await fresh.remove()
    }
  })
})
