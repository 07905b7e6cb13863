import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'
import { readEvents } from './support/event-reader.ts'
import { newPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('accounts', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const invite = (body: object, key = api.adminKey) => api.call('POST', '/api/accounts', { body, key })
  const readerOf = (organization_code: string | null) => [{ role: 'reader', organization_code }]
  const lastEntries = async (limit: number) =>
    (await api.stores.audit.list('all', {}, { limit })).data.map(({ action, actor }) => [action, actor])

  it('are created by an administrator, and unique by e-mail address', async () => {
    const reply = await invite({ email: 'anna@example.com', name: 'Anna', roles: readerOf('acme') })
    expect(reply.status, reply.text).to.equal(201)
    expect(reply.json).to.deep.include({
      email: 'anna@example.com',
      name: 'Anna',
      state: 'invited',
      roles: [{ role: 'reader', organization_code: 'acme' }],
      revision: 1,
      joined_at: null,
      disabled_at: null,
    })
    expect(reply.json.created_by).to.include({ kind: 'api_key', name: 'admin' })
    const again = await invite({ email: 'ANNA@example.com', name: 'Anne', roles: readerOf('acme') })
    expectProblem(again, 409, 'account_exists')
    expectProblem(await invite({ email: 'anna', name: 'A', roles: readerOf('acme') }), 400, 'value_invalid')
    expectProblem(await invite({ email: 'b@x', name: 'B', roles: [] }), 400, 'value_invalid')
    const unknown = [{ role: 'king', organization_code: 'acme' }]
    expectProblem(await invite({ email: 'b@x', name: 'B', roles: unknown }), 400, 'value_invalid')
    const twice = [...readerOf('acme'), ...readerOf('ACME')]
    expectProblem(await invite({ email: 'b@x', name: 'B', roles: twice }), 400, 'value_invalid')
  })

  it('give no more than an administrator of some organizations has', async () => {
    const scoped = await api.newKey('admin', ['acme'])
    const all = { email: 'b@example.com', name: 'B', roles: readerOf(null) }
    expectProblem(await invite(all, scoped), 403, 'key_is_scoped')
    const foreign = { email: 'b@example.com', name: 'B', roles: readerOf('globex') }
    expectProblem(await invite(foreign, scoped), 400, 'unknown_organization')
    const { json } = await invite({ ...foreign, roles: [...readerOf('acme'), ...readerOf('globex')] })
    const path = `/api/accounts/${json.account_uuid}`
    expectProblem(await api.call('GET', path, { key: scoped }), 404, 'account_not_found')
    expectProblem(await api.call('POST', `${path}/disable`, { key: scoped }), 404, 'account_not_found')
  })

  it('act under the name of the person', async () => {
    const anna = await newPerson(api, 'Anna', ['analyst', 'acme'])
    const actor = { kind: 'account', id: anna.uuid, name: 'Anna' }
    const { case: [id] = [] } = await thingsOf(api, 'acme').case()
    const note = await anna.call('POST', `/api/cases/${id}/notes`, { body: { text: 'Seen' } })
    expect(note.status, note.text).to.equal(201)
    const { json } = await anna.call('GET', `/api/cases/${id}`)
    expect(json.timeline.at(-1).actor).to.deep.equal(actor)
    const { checkpoint: [question] = [] } = await thingsOf(api, 'acme').checkpoint()
    const answer = await anna.call('POST', `/api/checkpoints/${question}/answer`, { body: { answer: 'yes' } })
    expect(answer.json.checkpoint.answer).to.deep.include({ by: 'Anna', actor })
    expect(await lastEntries(1)).to.deep.equal([['checkpoint.answered', actor]])
  })

  it('have a role per organization', async () => {
    const anna = await newPerson(api, 'Anna', ['analyst', 'acme'], ['reader', 'globex'])
    const [own, other] = [await thingsOf(api, 'acme').case(), await thingsOf(api, 'globex').case()]
    const patch = (id: string | undefined) =>
      anna.call('PATCH', `/api/cases/${id}`, { body: { title: 'x' }, headers: { 'if-match': '*' } })
    expect((await patch(own.case?.[0])).status).to.equal(200)
    expectProblem(await patch(other.case?.[0]), 404, 'case_not_found')
    expect((await anna.call('GET', `/api/cases/${other.case?.[0]}`)).status).to.equal(200)
    expect((await anna.call('GET', '/api/cases')).json.total).to.equal(2)
    expectProblem(await anna.call('GET', '/api/keys'), 403, 'role_insufficient')
    expect((await anna.call('GET', '/api/me')).json).to.deep.include({
      key_id: null,
      name: 'Anna',
      roles: [
        { role: 'analyst', organization_codes: ['acme'] },
        { role: 'reader', organization_codes: ['globex'] },
      ],
    })
    expect((await anna.call('GET', '/api/session')).json).to.deep.include({
      key_id: anna.uuid,
      key_name: 'Anna',
      role: 'analyst',
      organization_codes: ['acme', 'globex'],
    })
  })

  it('act nowhere once they are disabled: sessions and streams end at once', async () => {
    const anna = await newPerson(api, 'Anna', ['admin'])
    const stream = await readEvents(`${api.url}/api/events`, { cookie: anna.cookie })
    await stream.count(1)
    const { json } = await api.call('POST', `/api/accounts/${anna.uuid}/disable`)
    expect(json).to.deep.include({ state: 'disabled', disabled_at: api.clock.time })
    await stream.over()
    expectProblem(await anna.call('GET', '/api/me'), 401, 'session_invalid')
    expect((await api.call('POST', `/api/accounts/${anna.uuid}/enable`)).json.state).to.equal('active')
    // A session does not come back.
    expectProblem(await anna.call('GET', '/api/me'), 401, 'session_invalid')
  })

  it('lose a role with the next request, and their streams reconnect', async () => {
    const anna = await newPerson(api, 'Anna', ['admin'])
    const stream = await readEvents(`${api.url}/api/events`, { cookie: anna.cookie })
    await stream.count(1)
    const body = { roles: readerOf('acme') }
    const path = `/api/accounts/${anna.email}`
    expectProblem(await api.call('PATCH', path, { body }), 428, 'precondition_required')
    const { status } = await api.call('PATCH', path, { body, headers: { 'if-match': '"1"' } })
    expect(status).to.equal(200)
    await stream.over()
    expectProblem(await anna.call('GET', '/api/keys'), 403, 'role_insufficient')
    expect((await anna.call('GET', '/api/cases')).status).to.equal(200)
  })

  it('keep what the person did: open runs, answers and notes stay', async () => {
    const anna = await newPerson(api, 'Anna', ['analyst', 'acme'])
    const { run: [run] = [] } = await thingsOf(api, 'acme').run()
    const { checkpoint: [question] = [] } = await thingsOf(api, 'acme').checkpoint()
    await anna.call('POST', `/api/checkpoints/${question}/answer`, { body: { answer: 'yes' } })
    await api.call('POST', `/api/accounts/${anna.uuid}/disable`)
    const { json } = await api.call('GET', `/api/checkpoints/${question}`)
    expect(json.checkpoint.answer.actor).to.include({ kind: 'account', name: 'Anna' })
    expect((await api.call('GET', `/api/runs/${run}`)).json.status).to.not.equal('cancelled')
  })

  it('that are the last administrator cannot be disabled or lose the role', async () => {
    const anna = await newPerson(api, 'Anna', ['admin'])
    await api.stores.keys.revoke(api.adminKey.split('_')[1] ?? '', {
      kind: 'server',
      id: 's',
      name: 's',
      requestId: null,
    })
    const disable = await anna.call('POST', `/api/accounts/${anna.uuid}/disable`)
    expectProblem(disable, 409, 'last_admin_account')
    const headers = { 'if-match': '*' }
    const change = await anna.call('PATCH', `/api/accounts/${anna.uuid}`, {
      body: { roles: readerOf(null) },
      headers,
    })
    expectProblem(change, 409, 'last_admin_account')
  })

  it('record their last use', async () => {
    const anna = await newPerson(api, 'Anna', ['reader'])
    await anna.call('GET', '/api/me')
    const used = await eventually('the use', async () => {
      const account = await api.stores.accounts.find(anna.uuid)
      return account?.lastUsedAt ?? undefined
    })
    expect(used).to.equal(api.clock.time)
  })
})
