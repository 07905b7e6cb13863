import { expect } from 'chai'
import { startApi, type Api, type Reply } from '../http/support/api.ts'
import { expectFits, expectProblem } from '../http/support/schemas.ts'
import { catalogue, clientSecret, consent, grants, startVendor, type Vendor } from './vendor.ts'

const publicUrl = 'https://tocsin.example'
const callback = '/api/oauth/callback'

describe('sign-ins over the API', () => {
  let vendor: Vendor
  let api: Api

  beforeEach(async () => {
    vendor = await startVendor()
    api = await startApi({ publicUrl }, undefined, catalogue)
    await make('drive')
  })
  afterEach(async () => {
    await vendor.close()
    await api.close()
  })

  const make = async (name: string, more: object = {}) => {
    const settings = { ...vendor.settings, ...more }
    const body = { organization_code: 'acme', name, plugin: 'cloud_drive', settings }
    const reply = await api.call('POST', '/api/connections', { body })
    expect(reply.status, reply.text).to.equal(201)
    return reply
  }
  const get = async () => (await api.call('GET', '/api/connections/drive')).json
  const begin = async (options: object = {}): Promise<Reply> =>
    await api.call('POST', '/api/connections/drive/sign-in', options)
  const complete = (parameters: object, options: object = {}) => {
    const body = { plugin: 'cloud-drive', ...parameters }
    return api.call('POST', callback, { body, ...options })
  }
  const agreed = async (how: 'allow' | 'deny' = 'allow') => {
    const started = await begin()
    expect(started.status, started.text).to.equal(200)
    return (await consent(started.json.authorize_url, how)).parameters
  }
  const actions = async () =>
    (await api.call('GET', '/api/audit')).json.data.map(({ action }: { action: string }) => action)

  it('sends the browser to the vendor with PKCE, and back to an address for the plugin', async () => {
    const { json } = await begin()
    const url = new URL(json.authorize_url)
    expect(`${url.origin}${url.pathname}`).to.equal(`${vendor.url}/oauth/authorize`)
    const { state, code_challenge: challenge, ...others } = Object.fromEntries(url.searchParams)
    expect(others).to.deep.equal({
      access_type: 'offline',
      prompt: 'consent',
      response_type: 'code',
      client_id: 'app-1',
      redirect_uri: `${publicUrl}/oauth/callback/cloud-drive`,
      scope: 'files.read offline_access',
      code_challenge_method: 'S256',
    })
    expect(challenge).to.match(/^[\w-]{43}$/)
    expect(state).to.match(/^[\w-]{43}$/)
    expect(json.redirect_uri).to.equal(others['redirect_uri'])
    expect(json.expires_at).to.equal(api.clock.time + 600_000)
    expect(await actions()).to.include('connection.sign_in_started')
    expect(new URL((await begin()).json.authorize_url).searchParams.get('state')).to.not.equal(state)
  })

  it('shows whether somebody must sign in, and the sign-in', async () => {
    const before = await get()
    expectFits('connection', before)
    expect(before.sign_in).to.deep.include({
      needed: { reason: 'not signed in yet', at: 0 },
      redirect_uri: `${publicUrl}/oauth/callback/cloud-drive`,
      signed_in_at: null,
    })
    expect(before.warnings[0].reason).to.equal('sign-in needed: not signed in yet')
    const broken = async () => (await api.call('GET', '/api/connections?broken=true')).json.total
    expect(await broken()).to.equal(1)

    const reply = await complete(await agreed())
    expect(reply.status, reply.text).to.equal(200)
    expectFits('connection', reply.json)
    expect(reply.json.sign_in).to.deep.include({
      needed: null,
      signed_in_at: api.clock.time,
      signed_in_by: 'admin',
      account: null,
      scope: 'files.read offline_access',
      renewed_at: null,
    })
    expect(reply.json.warnings).to.deep.equal([])
    expect(await broken()).to.equal(0)
    expect(await actions()).to.include('connection.signed_in')
    expect(reply.text).to.not.include('sandbox-access').and.not.include('sandbox-refresh')

    api.authenticate = async () => ({ account: 'ada@example.com' })
    await api.call('POST', '/api/connections/drive/authenticate')
    expect((await get()).sign_in.account).to.equal('ada@example.com')
  })

  it('shows the redirect URI with the plugin, before a connection exists', async () => {
    const { json } = await api.call('GET', '/api/plugins/cloud_drive')
    expect(json.connection.redirect_uri).to.equal(`${publicUrl}/oauth/callback/cloud-drive`)
  })

  it('exchanges a code once', async () => {
    const parameters = await agreed()
    expect((await complete(parameters)).status).to.equal(200)
    expectProblem(await complete(parameters), 409, 'sign_in_unknown')
    expect(grants(vendor)).to.have.length(1)
  })

  it('refuses a state that is wrong, expired, or of another key or session', async () => {
    const parameters = await agreed()
    expectProblem(await complete({ ...parameters, state: 'x'.repeat(43) }), 409, 'sign_in_unknown')
    expectProblem(await complete({ ...parameters, plugin: 'tower' }), 409, 'sign_in_unknown')
    const other = await api.newKey('admin')
    expectProblem(await complete(parameters, { key: other }), 409, 'sign_in_unknown')
    expectProblem(await complete(parameters, await session()), 409, 'sign_in_unknown')
    expect((await complete(parameters)).status, 'not used up by others').to.equal(200)

    const late = await agreed()
    api.clock.time += 600_000
    expectProblem(await complete(late), 409, 'sign_in_unknown')
    expect(grants(vendor)).to.have.length(1)
  })

  const session = async () => {
    const origin = { origin: publicUrl }
    const body = { api_key: api.adminKey }
    const { headers } = await api.call('POST', '/api/session', { key: null, body, headers: origin })
    const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? []
    return { key: null, headers: { cookie, ...origin } }
  }

  it('binds a sign-in to the session of the browser', async () => {
    const mine = await session()
    const started = await begin(mine)
    expect(started.status, started.text).to.equal(200)
    const { parameters } = await consent(started.json.authorize_url)
    expectProblem(await complete(parameters, await session()), 409, 'sign_in_unknown')
    expect((await complete(parameters, mine)).status).to.equal(200)
  })

  it('refuses to start where the browser would come back to another address', async () => {
    await api.close()
    api = await startApi({}, undefined, catalogue)
    await make('drive')
    const other = api.url.replace('127.0.0.1', 'localhost')
    const body = { api_key: api.adminKey }
    const headers = { origin: other, host: new URL(other).host }
    const answer = await fetch(`${other}/api/session`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const [cookie = ''] = answer.headers.get('set-cookie')?.split(';') ?? []
    const started = await fetch(`${other}/api/connections/drive/sign-in`, {
      method: 'POST',
      headers: { ...headers, cookie },
    })
    expect(started.status).to.equal(409)
    const problem = (await started.json()) as { code: string; detail: string; hint: string }
    expect(problem.code).to.equal('sign_in_elsewhere')
    expect(problem.detail).to.include(api.url).and.include(other)
  })

  it('refuses the answer if the connection changed meanwhile', async () => {
    const parameters = await agreed()
    const body = { settings: { note: 'x' } }
    await api.call('PATCH', '/api/connections/drive', { body, headers: { 'if-match': '*' } })
    expectProblem(await complete(parameters), 409, 'revision_changed')
    expect((await get()).sign_in.needed).to.not.equal(null)
  })

  it('shows the error of the vendor as plain text', async () => {
    const denied = await complete(await agreed('deny'))
    expectProblem(denied, 502, 'sign_in_refused')
    expect(denied.json.detail).to.equal('the vendor refused the sign-in: access_denied')
    expect(denied.json.hint).to.include('allow access')
    expect(await actions()).to.include('connection.sign_in_failed')
    expect(grants(vendor)).to.deep.equal([])

    const { state } = await agreed('deny')
    const hostile = '<img src=x onerror=alert(1)>\u202e\u0000\n'.repeat(200)
    const reply = await complete({ state, error: 'server_error', error_description: hostile })
    expectProblem(reply, 502, 'sign_in_refused')
    expect(reply.json.detail).to.have.length.below(400)
    expect(reply.json.detail).to.not.match(/[\n\u0000\u202e]/)
    expect(reply.headers.get('content-type')).to.include('application/problem+json')
  })

  it('refuses an answer without a code', async () => {
    const { state } = await agreed()
    expectProblem(await complete({ state }), 502, 'sign_in_invalid')
  })

  it('reports a code that the vendor refuses, an HTML page and a slow or missing vendor', async () => {
    const parameters = await agreed()
    const refused = await complete({ ...parameters, code: 'another' })
    expectProblem(refused, 502, 'token_refused')
    expect(refused.json.detail).to.include('the code or the refresh token is unknown')

    const second = await agreed()
    vendor.failNext({ status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>Hello</h1>' })
    expectProblem(await complete(second), 502, 'token_unreadable')

    const third = await agreed()
    vendor.failNext('reset')
    expectProblem(await complete(third), 503, 'network_error')
    expect((await get()).sign_in.needed.reason).to.equal('not signed in yet')
  })

  describe('with an issuer', () => {
    beforeEach(async () => {
      await vendor.close()
      vendor = await startVendor({ issuer: 'https://login.example' })
      await api.call('DELETE', '/api/connections/drive', { headers: { 'if-match': '*' } })
      await make('drive', { issuer: 'https://login.example' })
    })

    it('refuses an answer of another server, or of none (RFC 9207)', async () => {
      const { iss, ...parameters } = await agreed()
      expect(iss).to.equal('https://login.example')
      expectProblem(await complete(parameters), 502, 'sign_in_invalid')
      const other = { ...(await agreed()), iss: 'https://evil.example' }
      expectProblem(await complete(other), 502, 'sign_in_invalid')
      expect(grants(vendor)).to.deep.equal([])
      expect((await complete(await agreed())).status).to.equal(200)
    })
  })

  it('sends the client secret in a header if the plugin says so, and none for a public client', async () => {
    await api.call('DELETE', '/api/connections/drive', { headers: { 'if-match': '*' } })
    await make('drive', { send: 'basic' })
    expect((await complete(await agreed())).status).to.equal(200)
    const { body, headers } = vendor.requests.at(-1)!
    expect(body).to.not.include('client_')
    expect(headers['authorization']).to.equal(
      `Basic ${Buffer.from(`app-1:${clientSecret}`).toString('base64')}`,
    )

    await vendor.close()
    vendor = await startVendor({ clientSecret: undefined })
    await api.call('DELETE', '/api/connections/drive', { headers: { 'if-match': '*' } })
    const settings = { base_url: vendor.url, client_id: 'app-1' }
    const publicClient = { organization_code: 'acme', name: 'drive', plugin: 'cloud_drive', settings }
    await api.call('POST', '/api/connections', { body: publicClient })
    expect((await complete(await agreed())).status).to.equal(200)
  })

  it('discards the tokens when the client or an address changes, and keeps them otherwise', async () => {
    await complete(await agreed())
    const patch = async (settings: object) => {
      const body = { settings }
      const reply = await api.call('PATCH', '/api/connections/drive', { body, headers: { 'if-match': '*' } })
      expect(reply.status, reply.text).to.equal(200)
      return reply.json.sign_in.needed
    }
    expect(await patch({ note: 'x' })).to.equal(null)
    expect(await patch({ client_secret: 'another-client-secret' })).to.equal(null)
    expect(await patch({ client_id: 'app-2' })).to.include({ reason: 'not signed in yet' })
    const { data } = (await api.call('GET', '/api/audit?action=connection.changed')).json
    expect(data[0].details).to.include({ signed_out: true })
    const { organizationUuid, uuid } = (await api.stores.connections.list('all'))[0]!
    expect(await api.stores.signIns.open({ organizationUuid, uuid })).to.equal(undefined)
  })

  it('signs out, and revokes the tokens at the vendor', async () => {
    await complete(await agreed())
    const path = '/api/connections/drive/sign-in'
    expect((await api.call('DELETE', path)).json).to.deep.equal({ revoked: true })
    expect(vendor.requests.at(-1)).to.include({ path: '/oauth/revoke' })
    expect((await get()).sign_in.signed_in_at).to.equal(null)
    expectProblem(await api.call('DELETE', path), 404, 'sign_in_not_found')
    expect(await actions()).to.include('connection.signed_out')

    await complete(await agreed())
    vendor.failNext({ status: 503, text: '' })
    expect((await api.call('DELETE', path)).json).to.deep.equal({ revoked: false })
    expect((await get()).sign_in.signed_in_at).to.equal(null)
  })

  it('refuses a plugin without a sign-in', async () => {
    await api.close()
    api = await startApi()
    const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }
    const body = { organization_code: 'acme', name: 'drive', plugin: 'tower', settings }
    await api.call('POST', '/api/connections', { body })
    expectProblem(await begin(), 404, 'sign_in_unsupported')
    expect((await get()).sign_in).to.equal(null)
  })

  it('limits requests to the vendor', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push((await begin()).status)
    expect(statuses.at(-1)).to.equal(429)
  })
})
