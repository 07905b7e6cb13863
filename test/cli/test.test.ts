import { expect } from 'chai'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin, startTocsinCommand, type RunOptions } from '../support/server/run-tocsin.ts'

const shipped = join(import.meta.dirname, '../../playbooks')

const playbook = `apiVersion: tocsin/v1
name: small
on: { alert: { type: small } }
steps:
  - { id: note, uses: case.update, with: { summary: "\${{ alert.data.who }}" } }
  - { id: high, if: alert.data.risk > 50, uses: case.update, with: { severity: high } }
  - { wait: 2h }
outputs: { who: "\${{ alert.data.who }}" }
`

const caller = 'apiVersion: tocsin/v1\nname: outer\non: { manual: true }\nsteps: [{ id: sub, call: inner }]\n'
const called = 'apiVersion: tocsin/v1\nname: inner\non: { call: true }\nsteps: [{ id: w, wait: 2h }]\n'

const tests = (severity: string) => `playbook: small.yaml
fixtures: { alert: { data: { who: kim, risk: 60 } } }
tests:
  - name: a high risk
    expect: { path: [note, high], case: { severity: ${severity}, summary: kim } }
`

describe('tocsin test', function () {
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>
  before(async () => {
    folder = await makeTemporaryFolder()
    const files: Record<string, string> = {
      'good/small.yaml': playbook,
      'good/small.test.yaml': tests('high'),
      'bad/small.yaml': playbook,
      'bad/small.test.yaml': tests('low'),
      'broken/small.yaml': playbook,
      'broken/small.test.yaml': tests('purple').replace('case:', 'caes:'),
      'calls/inner.yaml': called,
      'calls/outer.yaml': caller,
      'calls/outer.test.yaml': 'playbook: outer.yaml\ntests: [{ name: a, expect: {} }]\n',
      'alone/small.yaml': playbook,
      'alone/other.test.yaml': tests('high').replace('small.yaml', '../good/small.yaml'),
    }
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(folder.path, name, '..'), { recursive: true })
      await writeFile(join(folder.path, name), content)
    }
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const test = (args: readonly string[], options: RunOptions = {}) =>
    runTocsin(['test', ...args], { cwd: folder.path, ...options })

  it('runs the tests of a folder, prints a summary and exits with 0', async () => {
    const { code, stdout, stderr } = await test(['good'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.equal(`good/small.test.yaml\n  ok a high risk  2h passed\n\nok 1 test in 1 file\n`)
  })

  it('defaults to the playbooks folder, and finds the tests beside a given playbook', async () => {
    const env = { TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'good') }
    expect((await test([], { env })).stdout).to.contain('ok 1 test in 1 file')
    expect((await test(['good/small.yaml', 'good'])).stdout).to.contain('ok 1 test in 1 file')
  })

  it('shows failed expectations with their position and trace, and exits with 1', async () => {
    const { code, stdout } = await test(['bad'])
    expect(code).to.equal(1)
    expect(stdout).to.equal(`bad/small.test.yaml
  not ok a high risk  2h passed

bad/small.test.yaml:5:53  error case.severity  expected "low", got "high"
    5 |     expect: { path: [note, high], case: { severity: low, summary: kim } }
      |                                                     ^^^
  what ran: note → high → 2


not ok 1 test in 1 file: 1 failed
`)
  })

  it('shows problems of the test file and exits with 1', async () => {
    const { code, stdout } = await test(['broken', 'good'])
    expect(code).to.equal(1)
    expect(stdout)
      .to.contain(`error E104  unknown key 'caes' in \`expect\``)
      .and.contain(`did you mean 'case'?`)
    expect(stdout)
      .to.contain('ok a high risk')
      .and.contain('not ok 1 test in 2 files: 1 file with mistakes; their tests did not run')
    const covered = await test(['broken', '--coverage'])
    expect(covered.stdout).to.match(
      /^not ok .* of branches covered: .*, without the tests of 1 file with mistakes$/m,
    )
    expect(covered.stdout).to.not.match(/^ok |Never taken/m)
    const alone = await test(['broken/small.test.yaml', '--coverage'])
    expect(alone.stdout).to.match(
      /^not ok there are no branches to cover, without the tests of 1 file with mistakes$/m,
    )
  })

  it('lists uncovered branches, and requires a percentage with --min', async () => {
    const shown = await test(['good', '--coverage'])
    expect(shown.code).to.equal(0)
    expect(shown.stdout).to.contain('Never taken:\n  good/small.yaml:6:5  high: `if` is false  [high skip]\n')
    expect(shown.stdout).to.contain('not ok 75 % of branches covered: 3 of 4\n')
    expect((await test(['good', '--min', '75'])).code).to.equal(0)
    const gated = await test(['good', '--min', '75.1'])
    expect(gated.code).to.equal(1)
    expect(gated.stdout).to.contain('3 of 4, but 75.1 % are required')
  })

  it('counts playbooks of a folder without tests', async () => {
    const { stdout } = await test(['alone', '--coverage'])
    expect(stdout).to.contain('alone/small.yaml:5:5  note: runs  [note run]')
    expect(stdout).to.contain('3 of 8')
  })

  it('counts the steps of called playbooks', async () => {
    expect((await test(['calls', '--coverage'])).stdout).to.contain('ok 100 % of branches covered: 2 of 2')
  })

  it('repeats tests with crashes', async () => {
    const { code, stdout } = await test(['good', '--crash'])
    expect(code).to.equal(0)
    expect(stdout).to.match(/ok a high risk {2}2h passed {2}6 crashes/)
  })

  it('prints JSON for programs', async () => {
    const { code, stdout } = await test(['bad', '--json'])
    expect(code).to.equal(1)
    const report = JSON.parse(stdout)
    expect(report.ok).to.equal(false)
    const [file] = report.files
    expect(file).to.deep.include({ file: 'bad/small.test.yaml', playbook: 'bad/small.yaml', problems: [] })
    expect(file.tests[0]).to.deep.include({
      name: 'a high risk',
      ok: false,
      line: 4,
      status: 'completed',
      duration_ms: 7_200_000,
    })
    expect(file.tests[0].failures[0]).to.deep.include({ code: 'case.severity', line: 5, column: 53 })
    expect(report.coverage.playbooks[0].missing[0]).to.deep.include({ branch: 'high skip', line: 6 })
  })

  it('writes valid JUnit XML for any test name', async () => {
    const name = 'a < b & "c" ]]> \u0001'
    const source = tests('low').replace('name: a high risk', `name: ${JSON.stringify(name)}`)
    await writeFile(join(folder.path, 'bad/odd.test.yaml'), source)
    const { code } = await test(['bad/odd.test.yaml', 'good', '--junit', 'report.xml'])
    expect(code).to.equal(1)
    const xml = await readFile(join(folder.path, 'report.xml'), 'utf8')
    expect(xml).to.contain('<testsuite name="bad/odd.test.yaml" tests="1" failures="1"')
    expect(xml).to.contain('name="a &lt; b &amp; &quot;c&quot; ]]&gt; \uFFFD"')
    expect(xml).to.contain(
      '<failure message="case.severity: expected &quot;low&quot;, got &quot;high&quot;">',
    )
    expect(xml).to.contain('<testsuite name="good/small.test.yaml" tests="1" failures="0"')
  })

  it('records a test file from a run', async () => {
    const step = (path: string, kind: string, input: unknown, output: unknown) => {
      const rest = { step_id: path, state: 'completed', attempt: 1, error: null, failed_attempts: [] }
      return { path, kind, input, output, started_at: 0, ended_at: 0, ...rest }
    }
    const run = {
      run_uuid: '00000000-0000-4000-8000-000000000001',
      organization_code: 'main',
      playbook: 'small',
      playbook_hash: 'x',
      status: 'completed',
      started_at: 1_700_000_000_000,
      output: { who: 'kim' },
      error: null,
      steps: [
        step('note', 'case.update', { summary: 'kim' }, { id: 'main-1' }),
        step('high', 'case.update', { severity: 'high' }, { id: 'main-1' }),
      ],
    }
    const alert = { alert_content: '{"who":"kim","risk":70}', alert_type: 'small', alert_provider: 'splunk' }
    await writeFile(join(folder.path, 'alert.json'), JSON.stringify(alert))
    const env = { TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'good') }
    const options = { env, input: JSON.stringify(run) }
    const { code, stdout } = await test(['--record', '-', '--alert', 'alert.json'], options)
    expect(code).to.equal(0)
    await writeFile(join(folder.path, 'good/recorded.test.yaml'), stdout)
    const again = await test(['good/recorded.test.yaml'])
    expect(again.stdout, stdout).to.contain('ok as in run 00000000-0000-4000-8000-000000000001')
    expect(again.code).to.equal(0)
    await writeFile(join(folder.path, 'run.json'), '{}')
    const refused = await test(['--record', 'run.json'])
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.match(/error this is not a run with its steps\nhint {2}give the answer of GET/)
  })

  it('reruns on file changes with --watch until it is stopped', async () => {
    await cp(join(folder.path, 'good'), join(folder.path, 'watched'), { recursive: true })
    const command = startTocsinCommand(['test', '--watch', 'watched/small.test.yaml'], { cwd: folder.path })
    await command.hasPrinted(/ok 1 test in 1 file\nwaiting for changes/)
    await writeFile(join(folder.path, 'watched/small.test.yaml'), tests('low'))
    await command.hasPrinted(/not ok 1 test in 1 file: 1 failed\nwaiting for changes/)
    await writeFile(
      join(folder.path, 'watched/small.yaml'),
      playbook.replace('severity: high', 'severity: low'),
    )
    await command.hasPrinted(/not ok 1 test(.*\n)+.*ok a high risk(.*\n)+ok 1 test in 1 file\nwaiting/)
    command.process.kill('SIGTERM')
    expect((await command.ended).code).to.equal(0)
  })

  it('passes for the shipped playbooks with full coverage', async () => {
    const { code, stdout } = await test([shipped, '--min', '100'])
    expect(stdout).to.contain('ok 100 % of branches covered')
    expect(code).to.equal(0)
  })

  it('reports a path without tests, and explains tests', async () => {
    const { code, stderr } = await test(['good/small.yaml', 'nowhere'])
    expect(code).to.equal(1)
    expect(stderr).to.equal(`error there is no file or folder 'nowhere'\n`)
    await mkdir(join(folder.path, 'empty'))
    const empty = await test(['empty'])
    expect(empty.code).to.equal(1)
    expect(empty.stderr).to.match(/^error no tests in empty\nhint {2}name test files <playbook>\.test\.yaml/)
  })

  it('refuses an invalid percentage', async () => {
    for (const given of ['101', '-1', 'all']) {
      const { code, stderr } = await test([`--min=${given}`])
      expect(code).to.equal(2)
      expect(stderr).to.contain('It must be a number from 0 to 100.')
    }
  })
})
