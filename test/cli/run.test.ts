import { expect } from 'chai'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin, startTocsinCommand, type RunOptions } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

const root = join(import.meta.dirname, '../..')

const playbook = `apiVersion: tocsin/v1
name: look-up
on: { alert: { type: odd, where: 'alert.data.host.endsWith(".example")' } }
steps:
  - { id: known, uses: intel_provider.get_enrichment, with: { kind: domain, value: "\${{ alert.data.host }}" } }
  - { id: bad, if: steps.known.output.risk.score != null, uses: case.update, with: { verdict: malicious } }
  - { uses: case.comment, with: { text: "looked up for \${{ organization.code }}" } }
outputs: { score: "\${{ steps.known.output.risk.score }}" }
`

const first = `apiVersion: tocsin/v1\nname: first\non: { manual: true }\nsteps: [{ return: It works. }]\n`

const world = `fixtures: { alert: { data: { host: evil.example } } }
mocks: { intel_provider.get_enrichment: [{ error: { code: http_503, retryable: true } }, { example: A domain that controls malware }] }
`

describe('a playbook on the command line', function () {
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>
  let sandbox: { readonly url: string; readonly settings: unknown; close(): Promise<unknown> }
  let env: Record<string, string>
  let adminKey: string

  before(async () => {
    folder = await makeTemporaryFolder()
    const definition = await loadSandbox({ pluginsDir: join(root, 'plugins') }, 'intel_provider')
    sandbox = await definition!.start()
    const dataDir = join(folder.path, 'data')
    env = { TOCSIN_DATA_DIR: dataDir, TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host }
    const server = await startServer({ dataDir, env, cwd: folder.path })
    const connection = {
      organization_code: 'main',
      name: 'intel',
      plugin: 'intel_provider',
      settings: sandbox.settings,
    }
    expect((await server.call('/connections', { body: connection })).status).to.equal(201)
    adminKey = server.adminKey
    await server.stop()
    const files = {
      'look-up.yaml': playbook,
      'world.yaml': world,
      'wait.yaml': `apiVersion: tocsin/v1\nname: wait\non: { manual: true }\nsteps:\n  - set: { x: 1 }\n  - wait: 1h\n`,
      'inputs.yaml': `apiVersion: tocsin/v1\nname: fails\non: { manual: true }\ninputs: { n: { type: integer }, who: { type: string } }\nsteps:\n  - fail: no way for \${{ inputs.who + string(inputs.n) }}\n`,
      'pin.yaml': `apiVersion: tocsin/v1\nname: pin\non: { manual: true }\ninputs: { pin: { type: string, sensitive: true } }\nsteps:\n  - { id: d, set: { derived: "\${{ inputs.pin.upperAscii() }}" } }\n  - { uses: case.comment, with: { text: "\${{ size(inputs.pin) }} characters" } }\n  - { id: n, set: { n: "\${{ int(inputs.pin) }}" }, on_error: continue }\n  - return: { pin: "\${{ steps.d.output.derived }}", n: "\${{ steps.n.ok }}" }\n`,
      'big.yaml': `apiVersion: tocsin/v1\nname: big\non: { alert: { type: t } }\nsteps:\n  - { uses: http.send, connection: x, with: { method: POST, path: /x, json: { big: "\${{ alert.data.big }}" } } }\n  - return: \${{ alert.data.big }}\n`,
      'big.json': '{ "big": 9007199254740993 }',
      'http.yaml':
        'mocks: { http.send: { output: { status: 200, headers: {}, text: x, truncated: false } } }\n',
      'big.test.yaml': `playbook: big.yaml\nmocks: { http.send: { output: { status: 200, headers: {}, text: x, truncated: false, json: 9007199254740993 } } }\nfixtures: { alert: { data: { big: 9007199254740993 } } }\ntests:\n  - name: as sent\n    expect: { calls: [{ skill: http.send, with: { json: { big: 9007199254740993 } } }], outputs: 9007199254740993 }\n  - name: rounded\n    expect: { outputs: 9007199254740992 }\n`,
      'nothing.yaml': 'mocks: {}\n',
      'bad.yaml': 'name: bad\n',
      'calls.yaml': `apiVersion: tocsin/v1\nname: calls\non: { manual: true }\nsteps:\n  - { call: called, with: { n: x } }\n  - { call: nowhere }\n`,
      'called.yaml': `apiVersion: tocsin/v1\nname: called\non: { call: true }\ninputs: { n: { type: integer } }\nsteps: [{ return: 1 }]\n`,
      'count.yaml': `apiVersion: tocsin/v1\nname: count\non: { manual: true }\nstate: { total: { kind: counter } }\nsteps:\n  - state: { increment: total }\n  - state: { increment: total }\noutputs: { total: "\${{ state.total }}" }\n`,
      'alert.json': JSON.stringify({ alert_content: '{"host":"evil.example"}', alert_type: 'odd' }),
      'raw.json': '{ "host": "evil.test" }',
    }
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content)
  })
  after(async () => {
    await killCommands()
    await sandbox.close()
    await folder.remove()
  })

  const tocsin = (args: readonly string[], options: RunOptions = {}) =>
    runTocsin(args, { cwd: folder.path, env, ...options })

  it('keeps integers beyond 2^53 to the last digit', async () => {
    const given = ['big.yaml', '--alert', 'big.json']
    const run = await tocsin(['run', ...given, '--mocks', 'http.yaml'])
    expect(run.stdout, run.stderr).to.match(/^ {4}output 9007199254740993$/m)
    const dry = await tocsin(['dry-run', ...given, '--fixtures', 'http.yaml'])
    expect(dry.stdout, dry.stderr).to.match(/^ *"big": 9007199254740993$/m)
    const test = await tocsin(['test', 'big.test.yaml'])
    expect(test.stdout, test.stderr).to.match(/expected 9007199254740992, got 9007199254740993/)
    expect(test.stdout).to.match(/ok as sent/)
  })

  it('names a file that is missing or not JSON', async () => {
    await writeFile(join(folder.path, 'torn.json'), '{ "host": ')
    for (const [file, says] of [
      ['nofile.json', /^error there is no file or folder 'nofile\.json'\n$/],
      ['{"host":1}', /^error there is no file .*\nhint {2}pass JSON on standard input/],
      ['.', /^error '\.' is a folder; expected a file\n$/],
      ['torn.json', /^error torn\.json: not valid JSON: /],
    ] as const) {
      const given = ['look-up.yaml', '--alert', file]
      expect((await tocsin(['run', ...given, '--mocks', 'world.yaml'])).stderr).to.match(says)
      expect((await tocsin(['dry-run', ...given, '--fixtures', 'world.yaml'])).stderr).to.match(says)
    }
    expect((await tocsin(['run', 'nowhere.yaml'])).stderr).to.match(/no file or folder 'nowhere\.yaml'\n$/)
    expect((await tocsin(['run', 'first.yaml', '--mocks', 'no.yaml'])).stderr).to.match(
      /'(?:first|no)\.yaml'\n$/,
    )
    expect((await tocsin(['test', '--record', 'torn.json'])).stderr).to.match(/^error torn\.json: not valid/)
  })

  describe('with tocsin run', () => {
    it('runs with mocks and without waiting or a data directory, and shows each step and the end', async () => {
      const { code, stdout, stderr } = await tocsin(['run', 'look-up.yaml', '--mocks', 'world.yaml'], {
        env: {},
      })
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.match(
        /^ {2}ok {6}known {2}intel_provider.get_enrichment {2}2 attempts, [12]s\d*m?s?\n/,
      )
      expect(stdout).to.contain('  ok      bad  case.update\n')
      expect(stdout).to.contain('ok look-up completed').and.contain('"score": 95')
      expect(stdout).to.contain(
        'case: severity medium, verdict malicious, open\n    note: looked up for demo',
      )
    })

    it('fails on a missing mock and names it', async () => {
      const run = await tocsin(['run', 'look-up.yaml', '--mocks', 'nothing.yaml', '--alert', 'alert.json'])
      expect(run.code).to.equal(1)
      expect(run.stdout).to.contain(`not mocked step 'known' calls intel_provider.get_enrichment`)
      expect(run.stdout).to.contain('not ok look-up failed').and.contain(`(step 'known')`)
    })

    it('calls the connections of the data directory and keeps the case in memory', async () => {
      const { code, stdout, stderr } = await tocsin(['run', 'look-up.yaml', '--alert', 'alert.json'])
      expect(stderr).to.equal('')
      expect(stdout)
        .to.match(/ok {6}known {2}intel_provider.get_enrichment/)
        .and.contain('note: looked up for main')
      expect(code).to.equal(0)
      const server = await startServer({ dataDir: env['TOCSIN_DATA_DIR']!, env, cwd: folder.path, adminKey })
      const [cases, runs] = await Promise.all([server.call('/cases'), server.call('/runs')])
      await server.stop()
      expect([cases.body.data, runs.body.data]).to.deep.equal([[], []])
    })

    it('changes the state of a playbook in memory, on top of what is stored', async () => {
      for (const [command, last] of [
        ['run', 'completed'],
        ['dry-run', 'a real run would make 2 writes'],
      ] as const) {
        const { stdout, stderr } = await tocsin([command, 'count.yaml'])
        expect(stderr).to.equal('')
        expect(stdout)
          .to.match(/output \{\n +"total": 2\n/)
          .and.contain(last)
      }
    })

    it('accepts alert content from a file or standard input, and says if it would not trigger the playbook', async () => {
      const { stderr } = await tocsin(['run', 'look-up.yaml', '--alert', 'raw.json'])
      expect(stderr).to.match(/note {2}this alert would not start the playbook: `where` does not hold/)
      const piped = await tocsin(['run', 'look-up.yaml', '--alert', '-'], {
        input: '{"host":"evil.example"}',
      })
      expect({ code: piped.code, stderr: piped.stderr }).to.deep.equal({ code: 0, stderr: '' })
    })

    it('refuses an alert if none starts the playbook', async () => {
      const { code, stderr } = await tocsin(['run', 'wait.yaml', '--alert', 'alert.json'])
      expect(code).to.equal(1)
      expect(stderr).to.match(/error no alert starts 'wait', but --alert is given\nhint {2}leave --alert out/)
    })

    it('requires an alert if the playbook investigates one', async () => {
      const { code, stderr } = await tocsin(['run', 'look-up.yaml'])
      expect(code).to.equal(1)
      expect(stderr).to.match(
        /error 'look-up' investigates alerts of type 'odd', but no alert is given\nhint {2}add --alert/,
      )
    })

    it('shows problems of a playbook', async () => {
      const { code, stderr } = await tocsin(['run', 'bad.yaml'])
      expect(code).to.equal(1)
      expect(stderr).to.contain('bad.yaml:1:1  error E105')
    })

    it('refuses calls that `tocsin validate` refuses, like a dry run', async () => {
      const { stdout } = await tocsin(['validate', 'calls.yaml'])
      const places = (text: string) => text.match(/calls\.yaml:\d+:\d+ {2}error E\d+/g)
      expect(places(stdout)).to.have.length(2)
      for (const command of ['run', 'dry-run']) {
        const { code, stderr } = await tocsin([command, 'calls.yaml'])
        expect(code).to.equal(1)
        expect(places(stderr)).to.deep.equal(places(stdout))
      }
    })

    it('fails if the playbook fails or inputs are invalid', async () => {
      const { code, stdout } = await tocsin(['run', 'inputs.yaml', '--input', 'n=5', '--input', 'who=7'])
      expect(code).to.equal(1)
      expect(stdout).to.contain('not ok fails failed').and.contain('playbook_failed: no way for 75')
      const refused = await tocsin(['run', 'inputs.yaml', '--input', 'n=x'])
      expect(refused.code).to.equal(1)
      expect(refused.stderr).to.match(
        /error the inputs do not fit the playbook 'fails': .*\nhint {2}it takes n, who/,
      )
    })

    it('prints no sensitive values, like a dry run', async () => {
      const given = ['--input', 'pin=canary-0815']
      for (const args of [
        ['run', 'pin.yaml', '--mocks', 'nothing.yaml', ...given],
        ['run', 'pin.yaml', ...given],
        ['dry-run', 'pin.yaml', ...given],
      ]) {
        const { code, stdout, stderr } = await tocsin(args)
        expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' })
        expect(stdout)
          .to.contain('"pin": "[redacted]"')
          .and.not.match(/canary/i)
      }
    })

    it('is cancelled by Ctrl-C', async () => {
      const command = startTocsinCommand(['run', 'wait.yaml'], { cwd: folder.path, env })
      await command.hasPrinted(/ok {6}0 {2}set/)
      command.process.kill('SIGINT')
      const { code, stdout } = await command.ended
      expect(code).to.equal(1)
      expect(stdout).to.contain('not ok wait cancelled')
    })

    it('refuses an unknown input and an unknown organization', async () => {
      const usage = await tocsin(['run', 'wait.yaml', '--input', 'n'])
      expect(usage.code).to.equal(2)
      expect(usage.stderr).to.contain('name=value')
      const { code, stderr } = await tocsin(['run', 'wait.yaml', '--organization', 'nobody'])
      expect(code).to.equal(1)
      expect(stderr).to.equal(`error no organization has the code 'nobody'\nhint  organizations: main\n`)
    })

    it('continues without connections if the default data directory is missing', async () => {
      const fresh = join(folder.path, 'fresh')
      await mkdir(fresh)
      await writeFile(join(fresh, 'first.yaml'), first)
      for (const [command, end] of [
        ['run', 'case: severity medium'],
        ['dry-run', 'nothing was changed'],
      ] as const) {
        const { code, stdout, stderr } = await runTocsin([command, 'first.yaml'], { cwd: fresh })
        expect({ code, stderr }, stdout).to.deep.equal({ code: 0, stderr: '' })
        expect(stdout).to.contain('ok first completed').and.contain(end)
      }
      await writeFile(join(fresh, 'alert.json'), '{ "host": "evil.example" }')
      await writeFile(join(fresh, 'look-up.yaml'), playbook)
      const { code, stdout } = await runTocsin(['run', 'look-up.yaml', '--alert', 'alert.json'], {
        cwd: fresh,
      })
      expect(code).to.equal(1)
      expect(stdout)
        .to.contain('connection_missing')
        .and.contain('hint: create a connection of intel_provider')
      expect(await readdir(fresh)).to.have.members(['first.yaml', 'alert.json', 'look-up.yaml'])
    })

    it('requires the data directory if one is named, and creates none', async () => {
      const { code, stderr } = await tocsin(['run', 'wait.yaml'], { env: { TOCSIN_DATA_DIR: 'elsewhere' } })
      expect(code).to.equal(1)
      expect(stderr).to.match(/error there is no data directory '.*elsewhere'\nhint/)
    })
  })

  describe('with tocsin dry-run', () => {
    it('makes reads and shows the writes it would make', async () => {
      const { code, stdout, stderr } = await tocsin(['dry-run', 'look-up.yaml', '--alert', 'alert.json'])
      expect(stderr).to.equal('')
      expect(stdout).to.match(/ok {6}known {2}intel_provider.get_enrichment/)
      expect(stdout).to.contain(
        '  would do 2  case.comment\n    {\n      "text": "looked up for main"\n    }\n    assumed output from the skill\'s example: {',
      )
      expect(stdout).to.match(/nothing was changed; a real run would make [12] writes?\n$/)
      expect(code).to.equal(0)
    })

    it('uses fixtures, also without a data directory', async () => {
      const options = { env: { TOCSIN_DATA_DIR: 'elsewhere' } }
      const { code, stdout } = await tocsin(['dry-run', 'look-up.yaml', '--fixtures', 'world.yaml'], options)
      expect(code).to.equal(0)
      expect(stdout).to.contain('  would do bad  case.update\n    {\n      "verdict": "malicious"\n    }')
      expect(stdout).to.contain('a real run would make 2 writes')
    })

    it('tries every answer to a checkpoint, or the given ones', async () => {
      const asking = playbook.replace(
        '  - { uses: case.comment',
        `  - { id: sure, checkpoint: { via: operator, with: { message: Sure? }, answers: [yes, no], timeout: 1h } }
  - { if: steps.sure.output.answer == "yes", uses: case.comment`,
      )
      await writeFile(join(folder.path, 'asking.yaml'), asking)
      const dryRun = (...args: string[]) =>
        tocsin(['dry-run', 'asking.yaml', '--fixtures', 'world.yaml', ...args])
      const { code, stdout } = await dryRun()
      expect(code).to.equal(0)
      expect(stdout).to.contain(
        '  asks sure  operator\n    {\n      "message": "Sure?"\n    }\n    if the answer is yes:\n',
      )
      expect(stdout).to.contain('    if the question times out:\n        failed  sure')
      const one = await dryRun('--answer', 'sure=no')
      expect(one.code).to.equal(0)
      expect(one.stdout).to.contain('skipped 3  case.comment').and.not.contain('if the answer')
      expect((await dryRun('--answer', 'sure=timeout')).code).to.equal(1)
      const wrong = await dryRun('--answer', 'sure=maybe')
      expect(wrong.stderr).to.equal(
        `error 'maybe' is not a valid answer to 'sure'\nhint  answers: yes, no, timeout\n`,
      )
      const unknown = await dryRun('--answer', 'sur=no')
      expect(unknown.stderr).to.equal(
        `error the playbook has no checkpoint 'sur'\nhint  did you mean sure?\n`,
      )
    })

    it('shows writes of skipped steps as skipped', async () => {
      const unknown =
        'fixtures: { alert: { data: { host: a.example } } }\nmocks: { intel_provider.get_enrichment: { example: An address without reports } }\n'
      await writeFile(join(folder.path, 'unknown.yaml'), unknown)
      const { stdout } = await tocsin(['dry-run', 'look-up.yaml', '--fixtures', 'unknown.yaml'])
      expect(stdout).to.contain('  skipped bad  case.update\n').and.contain('a real run would make 1 write')
    })
  })
})
