import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const contain = `
- id: one
  uses: sentinelone.disconnect_agent
  with: { agent_id: '1234567890123456789' }
- id: two
  uses: sentinelone.block_hash
  with: { sha1: cccccccccccccccccccccccccccccccccccccccc, comment: Case 12 }
`

describe('the undo of all containments of a case', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'sentinelone',
      env: { TOCSIN_DESTRUCTIVE_PER_HOUR: 'containment=1,blocking=2' },
    })
    await tocsin.addPlaybook('contain', contain)
    await tocsin.restart()
    expect((await tocsin.connect('S1')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  const containments = async (caseId: string) =>
    (await tocsin.call(`/containments?case=${caseId}&state=all`)).body.data as any[]

  it('starts a run for each, of which the one over the hourly limit waits for an approval', async () => {
    const { body: alert } = await tocsin.investigate({ type: 'contain', content: 'x' })
    const caseId = alert.case_id as string
    expect((await containments(caseId)).map(({ state }) => state)).to.deep.equal(['active', 'active'])
    const made = await tocsin.call('/keys', { method: 'POST', body: { name: 'lee', role: 'analyst' } })
    const { key } = made.body as { readonly key: string }
    const undo = { method: 'POST', body: {}, key }
    const { body } = await tocsin.call(`/cases/${caseId}/containments/undo`, undo)
    expect(body.data.map(({ error }: any) => error)).to.deep.equal([null, null])
    const held = await eventually('the undo', async () => {
      const { data } = (await tocsin.call('/checkpoints')).body
      const states = (await containments(caseId)).map(({ state }) => state)
      return data.length === 1 && states.includes('undone') ? data[0] : undefined
    })
    expect(held.path).to.match(/@approval$/)
    expect(body.data.map((each: any) => each.run_uuid)).to.include(held.run_uuid)
    expect((await containments(caseId)).map(({ state }) => state)).to.have.members(['undone', 'undoing'])
    const own = { method: 'POST', body: { answer: 'approve' } }
    const refused = await tocsin.call(`/checkpoints/${held.checkpoint_id}/answer`, { ...own, key })
    expect(refused.body.code, 'who asked for the undo').to.equal('approval_by_requester')
    const answered = await tocsin.call(`/checkpoints/${held.checkpoint_id}/answer`, own)
    expect(answered.status, JSON.stringify(answered.body)).to.equal(200)
    const ended = await eventually('the undo', async () => {
      const all = await containments(caseId)
      return all.every(({ state }) => state === 'undone') ? all : undefined
    })
    expect(ended.map(({ ended_by: by }) => by)).to.deep.equal(['call', 'call'])
    const { body: exported } = await tocsin.call(`/cases/${caseId}/export`)
    expect(exported.case.containments).to.have.length(2)
  })
})
