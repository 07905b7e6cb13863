import { expect } from 'chai'
import { execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

const head = (name: string, on: string) => `apiVersion: tocsin/v1\nname: ${name}\non: { ${on}: true }\n`
const files = {
  'asks.yaml': `${head('asks', 'manual')}steps:
  - id: confirm
    checkpoint: { via: operator, with: { message: Was it you? }, answers: [mine, not_mine], timeout: 1h, on_timeout: none }
  - checkpoint:
      via: operator
      with: { message: Which machine? }
      form: { type: object, required: [id], properties: { id: { type: string } } }
      timeout: 1h
      on_timeout: { id: unknown }
    id: machine
outputs: { answer: "\${{ steps.confirm.output.answer }}", by: "\${{ steps.confirm.output.by }}", id: "\${{ steps.machine.output.answer.id }}" }
`,
  'caller.yaml': `${head('caller', 'manual')}steps: [{ id: sub, call: callee }]
outputs: { answer: "\${{ steps.sub.output.answer }}" }
`,
  'callee.yaml': `${head('callee', 'call')}steps:
  - { id: sure, checkpoint: { via: operator, with: { message: Sure? }, answers: [a, b], timeout: 1h } }
outputs: { answer: "\${{ steps.sure.output.answer }}" }
`,
  'tells.yaml': `${head('tells', 'manual')}steps:
  - id: confirm
    checkpoint: { via: messaging.checkpoint, with: { user: eve@example.com, message: Was it you? }, answers: [mine, not_mine], timeout: 1h, on_timeout: mine }
outputs: { answer: "\${{ steps.confirm.output.answer }}" }
`,
  'none.yaml': 'mocks: {}\n',
  'mocks.yaml': 'mocks: { steps.confirm: { answer: mine }, steps.machine: timeout }\n',
}

describe('questions of tocsin run', function () {
  let folder: TemporaryFolder
  let env: Record<string, string>
  before(async () => {
    folder = await makeTemporaryFolder()
    env = { TOCSIN_DATA_DIR: join(folder.path, 'data') }
    const server = await startServer({ dataDir: join(folder.path, 'data'), cwd: folder.path })
    await server.stop()
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content)
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })
  const run = (...args: string[]) => runTocsin(['run', ...args], { cwd: folder.path, env })
  const outputOf = (stdout: string): unknown =>
    JSON.parse(/output (\{[^]*?\n {4}\})/.exec(stdout)?.[1] ?? 'null')

  it('are answered by --answer: a word, a form as JSON, or a timeout', async () => {
    const answered = await run(
      'asks.yaml',
      '--answer',
      'confirm=not_mine',
      '--answer',
      'machine={"id":"m-7"}',
    )
    expect({ code: answered.code, stderr: answered.stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(outputOf(answered.stdout)).to.deep.equal({ answer: 'not_mine', by: 'analyst', id: 'm-7' })
    const silent = await run('asks.yaml', '--answer', 'confirm=timeout', '--answer', 'machine=timeout')
    expect(outputOf(silent.stdout)).to.deep.equal({ answer: 'none', by: null, id: 'unknown' })
  })

  it('of a called playbook are answered by their path', async () => {
    const { code, stdout } = await run('caller.yaml', '--answer', 'sub/sure=b')
    expect([code, outputOf(stdout)]).to.deep.equal([0, { answer: 'b' }])
  })

  it('are answered by --answer before mocks', async () => {
    const { stdout } = await run('asks.yaml', '--mocks', 'mocks.yaml', '--answer', 'confirm=not_mine')
    expect(outputOf(stdout)).to.deep.equal({ answer: 'not_mine', by: 'analyst', id: 'unknown' })
  })

  it('need no mock for notifications if --answer answers', async () => {
    const { code, stdout } = await run('tells.yaml', '--mocks', 'none.yaml', '--answer', 'confirm=mine')
    expect([code, outputOf(stdout)]).to.deep.equal([0, { answer: 'mine' }])
    const unanswered = await run('tells.yaml', '--mocks', 'none.yaml')
    expect(unanswered.code).to.equal(1)
    expect(unanswered.stdout).to.include('messaging.checkpoint, which is not mocked')
  })

  it('without any source of answers end the command before anything runs', async () => {
    const { code, stdout, stderr } = await run('asks.yaml', '--answer', 'machine=timeout')
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.equal(
      "error the playbook asks people at 'confirm', but there is no terminal to answer\nhint  add --answer confirm=mine (or timeout), or run it in a terminal\n",
    )
    expect((await run('caller.yaml')).stderr).to.include('--answer sub/sure=a')
  })

  it('accept only the offered answers', async () => {
    const of = async (answer: string) => (await run('asks.yaml', '--answer', answer)).stderr
    expect(await of('confirm=mne')).to.match(
      /'mne' is not a valid answer to 'confirm'\nhint {2}answers: mine, not_mine, timeout/,
    )
    expect(await of('confrim=mine')).to.match(/no checkpoint 'confrim'\nhint {2}did you mean confirm/)
    expect(await of('machine={}')).to.match(/the answer to 'machine' is not valid: \/id is missing/)
    expect(await of('confirm')).to.match(/It must be written as step=answer/)
  })

  it('are asked on a terminal until the answer is valid', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) this.skip()
    const tocsin = join(import.meta.dirname, '../../cli/tocsin.js')
    const program = 'script' // of util-linux: a terminal around a command
    const child = spawn(program, ['-qec', `${process.execPath} ${tocsin} run asks.yaml`, '/dev/null'], {
      cwd: folder.path,
      env: { ...env, PATH: process.env['PATH'], TERM: 'dumb', NO_COLOR: '1' },
    })
    const answers = ['mien', 'mine', '{"id":"m-7"}']
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const before = stdout.split('answer: ').length
      stdout += text
      if (stdout.split('answer: ').length > before) child.stdin.write(`${answers.shift()}\n`)
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(stdout).to.include('Was it you?').and.include('answers: mine, not_mine, timeout')
    expect(stdout).to.include("no 'mien' is not a valid answer to 'confirm': did you mean mine?")
    expect([code, outputOf(stdout.replaceAll('\r', ''))]).to.deep.equal([
      0,
      { answer: 'mine', by: 'analyst', id: 'm-7' },
    ])
  })
})
