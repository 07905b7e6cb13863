import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { printable, printableJson, printableLines } from '../../cli/output/printable.ts'
import { table } from '../../cli/output/table.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import type { Ended } from '../support/server/hosted-commands.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

/** Control and direction characters, which a name or a file could smuggle into a terminal. */
const hostile = '\u001b]0;owned\u0007\u001b[31m\u009b2J\u202egpj.exe\u2066\u200b\r'
// eslint-disable-next-line no-control-regex -- that is what is looked for
const driving = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/

describe('colors', () => {
  after(killCommands)

  const skills = (env: Record<string, string>) => runTocsin(['skills'], { env })

  it('are omitted in a pipe or with NO_COLOR', async () => {
    expect((await skills({})).stdout).not.to.match(driving)
    expect((await skills({ NO_COLOR: '1' })).stdout).not.to.match(driving)
    const refused = await runTocsin(['skills', 'nothing'])
    expect(refused.stderr)
      .to.match(/^error no installed/)
      .and.not.match(driving)
  })

  it('are used with FORCE_COLOR and change nothing else', async () => {
    const { stdout } = await skills({ FORCE_COLOR: '1' })
    expect(stdout).to.contain('\u001b[1mcase.update\u001b[22m ')
    // eslint-disable-next-line no-control-regex -- that is what is taken away
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).to.equal((await skills({})).stdout)
  })

  it('are used on a terminal, but not with NO_COLOR', async function () {
    const tocsin = join(import.meta.dirname, '../../cli/tocsin.js')
    const onTerminal = (setting: string) =>
      promisify(execFile)(
        'script',
        ['-qec', `${setting} ${process.execPath} ${tocsin} skills`, '/dev/null'],
        {
          env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
        },
      )
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) this.skip()
    expect((await onTerminal('')).stdout).to.contain('\u001b[1mcase.update')
    expect((await onTerminal('NO_COLOR=1')).stdout).not.to.contain('\u001b[')
  })
})

describe('hostile names', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    const source = `apiVersion: tocsin/v1\nname: x\non: { manual: true }\nsteps:\n  - uses: "${hostile.replace('\r', '')}"\n`
    await writeFile(join(folder.path, `${hostile}.yaml`), source)
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const cases: Record<string, readonly string[]> = {
    'of a command': [hostile],
    'of an option': ['validate', `--${hostile}`],
    'of a skill': ['skills', hostile],
    'of a file that is missing': ['validate', hostile],
    'of a role': ['keys', 'create', 'x', '--role', hostile],
    'of an organization': ['keys', 'create', 'x', '--organization', hostile],
    'of a key': ['keys', 'create', hostile],
    'of a file, and hostile text in it': ['validate', '.'],
    'of a file, as JSON': ['validate', '.', '--json'],
  }
  let ended: readonly Ended[]
  before(async () => {
    const options = { cwd: folder.path, env: { TOCSIN_DATA_DIR: 'data' } }
    ended = await Promise.all(Object.values(cases).map((args) => runTocsin(args, options)))
  })

  for (const [index, what] of Object.keys(cases).entries()) {
    it(`${what} are escaped on the terminal`, () => {
      const { stdout, stderr } = ended[index]!
      expect(stdout + stderr).not.to.match(driving)
      expect(stdout + stderr).not.to.equal('')
    })
  }

  it('of an environment variable are escaped on the terminal', async () => {
    const { code, stdout, stderr } = await runTocsin(['serve'], { env: { TOCSIN_PORT: hostile } })
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.contain('TOCSIN_PORT').and.not.match(driving)
  })
})

describe('text for a terminal', () => {
  it('is escaped and truncated', () => {
    expect(printable('a\u001b[31m\u202eb\nc')).to.equal('a\\x1b[31m\\u{202e}b\\x0ac')
    expect(printable('x'.repeat(300))).to.equal(`${'x'.repeat(199)}…`)
    expect(printableLines('a\u0007\nb')).to.equal('a\\x07\nb')
  })

  it('as JSON has the same value', () => {
    const value = { [hostile]: [hostile, '\u{e0001}', 'ü€'] }
    expect(printableJson(value)).not.to.match(driving)
    expect(printableJson(value)).to.contain('ü€')
    expect(JSON.parse(printableJson(value))).to.deep.equal(value)
  })

  it('is aligned in columns with or without colors', () => {
    expect(table(['A', 'LONG'], [['\u001b[1mxyz\u001b[22m', '1']])).to.equal(
      'A    LONG\n───  ────\n\u001b[1mxyz\u001b[22m  1',
    )
  })
})
