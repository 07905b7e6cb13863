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

  describe('with an expiry', () => {
    const extend = (id: string, body: unknown, key = analyst) =>
      api.call('POST', `/api/containments/${id}/extend`, { key, body })
    const hour = 3_600_000

    it('are extended to a time, by a time, or left to people', async () => {
      const { containment_id: id, expires_at: none } = await contained()
      expect(none).to.equal(null)
      const now = api.clock.time
      for (const [body, expected] of [
        [{ by: '4h' }, now + 4 * hour],
        [{ by: '30m' }, now + 4.5 * hour],
        [{ until: now + hour }, now + hour],
        [{ until: null }, null],
        [{ by: '1m' }, now + 60_000],
      ] as const) {
        const { status, json } = await extend(id, body)
        expect([status, json.expires_at, json.state], JSON.stringify(body)).to.deep.equal([
          200,
          expected,
          'active',
        ])
      }
      expect((await list())[0]).to.deep.include({ containment_id: id, expires_at: now + 60_000 })
      const audit = await api.call('GET', `/api/audit?subject=${id}`)
      expect(audit.json.data).to.have.length(5)
      expect(audit.json.data[0]).to.deep.include({ action: 'containment.extended' })
    })

    it('show their owner, condition and note', async () => {
      const { action, owner, unless, note } = await contained()
      expect({ owner, unless, note }).to.deep.equal({
        owner: { kind: 'run', id: action.run_uuid, name: action.playbook },
        unless: null,
        note: null,
      })
    })

    it('cannot be extended to the past, too far, or in an unclear way', async () => {
      const { containment_id: id } = await contained()
      const now = api.clock.time
      for (const [body, pointer, says] of [
        [{}, '', 'until or by is required'],
        [{ until: now + hour, by: '1h' }, '/by', 'give until or by, not both'],
        [{ until: now }, '/until', 'must be in the future'],
        [{ until: now - 1 }, '/until', 'must be in the future'],
        [{ until: now + 367 * 24 * hour }, '/until', 'later than 366d from now'],
        [{ by: '366d1s' }, '/by', 'by must be a duration'],
        [{ by: '4 hours' }, '/by', 'did you mean 4h?'],
        [{ by: '0s' }, '/by', 'by must be longer than 0'],
        [{ by: '-1h' }, '/by', 'by must be a duration'],
        [{ by: 4 }, '/by', 'must be'],
        [{ until: 'tomorrow' }, '/until', 'must be'],
        [{ until: 1.5 }, '/until', 'must be'],
        [{ for: '4h' }, '/for', 'not'],
      ] as const) {
        const { status, json } = await extend(id, body)
        expect(status, JSON.stringify(body)).to.equal(400)
        expect(JSON.stringify(json), JSON.stringify(body)).to.include(says).and.include(`"${pointer}"`)
      }
      expect((await list())[0].expires_at).to.equal(null)
    })

    it('cannot be extended while a run undoes them, by readers, or if they do not exist', async () => {
      const { containment_id: id } = await contained()
      expectProblem(
        await extend('00000000-0000-4000-8000-000000000000', { by: '1h' }),
        404,
        'containment_not_found',
      )
      const reader = await api.newKey('reader', ['acme'])
      expectProblem(await extend(id, { by: '1h' }, reader), 403, 'role_insufficient')
      await undo(id)
      expectProblem(await extend(id, { by: '1h' }), 409, 'containment_being_undone')
    })
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

  describe('of a case or a run', () => {
    const undoAll = (path: string, body: object = {}, key = analyst) =>
      api.call('POST', `/api${path}/containments/undo`, { key, body })

    /** A case with this many containments, all of one run. */
    async function containedTwice(paths = ['p', 'q']) {
      const one = await contained()
      const { organizations, stores } = api
      const { run_uuid: run } = one.action
      for (const path of paths) {
        const input = { times: 2 }
        const begun = { path, stepId: path, kind: 'tower.ring_bell', input, startedAt: 1, attempt: 1 }
        await stores.journal.begin(run, { ...begun, destructive: { class: 'containment', input } })
        const contains = { skill: 'tower.ring_bell', input: path === 'q' ? undefined : input }
        await stores.journal.park(run, path, undefined, { connection: null, contains })
      }
      const filter = { runUuid: run }
      const all = await stores.containments.list([organizations['acme']!], { limit: 9 }, filter)
      return { run, caseId: one.case_id as string, ids: all.data.map(({ id }) => id) }
    }
    const codes = (json: any) => json.data.map(({ error }: any) => error?.code ?? 'started')

    it('are undone by a run each, the newest first, and those that cannot be say why', async () => {
      const { run, ids } = await containedTwice()
      const { status, json } = await undoAll(`/runs/${run}`)
      expect([status, json.left, codes(json)]).to.deep.equal([
        200,
        0,
        ['containment_without_undo', 'started', 'started'],
      ])
      expect(json.data.map((each: any) => each.containment_id)).to.deep.equal(ids)
      const [, second] = json.data
      expect(await api.stores.containments.find('all', second.containment_id)).to.deep.include({
        state: 'undoing',
        undoRunUuid: second.run_uuid,
      })
    })

    it('are undone once if two people ask at the same time', async () => {
      const { caseId } = await containedTwice(['p'])
      const answers = await Promise.all(Array.from({ length: 5 }, () => undoAll(`/cases/${caseId}`)))
      const all = answers.flatMap(({ json }) => codes(json))
      expect(all.filter((code) => code === 'started')).to.have.length(2)
      expect(new Set(all)).to.deep.equal(new Set(['started', 'containment_being_undone']))
      const again = await undoAll(`/cases/${caseId}`)
      expect(codes(again.json)).to.deep.equal(['containment_being_undone', 'containment_being_undone'])
    })

    it('are only those that were confirmed', async () => {
      const { caseId, ids } = await containedTwice(['p'])
      const elsewhere = (await containedTwice([])).ids[0]!
      const named = [ids[1]!, elsewhere, 'nonsense']
      const { json } = await undoAll(`/cases/${caseId}`, { containments: named })
      expect(codes(json)).to.deep.equal(['started', 'containment_not_found', 'containment_not_found'])
      expect((await api.stores.containments.find('all', ids[0]!))?.state).to.equal('active')
    })

    it('are not undone for a reader, or for another organization', async () => {
      const { caseId, run } = await containedTwice([])
      const reader = await api.newKey('reader', ['acme'])
      const stranger = await api.newKey('analyst', ['globex'])
      expectProblem(await undoAll(`/cases/${caseId}`, {}, reader), 403, 'role_insufficient')
      expectProblem(await undoAll(`/cases/${caseId}`, {}, stranger), 404, 'case_not_found')
      expectProblem(await undoAll(`/runs/${run}`, {}, stranger), 404, 'run_not_found')
    })
  })
})
