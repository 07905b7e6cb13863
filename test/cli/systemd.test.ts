import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { canTrace } from '../faults/support/strace.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import {
  allowedCalls,
  hasSystemdAnalyze,
  systemdAnalyze,
  tracedCalls,
  tracing,
} from './support/system-calls.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const names = ['tocsin.service', 'tocsin-backup.service', 'tocsin-backup.timer']

describe('systemd units', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
    // The guide installs the program elsewhere.
    for (const name of names) {
      const unit = read(`docs/systemd/${name}`)
      writeFileSync(
        join(folder.path, name),
        unit.replaceAll('/opt/tocsin/node_modules/.bin/node', process.execPath),
      )
    }
  })
  after(() => folder.remove())

  for (const name of names) {
    it(`match their copy in the documentation: ${name}`, () => {
      const page = name.startsWith('tocsin-backup') ? 'docs/backup.md' : 'docs/operations.md'
      expect(read(page)).to.include(`\`\`\`ini\n${read(`docs/systemd/${name}`)}\`\`\``)
    })

    it(`pass systemd-analyze verify: ${name}`, function () {
      if (!hasSystemdAnalyze) return this.skip()
      expect(systemdAnalyze('verify', join(folder.path, name))).to.deep.equal({ status: 0, text: '' })
    })
  }

  it('fail the check with a planted bug', function () {
    if (!hasSystemdAnalyze) return this.skip()
    const path = join(folder.path, 'wrong.service')
    writeFileSync(path, read('docs/systemd/tocsin.service').replace('ProtectHome=true', 'ProtectHom=true'))
    expect(systemdAnalyze('verify', path).text).to.include('ProtectHom')
  })

  it('have an exposure of at most 2.0 of 10', function () {
    if (!hasSystemdAnalyze) return this.skip()
    const { status, text } = systemdAnalyze(
      'security',
      '--offline=true',
      '--threshold=20',
      join(folder.path, 'tocsin.service'),
    )
    expect(status, text).to.equal(0)
  })

  describe('during tocsin serve', () => {
    let house: TestTocsin
    beforeEach(async () => {
      house = await makeTestTocsin()
    })
    afterEach(() => house.close())

    it('allow all of its system calls', async function () {
      if (!hasSystemdAnalyze || !canTrace) return this.skip()
      const trace = join(folder.path, 'calls')
      await house.addPlaybook('t', '  - id: a\n    set: { x: "${{ alert.type }}" }')
      const server = await house.start({ under: tracing(trace) })
      await house.post('t')
      await house.endedRuns(1)
      await server.call('/alerts?q=x')
      expect((await fetch(`${server.url}/readyz`)).status).to.equal(200)
      await server.stop()
      const calls = tracedCalls(trace)
      expect(calls).to.include('pwrite64')
      const allowed = allowedCalls(read('docs/systemd/tocsin.service'))
      expect(allowed.has('fchown'), 'what is taken away').to.equal(false)
      // As root, SQLite gives its files to the owner of the database; the unit does not run as root.
      const asRoot = new Set(process.getuid?.() === 0 ? ['fchown'] : [])
      expect([...calls.difference(allowed).difference(asRoot)]).to.deep.equal([])
    })
  })
})

describe('the installed tocsin command', () => {
  const script = read('docs/systemd/tocsin.sh')
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(() => folder.remove())

  /**
   * The unit with other paths and another user. Instead of the program, it runs a script that shows its
   * environment.
   */
  async function run(environment: string, given: Readonly<Record<string, string>> = {}) {
    const path = join(folder.path, 'tocsin')
    writeFileSync(join(folder.path, 'environment'), environment)
    writeFileSync(
      path,
      script
        .replace('user=tocsin', `user=${userInfo().username}`)
        .replace('environment=/etc/tocsin/environment', `environment=${join(folder.path, 'environment')}`)
        .replace(
          '"$program/node_modules/.bin/node" "$program/cli/tocsin.js"',
          `${process.execPath} -e '${show}' --`,
        ),
    )
    chmodSync(path, 0o755)
    const env = { PATH: process.env['PATH'], ...given }
    const { stdout } = await promisify(execFile)(path, ['restore', 'a b', '--replace'], { env })
    return JSON.parse(stdout) as { args: string[]; env: Record<string, string> }
  }
  const show =
    'const own = Object.entries(process.env).filter(([name]) => name.startsWith("TOCSIN_"));' +
    'console.log(JSON.stringify({ args: process.argv.slice(1), env: Object.fromEntries(own) }))'

  it('matches its copy in docs/operations.md', () => {
    expect(read('docs/operations.md')).to.include(`\`\`\`sh\n${script}\`\`\``)
  })

  it('passes on the variables of the service verbatim, and its arguments', async () => {
    const environment = [
      '# TOCSIN_COMMENT=1',
      '',
      'TOCSIN_DATA_DIR=/var/lib/tocsin',
      'TOCSIN_ALLOW_PRIVATE_EGRESS=siem.internal, 10.0.0.0/8',
      'TOCSIN_PLAYBOOKS_DIR="/etc/tocsin/play books"',
      `TOCSIN_MASTER_KEY=$(touch ${join(folder.path, 'run')});\`id\` $HOME`,
      'TOCSIN_PORT=9000',
    ].join('\n')
    expect(await run(environment, { TOCSIN_PORT: '9001' })).to.deep.equal({
      args: ['restore', 'a b', '--replace'],
      env: {
        TOCSIN_DATA_DIR: '/var/lib/tocsin',
        TOCSIN_ALLOW_PRIVATE_EGRESS: 'siem.internal, 10.0.0.0/8',
        TOCSIN_PLAYBOOKS_DIR: '/etc/tocsin/play books',
        TOCSIN_MASTER_KEY: `$(touch ${join(folder.path, 'run')});\`id\` $HOME`,
        TOCSIN_PORT: '9001',
      },
    })
    expect(readdirSync(folder.path)).to.not.include('run')
  })

  it('is the only way to run commands in docs/operations.md', () => {
    expect(read('docs/operations.md')).to.not.match(/sudo|^.*cli\/tocsin\.js doctor/m)
  })
})
