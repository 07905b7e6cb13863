import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const canary = 'release-token-4711-canary'

/** `isolate` returns a token, without which `release` is refused. */
const plugin = `
const machine = { type: 'string' }
const base = { title: 'T', description: 'For tests.' }
const object = (properties, required) => ({ type: 'object', additionalProperties: false, required, properties })
const write = { ...base, effect: 'write', repeat: 'safe', destructive: 'containment' }
const token = { type: 'string', 'x-sensitive': true }
export default {
  name: 'edr', title: 'EDR', description: 'For tests.',
  skills: [
    {
      ...write, name: 'isolate', input: object({ machine }, ['machine']), output: object({ token }, ['token']),
      examples: [{ title: 'One', input: { machine: 'a' }, output: { token: 'x' } }],
      run: async () => ({ token: ['release', 'token', '4711', 'canary'].join('-') }),
      undoneBy: { skill: 'release', input: ({ machine }, { token }) => ({ machine, code: token }) },
      stateBy: { skill: 'get', input: ({ machine }) => ({ machine }), contained: () => true, released: () => false },
    },
    {
      ...write, name: 'release', restores: true, input: object({ machine, code: token }, ['machine', 'code']),
      output: object({}, []), examples: [{ title: 'One', input: { machine: 'a', code: 'x' }, output: {} }],
      run: async ({ code }) => {
        if (code !== ['release', 'token', '4711', 'canary'].join('-')) throw new Error('refused')
        return {}
      },
    },
    { ...base, name: 'get', effect: 'read', input: object({ machine }, ['machine']), output: object({}, []), examples: [{ title: 'One', input: { machine: 'a' }, output: {} }], run: async () => ({}) },
  ],
}
`

describe('a sensitive output that the undo of a containment needs', function () {
  this.timeout(120_000)
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ plugin, env: { TOCSIN_LOG_LEVEL: 'debug' } })
    await tocsin.addPlaybook('contain', '- { id: one, uses: edr.isolate, with: { machine: WS-1 } }')
    await tocsin.restart()
  })
  after(() => tocsin?.close())

  it('reaches the other system, and is in no answer, export, log, metric or file', async () => {
    const { body: alert } = await tocsin.investigate({ type: 'contain', content: 'x' })
    const caseId = alert.case_id as string
    const list = async () => (await tocsin.call(`/containments?state=all`)).body.data[0]
    const { containment_id: id, action } = await list()
    const { body: run } = await tocsin.call(`/containments/${id}/undo`, { method: 'POST', body: {} })
    await eventually('the undo', async () => ((await list()).state === 'undone' ? true : undefined))
    const undo = await tocsin.call(`/runs/${run.run_uuid}`)
    expect(undo.body.status).to.equal('completed')
    expect(undo.body.inputs, 'the target stays visible').to.deep.equal({
      machine: 'WS-1',
      code: '[redacted]',
    })
    const paths = [
      `/runs/${run.run_uuid}`,
      `/runs/${run.run_uuid}/steps`,
      `/runs/${action.run_uuid}`,
      '/containments?state=all',
      `/cases/${caseId}`,
      `/cases/${caseId}/export`,
      `/cases/${caseId}/export?format=markdown`,
      '/audit?limit=200',
      `/playbooks/${undo.body.playbook_hash}`,
    ]
    for (const path of paths) {
      const reply = await tocsin.fetch(`/api${path}`)
      expect(reply.status, path).to.equal(200)
      expect(await reply.text(), path).to.not.include(canary)
    }
    expect(await (await tocsin.fetch('/metrics')).text()).to.not.include(canary)
    const folder = join(tocsin.folder, 'data')
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name)).includes(canary), file.name).to.equal(false)
    const { stdout, stderr } = await tocsin.server.stop()
    expect(stdout + stderr, 'the log')
      .to.include('listening')
      .and.to.not.include(canary)
  })
})
