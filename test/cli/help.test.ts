import { expect } from 'chai'
import type { Ended } from '../support/server/hosted-commands.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const commands = [
  ['serve'],
  ['demo'],
  ['sandbox'],
  ['validate'],
  ['test'],
  ['dry-run'],
  ['playbooks'],
  ['playbooks', 'push'],
  ['playbooks', 'pull'],
  ['playbooks', 'diff'],
  ['run'],
  ['skills'],
  ['plugins'],
  ['plugins', 'check'],
  ['new'],
  ['new', 'plugin'],
  ['keys'],
  ['keys', 'create'],
  ['people'],
  ['people', 'invite'],
  ['nodes'],
]

describe('the help of tocsin', () => {
  after(killCommands)

  it('lists every command and says what the exit codes mean', async () => {
    const { code, stdout, stderr } = await runTocsin(['--help'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    for (const [name] of commands) expect(stdout).to.match(new RegExp(`^  ${name}\\b`, 'm'))
    expect(stdout).to.contain('Exit codes: 0').and.contain('docs/configuration.md')
  })

  it('explains each command and its options', async () => {
    await Promise.all(
      commands.map(async (path) => {
        const { code, stdout } = await runTocsin([...path, '--help'])
        expect(code).to.equal(0)
        expect(stdout)
          .to.contain(`Usage: tocsin ${path.join(' ')}`)
          .and.contain('--help')
      }),
    )
  })

  it('has examples where they help', async () => {
    await Promise.all(
      ['serve', 'sandbox', 'validate', 'test', 'skills'].map(async (name) => {
        const { stdout } = await runTocsin(['help', name])
        expect(stdout).to.match(new RegExp(`Examples:\\n(.*\\n)*?  (\\w+=\\S+ )*tocsin ${name}`))
      }),
    )
    expect((await runTocsin(['keys', 'create', '--help'])).stdout).to.contain('$(tocsin keys create ')
  })

  it('is shown as an error without a command', async () => {
    const { code, stdout, stderr } = await runTocsin([], { ownProcess: true })
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
    expect(stderr).to.contain('Usage: tocsin')
  })

  it('prints the version', async () => {
    const { code, stdout } = await runTocsin(['--version'])
    expect(code).to.equal(0)
    expect(stdout).to.match(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('a wrong command line', () => {
  after(killCommands)

  const wrong: readonly (readonly [what: string, args: readonly string[], says: RegExp, hint: RegExp])[] = [
    ['an unknown command', ['valdate'], /unknown command 'valdate'/, /Did you mean validate\?/],
    ['an unknown option', ['validate', '--jsn'], /unknown option '--jsn'/, /Did you mean --json\?/],
    [
      'an unknown option of serve',
      ['serve', '--port', '1'],
      /unknown option '--port'/,
      /tocsin serve --help/,
    ],
    ['too many arguments', ['skills', 'case', 'http'], /too many arguments/, /tocsin skills --help/],
    [
      'a missing argument',
      ['keys', 'create'],
      /missing required argument 'name'/,
      /tocsin keys create --help/,
    ],
    [
      'an unknown role',
      ['keys', 'create', 'x', '--role', 'root'],
      /intake, reader, responder, author, connection_admin, analyst, admin/,
      /--help/,
    ],
    ['invalid days', ['keys', 'create', 'x', '--days', '1e3'], /whole number from 1 to 3650/, /--help/],
    ['an invalid name', ['keys', 'create', ' '], /1 to 200 characters/, /--help/],
    ['a command without a subcommand', ['keys'], /Usage: tocsin keys/, /create/],
  ]
  let ended: readonly Ended[]
  before(async () => {
    ended = await Promise.all(wrong.map(([, args]) => runTocsin(args)))
  })

  for (const [index, [what, , says, hint]] of wrong.entries()) {
    it(`with ${what} exits with 2 and a hint`, () => {
      const { code, stdout, stderr } = ended[index]!
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
      expect(stderr).to.match(says).and.match(hint)
      expect(stderr).not.to.match(/^ +at /m)
    })
  }
})
