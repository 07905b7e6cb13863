import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { pluginWith } from '../declarative/support.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const shipped = join(import.meta.dirname, '../../playbooks')

const good = `apiVersion: tocsin/v1
name: good
on: { manual: true }
steps:
  - uses: case.update
    with: { severity: high }
`
const bad = good
  .replace('name: good', 'name: bad')
  .replace('high', 'hihg')
  .replace('uses: case', 'uses: cases')

describe('tocsin validate', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'mixed/deep'), { recursive: true })
    await mkdir(join(folder.path, 'empty'))
    await writeFile(join(folder.path, 'mixed/good.yaml'), good)
    await writeFile(join(folder.path, 'mixed/good.test.yaml'), 'not a playbook')
    await writeFile(join(folder.path, 'mixed/deep/bad.yml'), bad)
    await writeFile(join(folder.path, 'mixed/notes.txt'), 'not a playbook')
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const validate = (args: readonly string[], input?: string) =>
    runTocsin(['validate', ...args], { cwd: folder.path, ...(input === undefined ? {} : { input }) })

  it('reports no problems for a valid file', async () => {
    expect(await validate(['mixed/good.yaml'])).to.include({
      code: 0,
      stdout: 'ok 1 playbook checked\n',
      stderr: '',
    })
  })

  it('reports no problems for the shipped playbooks', async () => {
    const { code, stdout } = await validate([shipped])
    expect(code, stdout).to.equal(0)
    expect(stdout).to.match(/ok \d+ playbooks checked/)
  })

  it('shows each problem at its position and exits with 1', async () => {
    const { code, stdout, stderr } = await validate(['mixed/deep/bad.yml'])
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' })
    expect(stdout).to.match(/^mixed\/deep\/bad\.yml:5:\d+ {2}error E\d+ {2}.*'cases'/m)
    expect(stdout).to.match(/^ +5 \| {3}- uses: cases\.update\n +\| +\^+ {2}hint: .*case\.update/m)
    expect(stdout).to.match(/^not ok 1 playbook checked: \d+ errors?/m)
  })

  it('fails for more warnings than --max-warnings', async () => {
    const unused = `apiVersion: tocsin/v1\nname: warned\non: { manual: true }\nsteps:\n  - { id: a, set: { x: 1 } }\n`
    const checked = (...args: readonly string[]) => runTocsin(['validate', '-', ...args], { input: unused })
    expect(await checked()).to.include({ code: 0, stderr: '' })
    expect(await checked('--max-warnings', '1')).to.include({ code: 0, stderr: '' })
    expect(await checked('--max-warnings', '0')).to.include({
      code: 1,
      stderr: '1 warning, and --max-warnings allows 0\n',
    })
    const { code, stderr } = await checked('--max-warnings', 'some')
    expect({ code, stderr }).to.satisfy(
      (said: { code: number; stderr: string }) => said.code === 2 && said.stderr.includes('whole number'),
    )
  })

  it('checks plugin.yaml files with their examples, beside playbooks', async () => {
    const plugin = join(folder.path, 'plugins/bell/plugin.yaml')
    await mkdir(join(folder.path, 'plugins/bell'), { recursive: true })
    const skill = 'output: { name: "${{ response.body.name }}" }'
    await writeFile(plugin, pluginWith({ skill }).replace('plugin: example', 'plugin: bell'))
    const warned = await validate(['plugins', 'mixed/good.yaml'])
    expect(warned).to.include({ code: 0, stderr: '' })
    expect(warned.stdout)
      .to.match(/^plugins\/bell\/plugin\.yaml:\d+:\d+ {2}warning W801 .*\n +\d+ \| +output/m)
      .and.include('ok 1 playbook and 1 plugin checked, 2 warnings\n')
    expect((await validate(['--max-warnings', '1', 'plugins'])).code).to.equal(1)

    await writeFile(plugin, pluginWith({ skill: 'examples: [none.json]' }))
    const { code, stdout } = await validate(['--format', 'sarif', 'plugins'])
    expect(code).to.equal(1)
    const [run] = (JSON.parse(stdout) as { runs: { results: { ruleId: string }[] }[] }).runs
    expect(run!.results.map(({ ruleId }) => ruleId)).to.deep.equal(['E806', 'E804'])
  })

  it('checks a playbook with the file name of a plugin', async () => {
    await mkdir(join(folder.path, 'named'), { recursive: true })
    await writeFile(join(folder.path, 'named/plugin.yaml'), good.replace('name: good', 'name: plugin'))
    expect((await validate(['named'])).stdout).to.equal('ok 1 playbook checked\n')
  })

  it('searches subfolders and skips files that are not playbooks', async () => {
    const { code, stdout } = await validate(['mixed'])
    expect(code).to.equal(1)
    expect(stdout).to.contain('not ok 2 playbooks checked')
  })

  it('checks a file named twice only once', async () => {
    expect((await validate(['mixed/good.yaml', './mixed/good.yaml'])).stdout).to.equal(
      'ok 1 playbook checked\n',
    )
  })

  it('names both files if two playbooks have the same name or investigate the same alerts', async () => {
    const alike = join(folder.path, 'alike')
    await mkdir(join(alike, 'deep'), { recursive: true })
    await mkdir(join(alike, '.hidden'))
    const phishing = good.replace('manual: true', 'alert: { type: phishing }')
    await writeFile(join(alike, 'a.yaml'), phishing)
    await writeFile(join(alike, 'deep/b.yaml'), good)
    await writeFile(join(alike, '.hidden/d.yaml'), good)
    await writeFile(join(alike, 'c.yaml'), phishing.replace('good', 'other'))
    const { code, stdout } = await validate(['alike'])
    expect(code).to.equal(1)
    expect(stdout).to.match(
      /^alike\/deep\/b\.yaml:2:1 {2}error E701 {2}alike\/a\.yaml and alike\/deep\/b\.yaml /m,
    )
    expect(stdout).to.match(
      /^alike\/c\.yaml:3:1 {2}warning W701 {2}alike\/a\.yaml and alike\/c\.yaml .*'good'/m,
    )
    expect(stdout).to.contain('not ok 3 playbooks checked: 1 error, 1 warning')
    expect((await validate(['alike/a.yaml', 'alike/c.yaml'])).code, 'a warning').to.equal(0)
  })

  it('defaults to the playbooks folder', async () => {
    const elsewhere = await runTocsin(['validate'], {
      cwd: folder.path,
      env: { TOCSIN_PLAYBOOKS_DIR: 'mixed/deep' },
    })
    expect(elsewhere.stdout).to.contain('mixed/deep/bad.yml:5')
    expect(elsewhere.code).to.equal(1)
  })

  it('reads standard input', async () => {
    const piped = (input: string) => runTocsin(['validate', '-'], { input, ownProcess: true })
    expect(await piped(good)).to.include({ code: 0, stdout: 'ok 1 playbook checked\n' })
    const { code, stdout } = await piped(bad)
    expect(code).to.equal(1)
    expect(stdout).to.match(/^<stdin>:5:/m)
  })

  it('handles empty and binary standard input', async () => {
    for (const input of ['', '\0\0\uFFFF', '[[[[[[[[', `a: ${'['.repeat(50_000)}`]) {
      const { code, stdout, stderr } = await validate(['-'], input)
      expect({ code, stderr }, JSON.stringify(input.slice(0, 20))).to.deep.equal({ code: 1, stderr: '' })
      expect(stdout).to.match(/^<stdin>:1:\d+ {2}error E\d+/m)
    }
  })

  it('prints only JSON with --json', async () => {
    const { code, stdout, stderr } = await validate(['--json', 'mixed'])
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' })
    const problems = JSON.parse(stdout) as Record<string, unknown>[]
    expect(problems[0]).to.include({ severity: 'error', line: 5, file: 'mixed/deep/bad.yml' })
    expect(problems[0]).to.include.keys('code', 'message', 'column', 'endLine', 'endColumn')
    expect(await validate(['--json', 'mixed/good.yaml'])).to.include({ code: 0, stdout: '[]\n', stderr: '' })
  })

  it("checks calls against the files in the caller's folder, for a file, a folder, and standard input", async () => {
    const calls = join(folder.path, 'calls')
    await mkdir(calls)
    const callee = good.replace('name: good', 'name: callee').replace('manual', 'call')
    const caller = `${good}  - { call: callee, with: { x: 1 } }\n  - call: caleee\n  - call: nowhere\n`
    await writeFile(join(calls, 'callee.yaml'), callee)
    await writeFile(join(calls, 'good.yaml'), caller)
    for (const [what, path, file] of [
      ['a file', 'calls/good.yaml', 'calls/good.yaml'],
      ['a folder', 'calls', 'calls/good.yaml'],
      ['standard input', '-', '<stdin>'],
    ] as const) {
      const cwd = path === '-' ? calls : folder.path
      const { code, stdout } = await runTocsin(['validate', '--json', path], {
        cwd,
        input: caller,
        ownProcess: true,
      })
      expect(code, what).to.equal(1)
      expect(
        (JSON.parse(stdout) as { file: string; code: string; hint: string }[]).map((problem) => [
          problem.file,
          problem.code,
          problem.hint,
        ]),
        what,
      ).to.deep.equal([
        [file, 'E305', undefined],
        [file, 'E316', "did you mean 'callee'?"],
        [file, 'E316', `it is expected in ${path === '-' ? '' : 'calls/'}nowhere.yaml`],
      ])
    }
  })

  it('names a missing file', async () => {
    const { code, stdout, stderr } = await validate(['mixed/good.yaml', 'nowhere.yaml'])
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.equal(`error there is no file or folder 'nowhere.yaml'\n`)
  })

  it('reports a folder without playbooks and says what a playbook is', async () => {
    const { code, stdout, stderr } = await validate(['empty', '--json'])
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.match(/^error no playbooks in empty\nhint {2}name playbook files <name>\.yaml/)
  })

  it('leaves the file unchanged', async () => {
    expect(await readFile(join(folder.path, 'mixed/deep/bad.yml'), 'utf8')).to.equal(bad)
  })
})
