import { expect } from 'chai'
import { startApi, type Api, type Reply } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

describe('a key that a person creates for another person', () => {
  let api: Api
  let anna: TestPerson
  let bo: TestPerson

  before(async () => {
    api = await startApi()
    anna = await newPerson(api, 'Anna', ['admin'])
    bo = await newPerson(api, 'Bo', ['analyst'])
  })
  after(() => api.close())

  const createFor = async (owner: TestPerson, role = 'analyst') => {
    const { json, text } = await anna.call('POST', '/api/keys', {
      body: { name: 'k', role, owner: owner.email },
    })
    expect(json.key, text).to.match(/^toc_/)
    return json as { readonly key: string; readonly key_id: string; readonly owner_accepted: boolean }
  }
  const accept = (person: TestPerson, id: string) => person.call('POST', `/api/me/keys/${id}/accept`)

  /** A question that two people must approve, about a run that this key or nobody requested. */
  async function ask(): Promise<string> {
    const queued = { organizationUuid: api.organizations.acme ?? '', playbookName: 'p', playbookHash: 'h' }
    const { uuid } = await api.stores.runs.queue({ ...queued, alertUuid: null })
    await api.stores.runs.start(uuid, { title: 'A case' })
    const approval = {
      rule: { place: 1, name: null },
      needed: 2,
      by: { roles: [], keys: [], accounts: [] },
      escalation: null,
      expiresMs: 60_000,
      inputHash: 'f',
      connection: null,
    }
    const question = { via: 'operator', input: {}, answers: ['approve', 'refuse'], form: null, approval }
    const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 60_000 }
    return (await api.stores.checkpoints.open(uuid, asked)).id
  }
  const body = { answer: 'approve' }
  const approveWith = (key: string, id: string): Promise<Reply> =>
    api.call('POST', `/api/checkpoints/${id}/answer`, { key, body })
  const approveBy = (person: TestPerson, id: string): Promise<Reply> =>
    person.call('POST', `/api/checkpoints/${id}/answer`, { body })
  /** The outcomes of an approval by Anna and of one with the key. */
  const outcomes = async (key: string): Promise<readonly string[]> => {
    const id = await ask()
    return [(await approveBy(anna, id)).json.outcome, (await approveWith(key, id)).json.outcome]
  }

  it('does not count as a second person beside its creator, until its owner accepts it', async () => {
    const made = await createFor(bo)
    expect(made.owner_accepted).to.equal(false)
    expect(await outcomes(made.key)).to.deep.equal(['counted', 'same_person'])
    const accepted = (await accept(bo, made.key_id)).json
    expect(accepted).to.include({ key_id: made.key_id, owner_accepted: true, owner_name: 'Bo' })
    expectProblem(await approveWith(made.key, await ask()), 401, 'key_invalid')
    expect(await outcomes(accepted.key)).to.deep.equal(['counted', 'accepted'])
  })

  it('loses the sessions that its creator started with it, when its owner accepts it', async () => {
    const made = await createFor(bo)
    const signedIn = await api.call('POST', '/api/session', { key: null, body: { api_key: made.key } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const withSession = (): Promise<Reply> =>
      api.call('GET', '/api/alerts', { key: null, headers: { cookie } })
    expect((await withSession()).status).to.equal(200)
    await accept(bo, made.key_id)
    expectProblem(await withSession(), 401, 'session_invalid')
  })

  it('counts as its creator as soon as the creator knows a secret again', async () => {
    const { key_id: id } = await createFor(bo)
    await accept(bo, id)
    const rotated = await anna.call('POST', `/api/keys/${id}/rotate`, { body: {} })
    expect(rotated.json.owner_accepted).to.equal(false)
    expect(await outcomes(rotated.json.key)).to.deep.equal(['counted', 'same_person'])
  })

  it('counts as whoever used it to replace its own secret, or keeps the earlier one for a time', async () => {
    const first = await createFor(anna, 'admin')
    await anna.call('PATCH', `/api/keys/${first.key_id}`, {
      body: { owner: bo.email },
      headers: { 'if-match': '*' },
    })
    const self = await api.call('POST', `/api/keys/${first.key_id}/rotate`, { key: first.key, body: {} })
    expect(await outcomes(self.json.key), 'rotated with itself').to.deep.equal(['counted', 'same_person'])
    const cleo = await newPerson(api, 'Cleo', ['admin'])
    const overlap = await cleo.call('POST', `/api/keys/${first.key_id}/rotate`, {
      body: { overlap_minutes: 5 },
    })
    expect(await outcomes(self.json.key), 'earlier secret').to.deep.equal(['counted', 'same_person'])
    const id = await ask()
    expect((await approveBy(cleo, id)).json.outcome).to.equal('counted')
    expect((await approveWith(overlap.json.key, id)).json.outcome).to.equal('same_person')
  })

  it('does not approve what its creator requested', async () => {
    const made = await createFor(bo)
    const runUuid = await (async () => {
      const { json } = await anna.call('POST', '/api/alerts', {
        body: {
          alert_provider: 'SIEM',
          organization_code: 'acme',
          alert_type: 't',
          alert_content: 'x',
        },
      })
      const { uuid } = await api.stores.runs.queue({
        organizationUuid: api.organizations.acme ?? '',
        playbookName: 'p',
        playbookHash: 'h',
        alertUuid: json.alert_uuid,
      })
      await api.stores.runs.start(uuid, { title: 'A case' })
      return uuid
    })()
    const question = { via: 'operator', input: {}, answers: ['approve', 'refuse'], form: null }
    const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 60_000 }
    const { id } = await api.stores.checkpoints.open(runUuid, asked)
    expectProblem(await approveWith(made.key, id), 403, 'approval_by_requester')
    const accepted = (await accept(bo, made.key_id)).json
    expect((await approveWith(accepted.key, id)).json.outcome).to.equal('accepted')
  })

  it('that requested a run lets its creator approve nothing in it, also once its owner accepts the key', async () => {
    const made = await createFor(bo)
    const sent = { alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't', alert_content: 'y' }
    const { json } = await api.call('POST', '/api/alerts', { key: made.key, body: sent })
    const queued = { organizationUuid: api.organizations.acme ?? '', playbookName: 'p', playbookHash: 'h' }
    const { uuid } = await api.stores.runs.queue({ ...queued, alertUuid: json.alert_uuid })
    await api.stores.runs.start(uuid, { title: 'A case' })
    const question = { via: 'operator', input: {}, answers: ['approve', 'refuse'], form: null }
    const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 60_000 }
    const { id } = await api.stores.checkpoints.open(uuid, asked)
    api.clock.time += 1_000
    await accept(bo, made.key_id)
    expectProblem(await approveBy(anna, id), 403, 'approval_by_requester')
    expectProblem(await approveBy(bo, id), 403, 'approval_by_requester')
    const cleo = await newPerson(api, 'Cleo', ['analyst'])
    expect((await approveBy(cleo, id)).json.outcome).to.equal('accepted')
  })

  it('is accepted only by its owner, who has its permissions and signed in recently', async () => {
    const { key_id: id } = await createFor(bo)
    expectProblem(await accept(anna, id), 404, 'key_not_found')
    const rei = await newPerson(api, 'Rei', ['reader'])
    const machine = await createFor(rei)
    expectProblem(await accept(rei, machine.key_id), 403, 'permission_exceeded')
    expectProblem(
      await api.call('POST', `/api/me/keys/${id}/accept`, { key: machine.key }),
      403,
      'account_needed',
    )
    expect(
      (await rei.call('GET', '/api/me/keys')).json.data.map((each: { key_id: string }) => each.key_id),
    ).to.deep.equal([machine.key_id])
    const late = await newPerson(api, 'Lea', ['analyst'])
    const hers = await createFor(late)
    api.clock.time += 15 * 60_000
    expectProblem(await accept(late, hers.key_id), 403, 'sign_in_not_recent')
    expectProblem(await accept(late, 'nothing'), 403, 'sign_in_not_recent')
  })

  it('cannot be accepted once it is revoked or belongs to somebody else', async () => {
    const ida = await newPerson(api, 'Ida', ['admin'])
    const [gone, moved] = [await createFor(ida), await createFor(ida)]
    await anna.call('DELETE', `/api/keys/${gone.key_id}`)
    await anna.call('PATCH', `/api/keys/${moved.key_id}`, {
      body: { owner: null },
      headers: { 'if-match': '*' },
    })
    for (const { key_id: id } of [gone, moved]) expectProblem(await accept(ida, id), 404, 'key_not_found')
  })
})
