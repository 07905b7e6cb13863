import { expect } from 'chai'
import { join } from 'node:path'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const plugin = `import { definePlugin, defineSkill } from 'tocsin/plugin'
const domain = { type: 'object', additionalProperties: false, required: ['domain'], properties: { domain: { type: 'string' } } }
const examples = [{ title: 'One', input: { domain: 'a.example' }, output: { domain: 'a.example' } }]
const write = { effect: 'write', repeat: 'safe', destructive: 'blocking', input: domain, output: domain, examples, run: async (input) => input }
export default definePlugin({
  name: 'dns', title: 'DNS', description: 'For tests.',
  skills: [
    defineSkill({ name: 'block', title: 'Block Domain', description: 'Blocks.', undoneBy: { skill: 'allow', input: ({ domain }) => ({ domain }) }, ...write }),
    defineSkill({ name: 'allow', title: 'Allow Domain', description: 'Allows.', restores: true, ...write }),
  ],
})`

describe('an approval rule of the server', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, plugin, env: { TOCSIN_APPROVALS: 'blocking=1' } })
  })
  after(() => tocsin?.close())

  const held = (skill: string) =>
    eventually(`the question about ${skill}`, async () => {
      const { data } = (await tocsin.call('/checkpoints')).body
      return data.find((each: any) => each.input.skill === skill)
    })

  it('also holds back the trial of a skill and the undo of a containment', async () => {
    const tried = await tocsin.call('/skills/dns.block/runs', {
      body: { organization_code: 'main', input: { domain: 'bad.example' }, confirm: 'blocking' },
    })
    expect(tried.status, JSON.stringify(tried.body)).to.equal(201)
    const question = await held('dns.block')
    expect(question.approval).to.deep.include({ rule: { place: 1, name: 'TOCSIN_APPROVALS' }, needed: 1 })
    expect(question.input.message).to.include('Allow Domain (dns.allow) undoes it.')
    const approve = (id: string, key?: string) =>
      tocsin.call(`/checkpoints/${id}/answer`, {
        body: { answer: 'approve' },
        ...(key !== undefined && { key }),
      })
    const own = await approve(question.checkpoint_id)
    expect(own.body.code, 'the administrator tried it').to.equal('approval_by_requester')
    const env = { TOCSIN_DATA_DIR: join(tocsin.folder, 'data') }
    const { stdout } = await runTocsin(['keys', 'create', 'Ana', '--role', 'analyst'], { env })
    const key = /toc_\w{12}_[\w-]{43}/.exec(stdout)?.[0] ?? ''
    expect((await approve(question.checkpoint_id, key)).body.outcome).to.equal('accepted')
    const standing = await eventually('the containment', async () => {
      const { data } = (await tocsin.call('/containments')).body
      return data[0] as { containment_id: string } | undefined
    })
    const undone = await tocsin.call(`/containments/${standing.containment_id}/undo`, { body: {} })
    expect(undone.status, JSON.stringify(undone.body)).to.equal(201)
    const second = await held('dns.allow')
    expect(second.approval.rule).to.deep.equal({ place: 1, name: 'TOCSIN_APPROVALS' })
    expect((await approve(second.checkpoint_id, key)).body.outcome).to.equal('accepted')
    await tocsin.endedRuns(2)
    expect((await tocsin.call('/containments?state=undone')).body.data).to.have.length(1)
  })
})
