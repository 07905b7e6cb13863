import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import type { Ended } from '../support/server/hosted-commands.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

describe('tocsin serve with a failing start', () => {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  const serve = (env: Readonly<Record<string, string>>) =>
    runTocsin(['serve'], {
      env: { TOCSIN_DATA_DIR: folder.path, TOCSIN_PORT: '0', TOCSIN_LOG_LEVEL: 'error', ...env },
    })

  /** One message and one hint, without internal details. */
  function expectRefusal({ code, stdout, stderr }: Ended, message: RegExp, hint: RegExp): void {
    expect({ code, stdout }, stderr).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.match(message).and.match(hint)
    expect(stderr.match(/^error /gm)).to.have.length(1)
    expect(stderr.match(/^hint {2}/gm)).to.have.length(1)
    expect(stderr)
      .not.to.match(/^ +at /m)
      .and.not.match(/bug in Tocsin/)
  }

  it('reports a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const ended = await serve({ TOCSIN_PORT: String(port) })
    other.close()
    expectRefusal(ended, new RegExp(`address already in use 127\\.0\\.0\\.1:${port}`), /TOCSIN_PORT/)
    const { welcome } = await startServer({ dataDir: folder.path })
    expect(welcome, 'the next start still shows the first key').to.match(/toc_[0-9a-f]{12}_/)
  })

  it('reports an address of another machine', async () => {
    expectRefusal(await serve({ TOCSIN_HOST: '192.0.2.1' }), /192\.0\.2\.1/, /TOCSIN_HOST/)
  })

  it('reports a host name without an address', async () => {
    expectRefusal(await serve({ TOCSIN_HOST: 'nosuch.invalid' }), /nosuch\.invalid/, /TOCSIN_HOST/)
  })

  it('reports a data directory that cannot be created, without hanging', async function () {
    if (process.platform !== 'linux') this.skip()
    expectRefusal(await serve({ TOCSIN_DATA_DIR: '/proc/x/y' }), /mkdir '\/proc\/x/, /TOCSIN_DATA_DIR/)
  })

  it('reports a wrong or missing master key', async () => {
    const server = await startServer({ dataDir: folder.path })
    await server.stop()
    const key = join(folder.path, 'master.key')
    await writeFile(key, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
    expectRefusal(await serve({}), /master key/, /master\.key|TOCSIN_MASTER_KEY/)
    await rm(key)
    expectRefusal(await serve({}), /no master key/, /master\.key|TOCSIN_MASTER_KEY/)
  })

  it('reports the process that uses the data directory', async () => {
    const server = await startServer({ dataDir: folder.path })
    const ended = await serve({})
    expectRefusal(
      ended,
      new RegExp(`is in use by the process ${server.command.process.pid}`),
      /TOCSIN_DATA_DIR/,
    )
    expect((await server.call('/alerts')).status, 'the first one goes on').to.equal(200)
  })

  it('reports a data directory that is a file', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    expectRefusal(await serve({ TOCSIN_DATA_DIR: file }), /file/, /a folder is needed, but there is a file/)
    expectRefusal(await serve({ TOCSIN_DATA_DIR: join(file, 'data') }), /file/, /is a file, not a folder/)
  })

  it('reports a file that is not a database', async () => {
    await writeFile(join(folder.path, 'tocsin.db'), 'something else '.repeat(1_000))
    const masterKey = randomBytes(32).toString('base64')
    expectRefusal(await serve({ TOCSIN_MASTER_KEY: masterKey }), /tocsin\.db/, /TOCSIN_DATA_DIR/)
  })

  it('names every invalid variable', async () => {
    const ended = await serve({ TOCSIN_PORT: '99999', TOCSIN_LOG_LEVEL: 'loud' })
    expectRefusal(ended, /TOCSIN_PORT [^]*TOCSIN_LOG_LEVEL /, /docs\/configuration\.md/)
  })

  it('names the plugin that cannot be loaded', async () => {
    expectRefusal(await serve({ TOCSIN_PLUGINS: 'no-such-package' }), /no-such-package/, /TOCSIN_PLUGINS/)
  })

  it('reports a missing playbooks folder if it was configured', async () => {
    const missing = join(folder.path, 'nope')
    expectRefusal(
      await serve({ TOCSIN_PLAYBOOKS_DIR: missing }),
      /nope does not exist/,
      /TOCSIN_PLAYBOOKS_DIR/,
    )
    await writeFile(missing, '')
    expectRefusal(await serve({ TOCSIN_PLAYBOOKS_DIR: missing }), /not a folder/, /TOCSIN_PLAYBOOKS_DIR/)
  })

  it('starts without the default playbooks folder, and summarizes refused playbooks', async () => {
    const none = await startServer({ cwd: folder.path, dataDir: 'data', env: { TOCSIN_LOG_LEVEL: 'warn' } })
    expect((await none.stop()).stderr).to.match(/"warn".*the playbooks folder does not exist/)
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks/a.yaml'), 'steps: 7')
    const { welcome } = await startServer({ cwd: folder.path, dataDir: 'data', adminKey: none.adminKey })
    expect(welcome)
      .to.match(/0 loaded from .*, 1 refused: a\.yaml \(\d problems\)/)
      .and.match(/tocsin validate/)
  })

  it('reports an invalid bootstrap key', async () => {
    expectRefusal(await serve({ TOCSIN_BOOTSTRAP_API_KEY: 'secret-text' }), /TOCSIN_BOOTSTRAP_API_KEY/, /./)
  })
})
