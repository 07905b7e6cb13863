import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

const finding = JSON.stringify({
  source: 'aws.guardduty',
  'detail-type': 'GuardDuty Finding',
  detail: {
    accountId: '1',
    region: 'eu-central-1',
    type: 'Recon',
    severity: 2,
    service: {},
    title: 'x',
    id: 'f-1',
  },
})

describe('POST alerts/forward/{organization}/{provider}', () => {
  let api: Api
  const path = '/api/alerts/forward/acme/siem'
  const post = (body: string, to = path, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', to, { body, headers: { 'content-type': 'text/plain', ...headers } })

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('stores the body as it is, with the type of the query', async () => {
    const body = ' { "user" : "käm" }\r\n'
    const reply = await post(body, `${path}?alert_type=odd%20login`)
    expect(reply.status, reply.text).to.equal(201)
    expectFits('alert', reply.json)
    expect(reply.json).to.include({ alert_content: body, alert_type: 'odd login', alert_provider: 'SIEM' })
    expect(reply.headers.get('location')).to.equal(`/api/alerts/${reply.json.alert_id}`)
  })

  it('names the type after the recognized product', async () => {
    expect((await post(finding)).json.alert_type).to.equal('guardduty')
    expect((await post('CEF:0|Acme|Wall|9|1|Scan|7|')).json.alert_type).to.equal('cef')
  })

  it('leaves an alert of an unknown product without a type', async () => {
    expect((await post('{"title":"x"}')).json.alert_type).to.equal(null)
  })

  it('accepts a key of the role intake in the address, and no other key', async () => {
    const of = (key: string) => api.call('POST', `${path}?key=${key}`, { body: 'x', key: null })
    const reply = await of(await api.newKey('intake', ['acme']))
    expect(reply.status, reply.text).to.equal(201)
    expectProblem(await of(api.adminKey), 403, 'role_insufficient')
    expectProblem(await of('toc_nope'), 401, 'key_invalid')
    const list = await api.call('GET', `/api/alerts?key=${await api.newKey('reader')}`, { key: null })
    expectProblem(list, 401, 'key_missing')
    expect(JSON.stringify(api.logged)).to.not.include(api.adminKey.slice(-43))
  })

  it('takes a repeated request once', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    const first = await post(finding, path, headers)
    const second = await post(finding, path, headers)
    expect(second.json.alert_id).to.equal(first.json.alert_id)
    expect(second.headers.get('idempotency-replayed')).to.equal('true')
  })

  const refused: readonly [name: string, body: string, to: string, status: number, code: string][] = [
    ['an empty body', '', path, 400, 'body_missing'],
    ['an unknown organization', 'x', '/api/alerts/forward/nope/siem', 404, 'organization_not_found'],
    ['an unknown provider', 'x', '/api/alerts/forward/acme/nope', 404, 'provider_not_found'],
    ['a type with a line break', 'x', `${path}?alert_type=a%0Ab`, 400, 'query_invalid'],
    ['a larger body than an alert may have', 'x'.repeat(1_048_577), path, 413, 'body_too_large'],
  ]
  for (const [name, body, to, status, code] of refused) {
    it(`refuses ${name}`, async () => {
      expectProblem(await post(body, to), status, code)
    })
  }

  it('refuses a compressed body', async () => {
    expectProblem(await post('x', path, { 'content-encoding': 'gzip' }), 415, 'content_encoding_unsupported')
  })

  it('takes a key of the address once', async () => {
    const key = await api.newKey('intake', ['acme'])
    const reply = await api.call('POST', `${path}?key=${key}&key=${key}`, { body: 'x', key: null })
    expectProblem(reply, 400, 'query_invalid')
    expect(reply.text).to.not.include(key)
  })

  it('refuses bytes that are not UTF-8', async () => {
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.adminKey}` },
      body: new Uint8Array([0xff, 0xfe]),
    })
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([
      400,
      'body_not_utf8',
    ])
  })
})
