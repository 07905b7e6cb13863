import { expect } from 'chai'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type Reply, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/** A plugin whose skill asks with forms and returns the given values. */
const plugin = `const text = { type: 'string' }
const ask = {
  name: 'ask', title: 'Ask', description: 'Asks somebody.', effect: 'write', repeat: 'safe', asks: true,
  input: {
    type: 'object', required: ['checkpoint_id', 'user'], additionalProperties: false,
    properties: { checkpoint_id: text, answers: { type: 'array', items: text }, form: { type: 'object' }, user: text },
  },
  output: { type: 'object', required: ['asked'], properties: { asked: text, given: { type: 'array', items: text } } },
  examples: [{ title: 'One', input: { checkpoint_id: 'a', user: 'kim' }, output: { asked: 'kim' } }],
  run: async (input) => ({ asked: input.user, given: Object.keys(input).sort() }),
}
export default { name: 'bell', title: 'Bell', description: 'Rings.', skills: [ask] }
`

const playbook = (rest = '', form = '') => `apiVersion: tocsin/v1
name: which-machine
on: { manual: true }
steps:
  - id: which
    checkpoint:
      via: bell.ask
      with: { user: kim }
      form:
        type: object
        required: [id, count, code]
        additionalProperties: false
        properties:
          id: { type: string, minLength: 2 }
          count: { type: integer, minimum: 1 }
          code: { type: string, x-sensitive: true }
${form}
      timeout: 1h
      on_timeout: { id: none, count: 1, code: none }
${rest}outputs:
  id: \${{ steps.which.output.answer.id }}
  more: \${{ steps.which.output.answer.count + 1 }}
  code: \${{ steps.which.output.answer.code }}
`

describe('a form of a checkpoint skill', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let server: RunningServer
  let env: Record<string, string>

  const start = async (adminKey?: string) =>
    await startServer({
      dataDir: join(folder.path, 'data'),
      cwd: folder.path,
      env,
      ...(adminKey && { adminKey }),
    })

  before(async () => {
    folder = await makeTemporaryFolder()
    env = { TOCSIN_PLUGINS: './bell.js', TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks') }
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'bell.js'), plugin)
    await writeFile(join(folder.path, 'playbooks/which-machine.yaml'), playbook())
    server = await start()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  /** Polls until the answer is as expected; bounded by the timeout of the test. */
  async function until(path: string, wanted: (body: Reply['body']) => boolean): Promise<Reply['body']> {
    for (;;) {
      const { body } = await server.call(path)
      if (wanted(body)) return body
      await sleep(20)
    }
  }

  it('is checked when its answer is read and when the playbook omits it', async () => {
    const wrong = playbook('  - { if: steps.which.output.answer.idd == "x", return: 1 }\n').replace(
      'on_timeout: { id: none, count: 1',
      'on_timeout: { id: n, count: none',
    )
    await writeFile(join(folder.path, 'wrong.yaml'), wrong)
    const { stdout } = await runTocsin(['validate', 'wrong.yaml'], { cwd: folder.path, env })
    expect(stdout).to.match(/E307 {2}on_timeout\.id: must be at least 2 characters long/)
    expect(stdout).to.match(/E307 {2}on_timeout\.count: must be a whole number/)
    expect(stdout).to.match(/E205 {2}.* has no field 'idd'\n[^]*hint: did you mean id\?/)
  })

  it('is sent, survives a restart, accepts a valid answer, and passes it to the steps', async () => {
    const started = await server.call('/playbooks/which-machine/runs', {
      body: { organization_code: 'main' },
    })
    expect(started.status).to.equal(201)
    const waiting = await until(
      '/checkpoints',
      ({ data }) => data[0]?.reference !== null && data.length === 1,
    )
    const [{ checkpoint_id: id, form, answers, reference }] = waiting.data
    expect(answers).to.equal(null)
    expect(form.required).to.deep.equal(['id', 'count', 'code'])
    // Contains only the id and the form, not the answers.
    expect(reference).to.deep.equal({ asked: 'kim', given: ['checkpoint_id', 'form', 'user'] })

    await server.stop('SIGKILL')
    server = await start(server.adminKey)
    const answer = (value: unknown, text?: string) =>
      server.call(`/checkpoints/${id}/answer`, { body: { answer: value, ...(text && { text }) } })
    const wrong = await answer({ id: 'm', count: 0 })
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'answer_invalid'])
    expect(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer)).to.have.members([
      '/answer/id',
      '/answer/count',
      '/answer/code',
    ])
    expect((await answer('m-7')).status).to.equal(400)

    const code = 'canary-4711'
    const right = await answer({ id: 'm-7', count: 2, code }, `it is ${code}`)
    expect(right.body).to.nested.include({ outcome: 'accepted', 'checkpoint.state': 'answered' })
    expect((await answer({ id: 'm-8', count: 2, code })).body.outcome).to.equal('second')
    const run = await until(
      `/runs/${started.body.run_uuid}`,
      ({ status }) => status !== 'running' && status !== 'waiting',
    )
    expect(run.output).to.deep.equal({ id: 'm-7', more: 3, code: '[redacted]' })
    const asked = await server.call(`/checkpoints/${id}`)
    expect(asked.body.checkpoint.answer.text).to.equal('[redacted]')
    expect(JSON.stringify([right.body, asked.body, run])).to.not.include('canary')
  })
})
