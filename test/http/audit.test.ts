import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('GET audit', () => {
  let api: Api
  const settings = { base_url: 'https://tower.example', api_token: 'canary-token' }

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('lists each action with its actor and the request id that the server logs', async () => {
    const body = { organization_code: 'acme', name: 'north', plugin: 'tower', settings }
    const created = await api.call('POST', '/api/connections', { body })
    const { json } = await api.call('GET', '/api/audit?limit=1')
    const [entry] = json.data
    expect(entry).to.deep.include({
      action: 'connection.created',
      at: api.clock.time,
      actor: { kind: 'api_key', id: api.adminKey.split('_')[1], name: 'admin' },
      request_id: created.headers.get('x-request-id'),
      organization_code: 'acme',
      subject: { kind: 'connection', id: created.json.connection_uuid, name: 'north' },
      details: { plugin: 'tower', settings: ['base_url'], secrets: ['api_token'] },
    })
    expect(json.next_cursor).to.be.a('string')
    expect(json.total).to.equal(entry.sequence)
  })

  it('never shows a secret or the value of a key', async () => {
    const made = await api.call('POST', '/api/keys', { body: { name: 'k', role: 'reader' } })
    const { text } = await api.call('GET', '/api/audit')
    for (const secret of ['canary-token', made.json.key.slice(-43), api.adminKey.slice(-43)])
      expect(text).not.to.contain(secret)
  })

  it('shows an admin of one organization only entries about that organization', async () => {
    const key = await api.newKey('admin', ['globex'])
    const body = { organization_code: 'globex', name: 'south', plugin: 'tower', settings }
    await api.call('POST', '/api/connections', { key, body })
    const { json } = await api.call('GET', '/api/audit', { key })
    const codes = json.data.map((entry: { organization_code: string }) => entry.organization_code)
    expect(new Set(codes)).to.deep.equal(new Set(['globex']))
    expect(json.total).to.equal(3)
    expectProblem(await api.call('GET', '/api/audit?organization=acme', { key }), 400, 'unknown_organization')
  })

  it('filters by action, actor, subject, organization and time', async () => {
    const actions = async (query: string) =>
      (await api.call('GET', `/api/audit?${query}`)).json.data.map(
        (entry: { action: string }) => entry.action,
      )
    expect(await actions('action=connection.created&organization=acme')).to.deep.equal(['connection.created'])
    expect(await actions('actor=nobody')).to.deep.equal([])
    expect(await actions(`after=${api.clock.time + 1}`)).to.deep.equal([])
    expect(await actions(`before=${api.clock.time + 1}&limit=1`)).to.have.length(1)
    expectProblem(await api.call('GET', '/api/audit?action=x'), 400, 'query_invalid')
  })

  it('is read-only: the API cannot add, change or remove entries', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectProblem(await api.call(method, '/api/audit'), 405, 'method_not_allowed')
    }
  })
})
