import { expect } from 'chai'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin new playbook', function () {
  let folder: TemporaryFolder
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  const make = (...args: string[]) =>
    runTocsin(['new', 'playbook', ...args], { env: { TOCSIN_PLAYBOOKS_DIR: folder.path } })
  const holds = async () => (await readdir(folder.path)).toSorted()

  for (const [what, args, says] of [
    ['for the type in its name', [], /type: "odd_sign_in"/],
    [
      'for another type',
      ['--alert', 'it\'s "odd": ${{ x }} #1'],
      /type: "it's \\"odd\\": \$\$\{\{ x \}\} #1"/,
    ],
    ['without an alert', ['--manual'], /on: \{ manual: true \}/],
    ['of an organization', ['--organization', 'acme'], /^organization: acme$/m],
    ['of an organization with a number as code', ['--organization', '007'], /^organization: '007'$/m],
  ] as const) {
    it(`creates one ${what} that validates, with a test of every branch`, async () => {
      const { code, stdout, stderr } = await make('odd-sign-in', ...args)
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.match(/created[^]*odd-sign-in\.yaml[^]*odd-sign-in\.test\.yaml[^]*tocsin test /)
      expect(await holds()).to.deep.equal(['odd-sign-in.test.yaml', 'odd-sign-in.yaml'])
      expect(await readFile(join(folder.path, 'odd-sign-in.yaml'), 'utf8')).to.match(says)
      const file = join(folder.path, 'odd-sign-in.yaml')
      const validated = await runTocsin(['validate', file])
      expect(validated.stdout + validated.stderr).to.match(/^ok 1 playbook checked\n$/)
      expect((await runTocsin(['fmt', '--check', file])).code).to.equal(0)
      const tested = await runTocsin(['test', folder.path, '--min', '100'])
      expect(tested, tested.stdout).to.include({ code: 0 })
      expect(tested.stdout).to.match(/ok 2 tests in 1 file/)
    })
  }

  it('refuses an invalid code of an organization', async () => {
    const { code, stderr } = await make('odd-sign-in', '--organization', 'acme corp')
    expect(code).to.equal(1)
    expect(stderr).to.include("'acme corp' is not a code of an organization")
    expect(await holds()).to.deep.equal([])
  })

  it('overwrites neither the playbook nor its test, even in a subfolder', async () => {
    for (const [taken, path] of [
      ['a.test.yaml', 'a.test.yaml'],
      ['b.yml', 'b.yml'],
      ['team/c.yaml', 'team/c.yaml'],
    ] as const) {
      await mkdir(join(folder.path, 'team'), { recursive: true })
      await writeFile(join(folder.path, taken), 'mine')
      const before = await holds()
      const { code, stderr } = await make(taken.replace(/^team\//, '')[0]!)
      expect(code).to.equal(1)
      expect(stderr).to.include(path).and.include('choose another name, or remove it first')
      expect(await readFile(join(folder.path, taken), 'utf8')).to.equal('mine')
      expect(await holds()).to.deep.equal(before)
    }
  })

  it('refuses an invalid name, suggesting a valid one, and a missing type', async () => {
    for (const [name, says] of [
      ['Odd Sign-in', /e\.g\. odd-sign-in/],
      ['../outside', /e\.g\. outside/],
      ['con', /Windows reserves it/],
      ['-', /unknown option|cannot name a playbook/],
    ] as const) {
      const { code, stderr } = await make(name)
      expect(code, name).to.not.equal(0)
      expect(stderr, name).to.match(says)
    }
    expect((await make('a', '--alert', '')).stderr).to.match(/is not a valid alert type/)
    expect((await make('a', '--alert', 'x', '--manual')).stderr).to.match(/--alert or --manual, not both/)
    expect(await holds()).to.deep.equal([])
  })
})
