import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { newPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

describe('an API key', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi({ trustedProxies: ['127.0.0.1'] })
  })
  afterEach(() => api.close())

  const make = async (body: object) => {
    const { json, text } = await api.call('POST', '/api/keys', {
      body: { name: 'k', role: 'reader', ...body },
    })
    expect(json.key, text).to.match(/^toc_/)
    return json as { readonly key: string; readonly key_id: string; readonly owner: string | null }
  }
  const use = (key: string, address = '192.0.2.1') =>
    api.call('GET', '/api/alerts', { key, headers: { 'x-forwarded-for': address } })

  it('gets a new secret in place, and the earlier one ends at once or after an overlap', async () => {
    const { key, key_id: id } = await make({})
    const rotate = (body: object) => api.call('POST', `/api/keys/${id}/rotate`, { body })
    const second = (await rotate({ overlap_minutes: 10 })).json
    expect(second).to.deep.include({ key_id: id, rotated_at: api.clock.time })
    expect(second.key)
      .to.match(new RegExp(`^toc_${id}_`))
      .and.not.equal(key)
    expect([(await use(key)).status, (await use(second.key)).status]).to.deep.equal([200, 200])
    api.clock.time += 10 * 60_000
    expectProblem(await use(key), 401, 'key_invalid')
    const third = (await rotate({})).json
    expectProblem(await use(second.key), 401, 'key_invalid')
    expect((await use(third.key)).status).to.equal(200)
    await api.call('DELETE', `/api/keys/${id}`)
    expectProblem(await rotate({}), 409, 'key_revoked')
  })

  it('is accepted only from its addresses, behind trusted proxies too', async () => {
    const { key, key_id: id } = await make({
      allowed_addresses: ['192.0.2.7', '10.1.0.0/16', '2001:db8::/32'],
    })
    for (const address of ['192.0.2.7', '10.1.255.1', '2001:db8::7'])
      expect((await use(key, address)).status, address).to.equal(200)
    for (const address of ['192.0.2.8', '10.2.0.1', '2001:db9::7'])
      expectProblem(await use(key, address), 401, 'key_invalid')
    expectProblem(await use(key, '192.0.2.7, 192.0.2.8'), 401, 'key_invalid')
    await api.call('PATCH', `/api/keys/${id}`, {
      body: { allowed_addresses: null },
      headers: { 'if-match': '"1"' },
    })
    expect((await use(key, '192.0.2.8')).status).to.equal(200)
    for (const wrong of ['10.1', 'here', '0.0.0.0/0'])
      expectProblem(
        await api.call('PATCH', `/api/keys/${id}`, {
          body: { allowed_addresses: [wrong] },
          headers: { 'if-match': '*' },
        }),
        400,
        'value_invalid',
      )
  })

  it('has no sessions left when the account of its owner is disabled and enabled again', async () => {
    const anna = await newPerson(api, 'Anna', ['reader'])
    const { key } = await make({ owner: anna.email })
    const signedIn = await api.call('POST', '/api/session', { key: null, body: { api_key: key } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const visit = () => api.call('GET', '/api/alerts', { key: null, headers: { cookie } })
    expect((await visit()).status).to.equal(200)
    for (const change of ['disable', 'enable'])
      expect((await api.call('POST', `/api/accounts/${anna.uuid}/${change}`)).status).to.equal(200)
    expectProblem(await visit(), 401, 'session_invalid')
    expect((await use(key)).status).to.equal(200)
  })

  it('of a person ends with the account, except one that posts alerts', async () => {
    const anna = await newPerson(api, 'Anna', ['admin'])
    const own = await anna.call('POST', '/api/keys', { body: { name: 'mine', role: 'analyst' } })
    expect(own.json.owner).to.equal(anna.uuid)
    const intake = await anna.call('POST', '/api/keys', { body: { name: 'siem', role: 'intake' } })
    expect(intake.json.owner).to.equal(null)
    const given = await make({ owner: anna.email })
    await api.call('POST', `/api/accounts/${anna.uuid}/disable`)
    for (const { key } of [own.json, given]) expectProblem(await use(key), 401, 'key_invalid')
    expect((await api.call('GET', '/api/organizations', { key: intake.json.key })).status).to.equal(200)
    await api.call('POST', `/api/accounts/${anna.uuid}/enable`)
    expect((await use(given.key)).status).to.equal(200)
    const nobody = { body: { owner: 'nobody@example.com' }, headers: { 'if-match': '*' } }
    expectProblem(await api.call('PATCH', `/api/keys/${given.key_id}`, nobody), 404, 'account_not_found')
  })
})
