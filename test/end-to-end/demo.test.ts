import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Outcome } from '../../cli/demo/post-and-await.ts'
import { unexpected } from '../../cli/demo/unexpected.ts'
import { killCommands, runTocsin, startTocsinCommand } from '../support/server/run-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('tocsin demo', function () {
  this.timeout(180_000)
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'tmp'))
    await mkdir(join(folder.path, 'playbooks'))
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  /** Outside of the checkout, with its own temporary folder that tests can inspect. */
  const options = (env: Record<string, string> = {}) => ({
    cwd: folder.path,
    env: { TMPDIR: join(folder.path, 'tmp'), ...env },
  })
  let whole: ReturnType<typeof runTocsin> | undefined
  /** Run once for all tests of its output. */
  const wholeDemo = () => (whole ??= runTocsin(['demo'], options()))
  const leftOver = async () =>
    (await readdir(join(folder.path, 'tmp'))).filter((name) => name.startsWith('tocsin'))

  it('investigates every sample alert, shows the outcomes, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await wholeDemo()
    expect({ code, stderr }, stdout).to.deep.equal({ code: 0, stderr: '' })
    const rows = stdout.split('\n').filter((line) => /^Completed .*DEMO-/.test(line))
    expect(rows).to.have.length(34)
    for (const row of rows)
      expect(row).to.match(/^Completed +DEMO-\S+-\d+ +(\S+|generated for \w+) +demo-\d+ +\w+ +\w+ +\d+ ms$/)
    const stories = stdout
      .split('\n')
      .filter((line) => /^(?:demo|second)-\d+ +\S+: \w+, \w+ {2}(?:DEMO|SECOND)-\S+-\d+$/.test(line))
    expect(stories).to.have.length(17)
    const cases = [...rows, ...stories].map((line) => /(?:demo|second)-\d+/.exec(line)?.[0])
    expect(new Set(cases), 'cases').to.have.property('size', 51)
    expect(stdout)
      .to.match(/ phishing-report .* malicious /)
      .and.match(/ generated for malware /)
    expect(stdout).to.contain('51 of 51 alerts investigated').and.contain('ok 51 alerts of 38 providers')
    expect(Math.max(...stdout.split('\n').map((line) => line.length)), 'width').to.be.at.most(120)
    expect(await leftOver()).to.deep.equal([])
  })

  it('answers or ignores questions, isolates machines and follows incidents in the five sandboxes', async () => {
    const { stdout } = await wholeDemo()
    for (const shown of [
      /impossible-travel: benign, low /,
      /kim@example.com pressed 'mine'/,
      /bo@example.com pressed 'not_mine'/,
      /impossible-travel: malicious, critical /,
      /lee@example.com never looked\.\n +→ .*: no_reply\./,
      /endpoint-malware: malicious, high /,
      /→ desk-042.example.com is being isolated/,
      /soc-on-call@example.com pressed 'approve'\.\n +→ build-3.example.com is being isolated/,
      /soc-on-call@example.com pressed 'refuse'\./,
      /build-3.example.com is being released/,
      /desk-043.example.com was not isolated: soc-on-call@example.com did not answer in time\./,
      /desk-042.example.com {2}Isolate {2}Succeeded/,
      /laptop-7.example.com {2}Isolate {2}/,
      /build-3.example.com {2}Isolate {2}Succeeded\n(.*\n)* {2}build-3.example.com {2}Unisolate {2}/,
      /threat-platform-incidents\): each of the 2 has its case\./,
      /contain-malware: malicious, critical  DEMO-.*(\n.*){3}→ desk-044.example.com is being isolated/,
      /contain-malware: malicious, critical  SECOND-.*(\n.*){3}→ pc-0042 is being isolated/,
      /→ kim@example.com: The sessions are revoked. The account is disabled./,
      /Found in 1 mailboxes, removed from 1./,
    ])
      expect(stdout).to.match(shown)
  })

  it('prints the expected outcome if an alert ends differently', () => {
    const outcome: Outcome = {
      sample: {
        organization: 'demo',
        provider: 'siem',
        alertType: 'impossible_travel',
        content: '{}',
        story: undefined,
        people: [],
        expected: { playbook: 'impossible-travel', severity: 'low', verdict: 'benign' },
      },
      alertId: 'DEMO-SIEM-1',
      status: 'Completed',
      playbook: 'impossible-travel',
      caseId: 'demo-1',
      severity: 'high',
      verdict: 'benign',
      summary: '',
      durationMs: 1,
    }
    const incidents = { status: 'failed', incidents: 0 }
    expect(unexpected([outcome], { incidents, byHand: [] })).to.deep.equal([
      'DEMO-SIEM-1: its severity is high, not low',
      'the incidents could not be synchronized',
    ])
  })

  it('exits with 1 and names the alerts if an investigation fails', async () => {
    const source = `apiVersion: tocsin/v1\nname: broken\non: { alert: { type: web_attack } }\nsteps:\n  - fail: 'broken on purpose'\n`
    await writeFile(join(folder.path, 'playbooks/broken.yaml'), source)
    const { code, stdout } = await runTocsin(['demo'], options({ TOCSIN_PLAYBOOKS_DIR: 'playbooks' }))
    expect(code, stdout).to.equal(1)
    expect(stdout).to.match(/^Failed +DEMO-CLOUDFLARE-1 +broken /m)
    expect(stdout).to.contain(
      'not ok 51 alerts of 38 providers:\n  DEMO-CLOUDFLARE-1 was not investigated: Failed\n',
    )
    expect(stdout.match(/^Completed /gm)).to.have.length(33)
    expect(await leftOver()).to.deep.equal([])
  })

  it('keeps running with --keep, with working commands, and removes everything on Ctrl-C', async () => {
    const { process, ended, hasPrinted } = startTocsinCommand(['demo', '--keep'], options())
    const stdout = await hasPrinted(/Look around[^]*\/playbooks/)
    const commands = [...stdout.matchAll(/curl -sS (http:\S+) -H 'Cookie: (Session=[^']+)'/g)]
    expect(commands).to.have.length(3)
    for (const [, url = '', cookie = ''] of commands) {
      const answer = await fetch(url, { headers: { cookie } })
      expect(answer.status, url).to.equal(200)
      await answer.json()
    }
    expect(await leftOver()).to.have.length(1)
    const [, url = '', cookie = '', body = ''] =
      /curl -sS (http:\S+) \\\n.*(Session=[^']+)' \\\n.*\n +-d '(.*)'\n/.exec(stdout) ?? []
    const headers = { cookie, 'content-type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers, body })).status).to.equal(201)
    await hasPrinted(/message \d+ to dana@example.com/)
    process.stdin.write('requests on\n')
    await hasPrinted(/requests are shown/)
    process.stdin.write(`${/^ +(click .*)$/m.exec(stdout)?.[1]}\n`)
    await hasPrinted(/dana@example.com pressed 'No', and the platform accepted it/)
    await hasPrinted(/messaging {2}POST \[redacted\] {2}200/)
    await hasPrinted(/endpoint_security {2}desk-043.example.com {2}Isolate {2}Pending/)
    process.kill('SIGINT')
    expect(await ended).to.include({ code: 0, stderr: '' })
    expect(await leftOver()).to.deep.equal([])
  })

  it('stops everything it started and leaves nothing behind if it cannot start', async () => {
    const { process, ended } = startTocsinCommand(['demo'], options({ TOCSIN_PLUGINS: 'no-such-package' }))
    const timer = setTimeout(() => process.kill('SIGKILL'), 45_000)
    const { code, signal, stdout, stderr } = await ended
    clearTimeout(timer)
    expect({ code, signal, stdout }, stderr).to.deep.equal({ code: 1, signal: null, stdout: '' })
    expect(stderr).to.contain('no-such-package').and.contain('TOCSIN_PLUGINS')
    expect(await leftOver()).to.deep.equal([])
  })

  it('removes everything if interrupted halfway', async () => {
    const { process, ended, hasPrinted } = startTocsinCommand(['demo'], options())
    await hasPrinted(/listening/)
    process.kill('SIGINT')
    expect((await ended).code).to.be.oneOf([0, 1])
    expect((await ended).stderr).to.equal('')
    expect(await leftOver()).to.deep.equal([])
  })
})
