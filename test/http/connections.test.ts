import { expect } from 'chai'
import { join } from 'node:path'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { ConnectionError } from '../../core/plugin/index.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { times } from '../support/random.ts'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

describe('connections', () => {
  let api: Api
  const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }

  beforeEach(async () => {
    api = await startApi()
    await make('acme', 'North tower')
  })
  afterEach(() => api.close())

  const make = async (organization_code: string, name: string) => {
    const body = { organization_code, name, plugin: 'tower', settings }
    const reply = await api.call('POST', '/api/connections', { body })
    expect(reply.status, reply.text).to.equal(201)
    return reply.json
  }
  const path = (name: string, rest = '') => `/api/connections/${encodeURIComponent(name)}${rest}`
  const patch = (name: string, body: unknown, query = '') =>
    api.call('PATCH', path(name, query), { body, headers: { 'if-match': '*' } })
  const stored = async () => {
    const open = await api.stores.connections.open(api.organizations['acme'] ?? '', 'north tower')
    return {
      ...open?.connection.settings,
      api_token: open?.secrets['api_token']?.reveal(),
      enabled: open?.connection.enabled,
    }
  }

  describe('PATCH', () => {
    it('disables and enables a connection without other changes', async () => {
      api.clock.time += 5
      const reply = await patch('NORTH tower', { enabled: false })
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.json).to.include({ name: 'North tower', enabled: false, modified_at: api.clock.time })
      expectFits('connection', reply.json)
      expect(await stored()).to.deep.equal({ ...settings, enabled: false })
      expect((await patch('North tower', { enabled: true })).json.enabled).to.equal(true)
    })

    it('replaces one secret and shows none', async () => {
      const reply = await patch('North tower', { settings: { api_token: 'canary-next' } })
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.text).to.not.include('canary')
      expect(await stored()).to.deep.equal({ ...settings, api_token: 'canary-next', enabled: true })
    })

    it('refuses a new origin unless every secret is given again', async () => {
      for (const base_url of ['https://evil.example', 'http://tower.example', 'https://tower.example:8443']) {
        const reply = await patch('North tower', { settings: { base_url } })
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal('/settings/api_token')
      }
      expect(await stored()).to.deep.equal({ ...settings, enabled: true })
      const below = { base_url: 'https://tower.example/v2' }
      expect((await patch('North tower', { settings: below })).status, 'the same origin').to.equal(200)
      const moved = { base_url: 'https://south.example', api_token: 'canary-moved' }
      expect((await patch('North tower', { settings: moved })).status).to.equal(200)
      expect(await stored()).to.deep.equal({ ...moved, enabled: true })
    })

    it('refuses a new proxy or authority unless every secret is given again', async () => {
      const network_proxy = 'http://proxy.example:3128'
      const refused = await patch('North tower', { settings: { network_proxy } })
      expectProblem(refused, 400, 'value_invalid')
      expect(refused.json.errors[0].pointer).to.equal('/settings/api_token')
      expect(refused.json.errors[0].message).to.include('or the way to it changes')
      const entered = { network_proxy, network_proxy_password: 'canary-proxy', api_token: 'canary-again' }
      const { status, json, text } = await patch('North tower', { settings: entered })
      expect(status, text).to.equal(200)
      expect(json.settings).to.deep.equal({ base_url: settings.base_url, network_proxy })
      expect(text).to.not.include('canary')
      expect(await stored()).to.include({ network_proxy, api_token: entered.api_token })
      const direct = { network_proxy: null, network_proxy_password: null }
      expect((await patch('North tower', { settings: direct })).status, 'without a proxy').to.equal(200)
    })

    it('refuses a new path on the same origin unless every secret is given again', async () => {
      const at = (base_url: string, more = {}) => patch('North tower', { settings: { base_url, ...more } })
      expect((await at('https://tower.example/a', { api_token: 'canary-a' })).status).to.equal(200)
      for (const other of ['/b', '/ab', '/a/..%2fb', '/a/..%252fb', '/a/..;/b', '']) {
        const reply = await at(`https://tower.example${other}`)
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer, other).to.match(/^\/settings/)
      }
      expect((await at('https://tower.example/a/v2')).status, 'further below').to.equal(200)
      expect((await at('https://tower.example/b', { api_token: 'canary-b' })).status).to.equal(200)
    })

    it('merges two concurrent changes and never restores a replaced secret', async () => {
      for (let round = 0; round < times(5); round++) {
        const given = { base_url: `https://tower.example/v${round}`, api_token: `canary-${round}` }
        await patch('North tower', { settings: { ...given, base_url: 'https://tower.example' } })
        const changes = [
          { settings: { base_url: given.base_url } },
          { settings: { api_token: 'canary-next' } },
          { enabled: false },
        ]
        const replies = await Promise.all(changes.map((body) => patch('North tower', body)))
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200])
        const expected = { base_url: given.base_url, api_token: 'canary-next', enabled: false }
        expect(await stored()).to.deep.equal(expected)
        await patch('North tower', { enabled: true, settings: { ...settings } })
      }
    })

    it('refuses a blocked address, as POST does', async () => {
      const unusable = { ...settings, base_url: 'https://kim:canary@tower.example' }
      const body = { organization_code: 'acme', name: 'West tower', plugin: 'tower', settings: unusable }
      for (const reply of [
        await patch('North tower', { settings: unusable }),
        await api.call('POST', '/api/connections', { body }),
      ]) {
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal('/settings')
        expect(reply.text).to.not.include('canary')
      }
      expect(await stored()).to.deep.equal({ ...settings, enabled: true })
    })

    it('refuses a secret too short to redact, as POST does', async () => {
      const short = { ...settings, api_token: 'x1' }
      const body = { organization_code: 'acme', name: 'East tower', plugin: 'tower', settings: short }
      for (const reply of [
        await patch('North tower', { settings: { api_token: 'x1' } }),
        await api.call('POST', '/api/connections', { body }),
      ]) {
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal('/settings/api_token')
      }
    })

    it('validates settings by the schema of the plugin', async () => {
      for (const [given, pointer] of [
        [{ base_url: 'nowhere' }, '/settings/base_url'],
        [{ api_token: null }, '/settings/api_token'],
        [{ token: 'canary' }, '/settings/token'],
        [JSON.parse('{"__proto__":{"base_url":"https://evil.example"}}'), '/settings/__proto__'],
      ] as const) {
        const reply = await patch('North tower', { settings: given })
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal(pointer)
        expect(reply.text).to.not.include('canary')
      }
      for (const body of [{}, { name: 'x' }, { enabled: 'no' }, { organization_uuid: 'x' }]) {
        expectProblem(await patch('North tower', body), 400, 'value_invalid')
      }
    })

    it('replaces a secret that can no longer be decrypted', async () => {
      const database = new SqliteConnection(join(api.dataDir, 'tocsin.db'))
      database.run('UPDATE connection_secrets SET sealed = zeroblob(60)')
      database.close()
      await new Promise((resolve) => setImmediate(resolve))
      expectProblem(await patch('North tower', { settings: {} }), 400, 'value_invalid')
      const reply = await patch('North tower', { settings: { api_token: 'canary-anew' } })
      expect(reply.status, reply.text).to.equal(200)
      expect((await stored()).api_token).to.equal('canary-anew')
    })
  })

  describe('GET', () => {
    it('returns one connection to every reader, without its secrets', async () => {
      const reader = await api.newKey('reader')
      const reply = await api.call('GET', path('north TOWER'), { key: reader })
      expect(reply.status, reply.text).to.equal(200)
      expectFits('connection', reply.json)
      expect(reply.json).to.deep.include({
        name: 'North tower',
        settings: { base_url: settings.base_url },
        credential_age_days: 0,
        broken: null,
        last_failure: null,
        warnings: [],
      })
      expect((await api.call('GET', '/api/connections', { key: reader })).json.data).to.deep.equal([
        reply.json,
      ])
      expect(reply.text).to.not.include('canary')
      expectProblem(await api.call('GET', path('nowhere'), { key: reader }), 404, 'connection_not_found')
    })

    it('warns about credentials that are 90 days old until they are replaced', async () => {
      const day = 86_400_000
      const made = api.clock.time
      const get = async () => (await api.call('GET', path('North tower'))).json
      api.clock.time += 90 * day - 1
      expect(await get()).to.deep.include({ credential_age_days: 89, warnings: [] })
      api.clock.time += 1
      const old = await get()
      expectFits('connection', old)
      expect(old).to.deep.include({
        credential_age_days: 90,
        warnings: [
          { reason: 'the credentials are 90 days old; replace them every 90 days', at: made + 90 * day },
        ],
      })
      for (const same of [{ base_url: 'https://tower.example/v2' }, { api_token: settings.api_token }]) {
        expect((await patch('North tower', { settings: same })).json.credential_age_days).to.equal(90)
      }
      const anew = await patch('North tower', { settings: { api_token: 'canary-next' } })
      expect(anew.json).to.deep.include({ credential_age_days: 0, warnings: [] })
    })
  })

  describe('POST rotate-token', () => {
    it('replaces the token of this connection only and refuses the old one at once', async () => {
      const tokenOf = async (name: string) =>
        ((await api.call('GET', path(name, '/manifest'))).json.url as string).split('token=')[1] ?? ''
      const send = (token: string) =>
        api.call('POST', `/api/webhooks/tower/v1/rope?token=${token}`, { key: null, body: { pull: true } })
      const body = {
        organization_code: 'acme',
        name: 'Elsewhere',
        plugin: 'tower',
        settings,
      }
      expect((await api.call('POST', '/api/connections', { body })).status).to.equal(201)
      const [old, other] = [await tokenOf('North tower'), await tokenOf('Elsewhere')]
      expect((await send(old)).status).to.equal(200)
      const reply = await api.call('POST', path('North tower', '/rotate-token'))
      expect(reply.status, reply.text).to.equal(200)
      const token = await tokenOf('North tower')
      expect(token).to.have.length(43).and.not.equal(old)
      expectProblem(await send(old), 401, 'webhook_refused')
      expect((await send(token)).status).to.equal(200)
      expect(await tokenOf('Elsewhere')).to.equal(other)
      for (const secret of [old, token]) expect(reply.text).not.to.contain(secret)
      const audit = await api.call('GET', '/api/audit?action=connection.token_rotated')
      expect(audit.json.data.map(({ subject }: { subject: { name: string } }) => subject.name)).to.deep.equal(
        ['North tower'],
      )
      expect(audit.text).not.to.contain(token)
    })
  })

  describe('GET manifest', () => {
    const manifestOf = async (of: Api) => (await of.call('GET', path('North tower', '/manifest'))).json

    it('contains the addresses with the token of this connection', async () => {
      const reply = await api.call('GET', path('north tower', '/manifest'))
      expect(String(reply.headers.get('tocsin-warning')), 'the address of this machine').to.include(
        'TOCSIN_PUBLIC_URL',
      )
      expect(reply.status, reply.text).to.equal(200)
      const { name, url } = reply.json
      expect(name).to.equal('North tower')
      const { origin, pathname, searchParams } = new URL(url)
      expect(origin + pathname).to.equal(`${api.url}/api/webhooks/tower/v1/rope`)
      const open = await api.stores.connections.openByEventsToken(searchParams.get('token') ?? '')
      expect(open?.connection.name).to.equal('North tower')
      expect(await manifestOf(api), 'the same each time').to.deep.equal(reply.json)
    })

    it('uses the public address of the server', async () => {
      const behind = await startApi({ publicUrl: 'https://tocsin.example', apiPrefix: 'v7' })
      const body = { organization_code: 'acme', name: 'North tower', plugin: 'tower', settings }
      await behind.call('POST', '/v7/connections', { body })
      const { url } = (await behind.call('GET', '/v7/connections/north%20tower/manifest')).json
      await behind.close()
      expect(url).to.match(/^https:\/\/tocsin\.example\/v7\/webhooks\/tower\/v1\/rope\?token=[\w-]{43}$/)
    })

    it('requires the admin role, and its token is in no other response and no log line', async () => {
      const [, token = ''] = (await manifestOf(api)).url.split('token=')
      const analyst = await api.newKey('analyst')
      expectProblem(
        await api.call('GET', path('North tower', '/manifest'), { key: analyst }),
        403,
        'role_insufficient',
      )
      const answers = [
        await api.call('GET', '/api/connections'),
        await patch('North tower', { enabled: true }),
      ]
      for (const { text } of answers) expect(text).to.not.include(token)
      expect(JSON.stringify(api.logged)).to.not.include(token)
    })
  })

  describe('DELETE', () => {
    it('deletes the connection with its secrets and returns it', async () => {
      const reply = await api.call('DELETE', path('north tower'))
      expect(reply.status).to.equal(200)
      expect(reply.json).to.include({ name: 'North tower', plugin: 'tower' })
      expect((await api.call('GET', '/api/connections')).json.total).to.equal(0)
      expectProblem(await api.call('DELETE', path('north tower')), 404, 'connection_not_found')
      await make('acme', 'north TOWER')
    })
  })

  describe('POST authenticate', () => {
    const authenticate = (name: string) => api.call('POST', path(name, '/authenticate'))

    it('answers ok if the other system accepts the credentials, even for a disabled connection', async () => {
      let seen: string | undefined
      api.authenticate = async (open) => {
        seen = `${open.connection.plugin} ${open.secrets['api_token']?.reveal()}`
        return {}
      }
      await patch('North tower', { enabled: false })
      const reply = await authenticate('north tower')
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.json).to.deep.equal({ status: 'ok', checked_at: api.clock.time, warning: null })
      expect(seen).to.equal('tower canary-secret')
    })

    it('limits its requests per connection and per organization', async () => {
      let asked = 0
      api.authenticate = async () => {
        asked++
        return {}
      }
      await make('globex', 'South tower')
      for (let n = 0; n < 10; n++) expect((await authenticate('north tower')).status).to.equal(200)
      const refused = await authenticate('north tower')
      expectProblem(refused, 429, 'too_many_requests')
      expect(refused.headers.get('retry-after')).to.equal('6')
      expect(asked).to.equal(10)
      expect((await authenticate('south tower')).status, 'another connection').to.equal(200)
      api.clock.time += 6_000
      expect((await authenticate('north tower')).status, 'later').to.equal(200)
      for (let n = 0; n < 10; n++) await make('acme', `Tower ${n}`)
      const statuses: number[] = []
      for (let n = 0; n < 50; n++) statuses.push((await authenticate(`tower ${n % 10}`)).status)
      expect(statuses.filter((status) => status === 200).length).to.be.within(25, 35)
      expect((await authenticate('south tower')).status, 'of another organization').to.equal(200)
    })

    it('warns about future problems', async () => {
      api.authenticate = async () => ({ account: 'tower T1' })
      expect((await authenticate('north tower')).json).to.deep.equal({
        status: 'ok',
        checked_at: api.clock.time,
        warning: null,
        account: 'tower T1',
      })
      api.authenticate = async () => ({ warning: 'the bell wants oil' })
      expect((await authenticate('north tower')).json).to.include({
        status: 'ok',
        warning: 'the bell wants oil',
      })
    })

    it('adds its result to the warnings until it succeeds', async () => {
      const warning = 'the token ends on 2027-02-01: make another one'
      const warningsOf = async () => (await api.call('GET', path('North tower'))).json.warnings
      api.authenticate = async () => ({ warning })
      await authenticate('north tower')
      expect(await warningsOf()).to.deep.equal([{ reason: warning, at: api.clock.time }])
      api.authenticate = async () => ({})
      await authenticate('north tower')
      expect(await warningsOf()).to.deep.equal([])
    })

    it('describes what is wrong', async () => {
      api.authenticate = () =>
        Promise.reject(new ConnectionError('http_401', 'the tower says no', { hint: 'ask the bell ringer' }))
      const reply = await authenticate('north tower')
      expectProblem(reply, 502, 'http_401')
      expect(reply.json).to.include({ detail: 'the tower says no', hint: 'ask the bell ringer' })
      const failure = { code: 'http_401', at: api.clock.time }
      const shown = async () => (await api.call('GET', path('North tower'))).json
      const filtered = async (broken: string) =>
        (await api.call('GET', `/api/connections?broken=${broken}`)).json.data.some(
          (each: { name: string }) => each.name === 'North tower',
        )
      expect((await shown()).last_failure).to.deep.equal(failure)
      expect([await filtered('true'), await filtered('false')]).to.deep.equal([true, false])
      expect((await shown()).warnings).to.deep.equal([
        {
          reason: 'the other system refused its last use (http_401): test the connection for details',
          at: failure.at,
        },
      ])
      api.authenticate = async () => ({})
      await authenticate('north tower')
      expect(await shown()).to.deep.include({ last_failure: null, warnings: [] })
      expect([await filtered('true'), await filtered('false')]).to.deep.equal([false, true])
    })

    it('does not answer 403 if the connection may not reach its address', async () => {
      api.authenticate = () =>
        Promise.reject(new ForbiddenError('egress_forbidden', 'not there', { hint: 'list it' }))
      const reply = await authenticate('north tower')
      expectProblem(reply, 502, 'egress_forbidden')
      expect(reply.json).to.include({ detail: 'not there', hint: 'list it' })
    })

    it('is in the audit log even if it fails, as are reads of the manifest', async () => {
      const found = async () => {
        const { data } = (await api.call('GET', '/api/audit?limit=3&actor=admin')).json
        return data.map(({ action, subject, details }: any) => [action, subject.name, details])
      }
      api.authenticate = () => Promise.reject(new ConnectionError('http_401', 'the tower says no: canary'))
      await authenticate('north tower')
      await api.call('GET', path('north tower', '/manifest'))
      expect((await found()).slice(0, 2)).to.deep.equal([
        ['connection.manifest_read', 'North tower', { plugin: 'tower' }],
        ['connection.authentication_failed', 'North tower', { plugin: 'tower', code: 'http_401' }],
      ])
    })
  })

  it('are found by uuid or name, which needs an organization if it is ambiguous', async () => {
    const globex = await make('globex', 'North tower')
    for (const [method, rest] of [
      ['DELETE', ''],
      ['POST', '/authenticate'],
    ] as const) {
      expectProblem(await api.call(method, path('north tower', rest)), 400, 'connection_name_ambiguous')
    }
    expectProblem(await patch('north tower', { enabled: false }), 400, 'connection_name_ambiguous')
    const reply = await patch('north tower', { enabled: false }, '?organization=GLOBEX')
    expect(reply.json).to.include({ connection_uuid: globex.connection_uuid, enabled: false })
    expect((await patch(globex.connection_uuid, { enabled: true })).json.organization_code).to.equal('globex')
    expect((await stored()).enabled, 'the other one').to.equal(true)
  })

  it('answer 404 to other organizations', async () => {
    const key = await api.newKey('admin', ['globex'])
    const [{ connection_uuid: uuid }] = (await api.call('GET', '/api/connections')).json.data
    for (const name of [uuid, 'North tower']) {
      expectProblem(
        await api.call('PATCH', path(name), { key, body: { enabled: false }, headers: { 'if-match': '*' } }),
        404,
        'connection_not_found',
      )
      expectProblem(await api.call('DELETE', path(name), { key }), 404, 'connection_not_found')
      expectProblem(await api.call('GET', path(name), { key }), 404, 'connection_not_found')
      expectProblem(await api.call('GET', path(name, '/manifest'), { key }), 404, 'connection_not_found')
      expectProblem(await api.call('POST', path(name, '/authenticate'), { key }), 404, 'connection_not_found')
      const reply = await api.call('DELETE', path(name, '?organization=acme'), { key })
      expectProblem(reply, 400, 'unknown_organization')
    }
    expect((await stored()).enabled).to.equal(true)
  })
})
