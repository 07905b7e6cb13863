import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('containments over the API', () => {
  let api: Api
  let analyst: string
  let things: ReturnType<typeof thingsOf>

  before(async () => {
    api = await startApi()
    things = thingsOf(api, 'acme')
    analyst = await api.newKey('analyst', ['acme'])
  })
  after(() => api.close())

  const list = async (query = '') =>
    (await api.call('GET', `/api/containments${query}`, { key: analyst })).json.data
  const undo = (id: string) => api.call('POST', `/api/containments/${id}/undo`, { key: analyst })
  async function contained() {
    await things.containment()
    return (await list())[0]
  }

  it('are in the list and in their case, with the reason and what undoes them', async () => {
    const one = await contained()
    expect(one).to.deep.include({
      organization_code: 'acme',
      reason: 'A case',
      state: 'active',
      undone_by: 'tower.ring_bell',
      can_undo: true,
      undo_run_uuid: null,
    })
    expect(one.action).to.deep.include({ skill: 'tower.ring_bell', input: { times: 1 }, outcome: 'accepted' })
    const { json } = await api.call('GET', `/api/cases/${one.case_id}`, { key: analyst })
    expect(json.containments).to.deep.equal([one])
    expect(await list(`?case=${one.case_id}`)).to.deep.equal([one])
    expect(await list('?state=undone')).to.deep.equal([])
  })

  it('are undone by one run, over the same connection and in the same case', async () => {
    const { containment_id: id, connection, case_id: caseId } = await contained()
    const { status, json: run, headers } = await undo(id)
    expect([status, headers.get('location')]).to.deep.equal([201, `/api/runs/${run.run_uuid}`])
    expect(run).to.deep.include({ playbook: 'undo-tower-ring-bell', case_id: caseId })
    const stored = await api.stores.runs.find('all', run.run_uuid)
    expect(stored?.inputs).to.deep.equal({ times: 1 })
    const { json: kept } = await api.call('GET', `/api/playbooks/${stored?.playbookHash}`)
    expect(kept.source).to.include(`connection: "${connection}"`).and.include('retry: { max: 10')
    const [now] = await list()
    expect(now).to.deep.include({ containment_id: id, state: 'undoing', undo_run_uuid: run.run_uuid })
    expectProblem(await undo(id), 409, 'containment_being_undone')
  })

  it('cannot be undone without a known input, or a skill that is installed', async () => {
    const { organizations, stores } = api
    await contained()
    const run = (await list())[0].action.run_uuid
    for (const [path, contains] of [
      ['x', { skill: 'tower.ring_bell', input: undefined }],
      ['y', { skill: 'gone.release', input: { id: 1 } }],
    ] as const) {
      const input = { times: 9 }
      const begun = { path, stepId: path, kind: 'tower.ring_bell', input, startedAt: 1, attempt: 1 }
      await stores.journal.begin(run, { ...begun, destructive: { class: 'containment', input } })
      await stores.journal.park(run, path, undefined, { connection: null, contains })
      const { data } = await stores.containments.list([organizations['acme']!], { limit: 1 }, {})
      expectProblem(await undo(data[0]!.id), 409, 'containment_without_undo')
    }
    expectProblem(await undo('00000000-0000-4000-8000-000000000000'), 404, 'containment_not_found')
  })
})
