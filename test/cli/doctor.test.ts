import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunningSandbox } from '../../core/plugin/index.ts'
import type { Finding } from '../../server/doctor/finding.ts'
import { using } from '../../server/sqlite/file/backup-file.ts'
import { startSandbox } from '../support/server/test-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { canMount, onSmallDisk, withMounts } from '../faults/support/small-disk.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

describe('tocsin doctor', () => {
  let folder: TemporaryFolder
  let sandbox: RunningSandbox
  let healthy: string
  let data: string
  let port: string
  const env = (changes: Record<string, string> = {}) => ({
    TOCSIN_DATA_DIR: data,
    TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
    TOCSIN_ALLOW_PRIVATE_EGRESS: `${new URL(sandbox.url).host},127.0.0.1:1`,
    TOCSIN_PORT: port,
    ...changes,
  })

  /** A data directory with working, broken and disabled connections. */
  before(async () => {
    folder = await makeTemporaryFolder()
    sandbox = await startSandbox('intel_provider')
    healthy = data = join(folder.path, 'healthy')
    port = '0'
    await mkdir(join(folder.path, 'playbooks'))
    const server = await startServer({ dataDir: healthy, env: env() })
    const connect = (name: string, settings: object) =>
      server.call('/connections', {
        body: { organization_code: 'main', name, plugin: 'intel_provider', settings },
      })
    for (const name of ['works', 'off']) expect((await connect(name, sandbox.settings)).status).to.equal(201)
    await connect('wrong', { ...sandbox.settings, api_key: 'canary-wrong-key' })
    await connect('gone', { ...sandbox.settings, base_url: 'http://127.0.0.1:1' })
    await server.call('/connections/off', { method: 'PATCH', body: { enabled: false } })
    await server.call('/alerts', {
      body: { alert_provider: 'custom', organization_code: 'main', alert_type: 't', alert_content: 'x' },
      headers: { prefer: 'wait=10' },
    })
    await server.stop()
  })
  beforeEach(async () => {
    data = join(folder.path, 'data')
    await cp(healthy, data, { recursive: true })
  })
  afterEach(() => rm(data, { recursive: true, force: true }))
  after(async () => {
    await killCommands()
    await sandbox.close()
    await folder.remove()
  })

  async function findings(changes: Record<string, string> = {}, ...args: string[]) {
    const { code, stdout, stderr } = await runTocsin(['doctor', '--json', ...args], { env: env(changes) })
    expect(stderr).to.equal('')
    const all = JSON.parse(stdout) as Finding[]
    for (const { status, hint, check } of all) expect(hint === undefined, check).to.equal(status === 'ok')
    return { code, stdout, of: (check: string) => all.find((finding) => finding.check === check), all }
  }
  /** The only problem found without contacting other systems. */
  async function wrong(changes: Record<string, string> = {}) {
    const { code, all } = await findings(changes, '--offline')
    const found = all.filter(({ status }) => status !== 'ok')
    expect(code).to.equal(found.some(({ status }) => status === 'problem') ? 1 : 0)
    expect(found.map(({ check }) => check)).to.have.length(1)
    return `${found[0]?.status}: ${found[0]?.check}: ${found[0]?.message}`
  }
  /** In its own process with its own mounts. */
  async function ownFindings(under: readonly string[]) {
    const { code, stdout } = await runTocsin(['doctor', '--json', '--offline'], {
      env: env(),
      ownProcess: true,
      under,
    })
    return { code, all: JSON.parse(stdout) as Finding[] }
  }
  const onFile = (sql: string) => using(join(data, 'tocsin.db'), (database) => database.script(sql))

  it('reports working connections, tests all of them, and explains failures', async () => {
    const { code, of, all, stdout } = await findings()
    expect(code).to.equal(1)
    expect(of('connection main/works')).to.deep.include({ status: 'ok', message: 'the credentials work' })
    expect(of('connection main/off')).to.deep.include({
      status: 'ok',
      message: 'disabled, not tested',
    })
    expect(of('connection main/wrong')).to.include({ status: 'problem' })
    expect(of('connection main/wrong')?.message).to.contain('401')
    expect(of('connection main/gone')).to.include({ status: 'problem' })
    expect(of('connection main/gone')?.message).to.contain('127.0.0.1:1')
    const others = all.filter(({ check }) => !/^connection (main\/(wrong|gone))$/.test(check))
    expect(others.filter(({ status }) => status !== 'ok')).to.deep.equal([])
    expect(others.map(({ check }) => check)).to.include.members([
      'configuration',
      'data directory',
      'disk space',
      'master key',
      'database',
      'audit log',
      'clock',
      'port',
      'plugins',
      'playbooks',
      'administrator',
    ])
    expect(stdout).not.to.contain('canary')
  })

  it('prints hints in words', async () => {
    const { code, stdout } = await runTocsin(['doctor'], { env: env() })
    expect(code).to.equal(1)
    expect(stdout).to.match(/^ok {7}configuration: every variable is valid\n/)
    expect(stdout).to.match(/\nproblem {2}connection main\/wrong: .+\n {9}hint .+\n/)
  })

  it('names every invalid variable', async () => {
    const { code, all } = await findings({ TOCSIN_PORT: 'x', TOCSIN_MAX_RUNS: '0' })
    expect(code).to.equal(1)
    expect(all.map(({ check, message }) => `${check} ${message.split(' ')[0]}`)).to.deep.equal([
      'configuration TOCSIN_PORT',
      'configuration TOCSIN_MAX_RUNS',
    ])
    expect(await wrong({ TOCSIN_PROT: '1' })).to.match(
      /^warning: configuration: unknown variable TOCSIN_PROT/,
    )
  })

  it('reports a data directory that others can read', async () => {
    await chmod(data, 0o755)
    expect(await wrong()).to.match(/^warning: data directory: .*data can be read by other users/)
  })

  it('reports a data directory that is not a folder or not writable', async function () {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    const { code, of } = await findings({ TOCSIN_DATA_DIR: file }, '--offline')
    expect(code).to.equal(1)
    expect(of('data directory')).to.deep.include({ status: 'problem', message: `${file} is not a folder` })
    if (!canMount) return this.skip()
    const under = withMounts(`mount --bind '${data}' '${data}' && mount -o remount,ro,bind '${data}'`)
    const { all } = await ownFindings(under)
    expect(all.find(({ check }) => check === 'data directory')?.message).to.match(/no write access to/)
  })

  it('reports low disk space', async function () {
    if (!canMount) return this.skip()
    const { code, all } = await ownFindings(onSmallDisk(data, 64))
    expect(code).to.equal(1)
    const found = all.find(({ check }) => check === 'disk space')
    expect(found).to.include({ status: 'problem' })
    expect(found?.message).to.match(/^6[0-4] MB free/)
  })

  it('reports a missing, wrong, readable by others, or invalid master key', async () => {
    const key = join(data, 'master.key')
    await chmod(key, 0o644)
    expect(await wrong()).to.match(/^problem: master key: .*master\.key can be read by other users/)
    await rm(key)
    expect(await wrong()).to.match(/^problem: master key: .* has a database but no master key/)
    await writeFile(key, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
    expect(await wrong()).to.match(/^problem: master key: .*master\.key is not the key of this database/)
    await writeFile(key, 'short', { mode: 0o600 })
    expect(await wrong()).to.match(/^problem: master key: .*master\.key must contain 32 bytes/)
  })

  it('reports a database that is damaged, newer, or not a database', async () => {
    onFile('PRAGMA user_version = 9999')
    expect(await wrong()).to.match(/^problem: database: created by a newer Tocsin \(version 9999/)
    await cp(healthy, data, { recursive: true, force: true })
    onFile('PRAGMA foreign_keys = OFF; DELETE FROM organizations')
    expect(await wrong()).to.match(
      /^problem: database: .*tocsin\.db is damaged: a row of \w+ has a dangling reference/,
    )
    await rm(join(data, 'tocsin.db'))
    await writeFile(join(data, 'tocsin.db'), 'hello '.repeat(2000), { mode: 0o600 })
    const { of } = await findings({}, '--offline')
    expect(of('database')).to.include({ status: 'problem' })
    await writeFile(join(data, 'tocsin.db'), '', { mode: 0o600 })
    expect(await wrong()).to.match(/^problem: database: .*tocsin\.db is empty: its content is lost/)
    await rm(join(data, 'tocsin.db'))
    expect(await wrong()).to.match(/^warning: database: .*data has a master key, but no database/)
  })

  it('reports a changed audit log', async () => {
    onFile(`DROP TRIGGER audit_keeps_entries; UPDATE audit SET entry = replace(entry, 'works', 'x')`)
    expect(await wrong()).to.match(/^problem: audit log: broken at entry \d+/)
    await cp(healthy, data, { recursive: true, force: true })
    onFile('DROP TRIGGER audit_loses_none; DELETE FROM audit')
    expect(await wrong()).to.match(/^problem: audit log: broken at entry 1: all entries are missing/)
    await cp(healthy, data, { recursive: true, force: true })
    onFile('DROP TRIGGER audit_loses_none')
    expect(await wrong()).to.match(/^problem: audit log: triggers .* changed: audit_loses_none$/)
  })

  it('reports a clock behind stored times', async () => {
    onFile(`UPDATE runs SET created_at = created_at + 3600000`)
    expect(await wrong()).to.match(/^problem: clock: the clock of this machine is at /)
  })

  it('reports that no admin key is left', async () => {
    onFile('UPDATE api_keys SET expires_at = 1')
    expect(await wrong()).to.match(/^warning: administrator: /)
  })

  it('reports unknown connections and providers in playbooks', async () => {
    const playbooks = join(folder.path, 'misnamed')
    await mkdir(playbooks)
    const text = `apiVersion: tocsin/v1\nname: misnamed\non: { alert: { type: t, provider: custm } }\nsteps:\n  - wait: 1s\n`
    await writeFile(join(playbooks, 'misnamed.yaml'), text)
    const said = await wrong({ TOCSIN_PLAYBOOKS_DIR: playbooks })
    expect(said).to.match(/^warning: playbooks: 1 of 1 in .*misnamed\.yaml:3 unknown provider 'custm'/)
    await writeFile(join(playbooks, 'misnamed.yaml'), text.replace('custm', 'custom'))
    const { all } = await findings({ TOCSIN_PLAYBOOKS_DIR: playbooks }, '--offline')
    expect(all.filter(({ status }) => status !== 'ok')).to.deep.equal([])
  })

  it('reports playbooks that cannot be published, and a missing folder', async () => {
    const playbooks = join(folder.path, 'bad')
    await mkdir(playbooks)
    await writeFile(join(playbooks, 'bad.yaml'), 'name: bad')
    expect(await wrong({ TOCSIN_PLAYBOOKS_DIR: playbooks })).to.match(/^warning: playbooks: 1 of 1 in /)
    expect(await wrong({ TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'none') })).to.match(
      /^problem: playbooks: .*does not exist/,
    )
  })

  it('reports an enriching skill that generated investigations skip', async () => {
    const path = join(folder.path, 'guess.js')
    const schema = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })
    const skill = {
      name: 'look_up',
      title: 'Look up',
      description: 'Guesses.',
      effect: 'read',
      enriches: ['ip'],
      input: schema({ kind: { type: 'string' }, value: { type: 'string' } }),
      output: schema({ risk: schema({ score: { type: 'string' } }) }),
      examples: [{ title: 'One', input: { kind: 'ip', value: '::1' }, output: { risk: { score: 'high' } } }],
    }
    const plugin = { name: 'guess', title: 'Guess', description: 'Guesses.', skills: [skill] }
    const run = 'plugin.skills[0].run = async () => ({ risk: { score: "high" } })'
    await writeFile(path, `const plugin = ${JSON.stringify(plugin)}\n${run}\nexport default plugin\n`)
    expect(await wrong({ TOCSIN_PLUGINS: path })).to.equal(
      'warning: skill guess.look_up: generated investigations do not use it: output must declare risk.score as a number ' +
        'or null because the skill enriches',
    )
  })

  it('distinguishes its own server on the port from another program', async () => {
    const server = await startServer({ dataDir: data, env: env() })
    const own = new URL(server.url).port
    const { of } = await findings({ TOCSIN_PORT: own }, '--offline')
    expect(of('port')).to.deep.include({
      status: 'ok',
      message: `the server on 127.0.0.1:${own} is ready`,
    })
    const another = /^warning: port: the server on .* uses another data directory than /
    data = join(folder.path, 'other')
    await cp(healthy, data, { recursive: true })
    expect(await wrong({ TOCSIN_PORT: own })).to.match(another)
    if (process.platform === 'linux') {
      // A server also works with that key, on another port.
      const second = await startServer({ dataDir: data, env: env() })
      expect(await wrong({ TOCSIN_PORT: own })).to.match(another)
      await second.stop()
    }
    await rm(data, { recursive: true })
    await server.stop()
    data = join(folder.path, 'data')
    const other = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port: taken } = other.address() as AddressInfo
    expect(await wrong({ TOCSIN_PORT: String(taken) })).to.match(
      /^problem: port: another program listens on /,
    )
    expect(await wrong({ TOCSIN_OPS_PORT: String(taken) })).to.match(
      /^problem: ops port: another program listens on /,
    )
    const taking = await findings({ TOCSIN_OPS_PORT: String(taken) }, '--offline')
    expect(taking.of('ops port')?.hint).to.include('TOCSIN_OPS_PORT')
    expect((await findings({ TOCSIN_OPS_PORT: '0' }, '--offline')).of('ops port')).to.include({
      status: 'ok',
    })
    other.close()
  })

  it('reports a server that is not ready, and an address of another machine', async () => {
    const answer = { code: 'not_ready', detail: 'The disk is full.', hint: 'free space' }
    const server = createServer((_, response) => response.writeHead(503).end(JSON.stringify(answer)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port: own } = server.address() as AddressInfo
    expect(await wrong({ TOCSIN_PORT: String(own) })).to.match(
      /^problem: port: the server on .* is not ready: The disk is full\./,
    )
    server.close()
    const elsewhere = { TOCSIN_HOST: '192.0.2.1', TOCSIN_PUBLIC_URL: 'https://tocsin.example.com' }
    expect(await wrong(elsewhere)).to.match(/^problem: port: could not listen on 192\.0\.2\.1:/)
  })

  it('warns if keys would cross a network unencrypted', async () => {
    const { of } = await findings({ TOCSIN_PUBLIC_URL: 'http://tocsin.example.com' })
    expect(of('configuration')).to.include({ status: 'warning' })
    expect(of('configuration')?.hint).to.include('TLS proxy')
  })

  it('warns about old credentials', async () => {
    onFile('UPDATE connections SET secrets_at = 1')
    const { of } = await findings()
    expect(of('connection main/works')).to.include({ status: 'warning' })
    expect(of('connection main/works')?.message).to.match(/^the credentials work, but are \d+ days old/)
  })

  it('warns about a connection that was last refused although its credentials work', async () => {
    onFile(`UPDATE connections SET last_failure = '{"code":"http_403","at":1}', secrets_at = 9999999999999`)
    const { of } = await findings()
    expect(of('connection main/works')).to.include({ status: 'warning' })
    expect(of('connection main/works')?.message).to.match(
      /^the credentials work, but the last use was answered with http_403 .*1970/,
    )
    onFile('UPDATE connections SET last_failure = NULL')
  })

  it('changes nothing in an empty folder', async () => {
    const { code, of } = await findings({ TOCSIN_DATA_DIR: join(folder.path, 'nowhere') })
    expect(code).to.equal(0)
    expect(of('data directory')).to.include({ status: 'warning' })
    expect(of('data directory')?.hint).to.contain('the first start creates it')
    expect(existsSync(join(folder.path, 'nowhere'))).to.equal(false)
  })
})
