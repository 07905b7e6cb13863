import { expect } from 'chai'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const minuteMs = 60_000
const sessions = { idleMs: 30 * minuteMs, maxMs: 120 * minuteMs }

describe('a web session', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi({ sessions })
  })
  afterEach(() => api.close())

  const signIn = (api_key: unknown = api.adminKey, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', '/api/session', { key: null, body: { api_key }, headers })
  /** `name=token`, as a browser sends it back. */
  const cookieOf = (reply: Reply) => /^[^;]+/.exec(reply.headers.get('set-cookie') ?? '')?.[0] ?? ''
  const get = (cookie: string, path = '/api/session') =>
    api.call('GET', path, { key: null, headers: { cookie } })

  it('starts with an API key and has its permissions', async () => {
    const key = await api.newKey('reader', ['globex'])
    const reply = await signIn(key)
    expect(reply.status, reply.text).to.equal(201)
    expect(reply.headers.get('set-cookie')).to.match(
      /^tocsin_session=[A-Za-z0-9_-]{43}; Max-Age=7200; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const now = api.clock.time
    const { permissions, ...rest } = reply.json
    expect(permissions).to.deep.include({ permission: 'cases:read', organization_codes: ['globex'] })
    expect(rest).to.deep.equal({
      key_id: key.split('_')[1],
      key_name: 'reader',
      account_uuid: null,
      role: 'reader',
      organization_codes: ['globex'],
      session: { started_at: now, idle_ends_at: now + sessions.idleMs, ends_at: now + sessions.maxMs },
    })
    const cookie = cookieOf(reply)
    expect((await get(cookie)).json).to.deep.equal(reply.json)
    expect((await get(cookie, '/api/alerts')).status).to.equal(200)
    expectProblem(await get(cookie, '/api/keys'), 403, 'role_insufficient')
    const { json } = await get(cookie, '/api/organizations')
    expect(json.data.map(({ code }: { code: string }) => code)).to.deep.equal(['globex'])
  })

  it('is not needed to ask for the identity of an API key', async () => {
    const { json } = await api.call('GET', '/api/session')
    expect(json).to.deep.include({ role: 'admin', organization_codes: null, session: null })
    expectProblem(await api.call('DELETE', '/api/session'), 404, 'session_not_found')
  })

  it('has a Secure cookie if the public address uses TLS', async () => {
    const behindTls = await startApi({ publicUrl: 'https://tocsin.example' })
    const reply = await behindTls.call('POST', '/api/session', {
      key: null,
      body: { api_key: behindTls.adminKey },
    })
    expect(reply.headers.get('set-cookie')).to.match(
      /^__Host-tocsin_session=\S{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    const back = { key: null, headers: { cookie: cookieOf(reply) } }
    expect((await behindTls.call('GET', '/api/session', back)).status).to.equal(200)
    const planted = { key: null, headers: { cookie: cookieOf(reply).replace('__Host-', '') } }
    expectProblem(await behindTls.call('GET', '/api/session', planted), 401, 'key_missing')
    await behindTls.close()
  })

  it('gets a new token with each sign-in, which ends the previous session of the browser', async () => {
    const first = cookieOf(await signIn())
    const other = cookieOf(await signIn())
    const next = cookieOf(await signIn(api.adminKey, { cookie: first }))
    expect(new Set([first, other, next]).size).to.equal(3)
    expectProblem(await get(first), 401, 'session_invalid')
    expect((await get(other)).status).to.equal(200)
    expect((await get(next)).status).to.equal(200)
  })

  it('never accepts a token that the server did not issue', async () => {
    const planted = `tocsin_session=${'A'.repeat(43)}`
    expectProblem(await get(planted), 401, 'session_invalid')
    expect(cookieOf(await signIn(api.adminKey, { cookie: planted }))).to.not.equal(planted)
    expectProblem(await get(planted), 401, 'session_invalid')
    for (const cookie of ['tocsin_session=', 'tocsin_session=x', `tocsin_session="${'A'.repeat(43)}"`])
      expectProblem(await get(cookie), 401, 'session_invalid')
  })

  it('ends for good on sign-out, which clears its cookie', async () => {
    const cookie = cookieOf(await signIn())
    const reply = await api.call('DELETE', '/api/session', { key: null, headers: { cookie } })
    expect([reply.status, reply.json.session]).to.deep.equal([200, null])
    expect(reply.headers.get('set-cookie')).to.equal(
      'tocsin_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    )
    const after = await get(cookie)
    expectProblem(after, 401, 'session_invalid')
    expect(after.headers.get('set-cookie')).to.match(/^tocsin_session=; Max-Age=0;/)
    expect(after.headers.get('www-authenticate')).to.equal('Bearer realm="tocsin"')
  })

  it('ends after the configured idle time', async () => {
    const cookie = cookieOf(await signIn())
    for (let n = 0; n < 3; n++) {
      api.clock.time += sessions.idleMs - 1
      expect((await get(cookie)).status, `use ${n}`).to.equal(200)
      // The time of use is written after the answer.
      await api.stores.probe()
    }
    api.clock.time += sessions.idleMs
    expectProblem(await get(cookie), 401, 'session_invalid')
  })

  const background = { 'tocsin-background': 'true' }
  /** Requests that the page sends on its own, and whether they extend the idle timeout. */
  const requests: readonly (readonly [string, string, string, Readonly<Record<string, string>>, boolean])[] =
    [
      ['a read', 'GET', '/api/alerts', {}, true],
      ['a read in the background', 'GET', '/api/alerts', background, false],
      ['a background read of the session', 'GET', '/api/session', background, false],
      ['a read with an invalid background header', 'GET', '/api/alerts', { 'tocsin-background': 'no' }, true],
      ['a write, whatever its mark', 'POST', '/api/engine/resume', background, true],
      ['a stream of events', 'HEAD', '/api/events', {}, false],
    ]
  for (const [what, method, path, headers, isActivity] of requests)
    it(`${isActivity ? 'is extended' : 'is not extended'} by ${what}`, async () => {
      const cookie = cookieOf(await signIn())
      api.clock.time += sessions.idleMs - minuteMs
      const reply = await api.call(method, path, { key: null, headers: { cookie, ...headers } })
      expect(reply.status, reply.text).to.be.below(300)
      await api.stores.probe()
      api.clock.time += minuteMs
      // A background request, which does not count as activity.
      const after = await api.call('GET', '/api/session', { key: null, headers: { cookie, ...background } })
      expect(after.status).to.equal(isActivity ? 200 : 401)
    })

  it('ends after its maximum lifetime, however active', async () => {
    const cookie = cookieOf(await signIn())
    const end = api.clock.time + sessions.maxMs
    while (api.clock.time < end - 20 * minuteMs) {
      api.clock.time += 20 * minuteMs
      expect((await get(cookie)).status).to.equal(200)
      await api.stores.probe()
    }
    expect((await get(cookie)).json.session.idle_ends_at).to.equal(end)
    api.clock.time = end
    expectProblem(await get(cookie), 401, 'session_invalid')
  })

  it('ends when its key is revoked or expires', async () => {
    const revoked = await api.newKey('admin')
    const expiring = await api.newKey('admin', undefined, api.clock.time + minuteMs)
    const [one, other] = [cookieOf(await signIn(revoked)), await signIn(expiring)]
    expect(other.headers.get('set-cookie')).to.include('Max-Age=60;')
    expect(other.json.session.ends_at).to.equal(api.clock.time + minuteMs)
    await api.call('DELETE', `/api/keys/${revoked.split('_')[1]}`)
    expectProblem(await get(one), 401, 'session_invalid')
    api.clock.time += minuteMs
    expectProblem(await get(cookieOf(other)), 401, 'session_invalid')
  })

  it('is refused together with an API key or a second session', async () => {
    const cookie = cookieOf(await signIn())
    for (const headers of [
      { cookie: `${cookie}; Session=${api.adminKey}` },
      { cookie, authorization: `Bearer ${api.adminKey}` },
      { cookie: `${cookie}; ${cookie}` },
    ])
      expectProblem(
        await api.call('GET', '/api/session', { key: null, headers }),
        400,
        'credentials_ambiguous',
      )
  })

  it('stores no token, and logs neither token nor key', async () => {
    const token = cookieOf(await signIn()).split('=')[1] ?? ''
    await get(`tocsin_session=${token}`)
    const entries = await api.stores.audit.list('all', {}, { limit: 50 })
    const seen = JSON.stringify([api.logged, entries])
    expect(seen).to.include('session.started').and.not.include(token).and.not.include(api.adminKey)
  })

  it('is in the audit log with the actors who started and ended it', async () => {
    const reply = await signIn()
    await api.call('DELETE', '/api/session', { key: null, headers: { cookie: cookieOf(reply) } })
    const { json } = await api.call('GET', '/api/audit?limit=2')
    expect(json.data.map((entry: { action: string }) => entry.action)).to.deep.equal([
      'session.ended',
      'session.started',
    ])
    const { actor, subject, request_id } = json.data[1]
    expect(actor).to.deep.equal({ kind: 'api_key', id: api.adminKey.split('_')[1], name: 'admin' })
    expect([subject.kind, request_id]).to.deep.equal(['session', reply.headers.get('x-request-id')])
  })

  describe('from another web site', () => {
    it('cannot be started, ended or used', async () => {
      const cookie = cookieOf(await signIn())
      for (const foreign of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]) {
        const headers = { cookie, ...foreign }
        const body = { api_key: api.adminKey }
        expectProblem(await api.call('POST', '/api/session', { headers, body }), 403, 'cross_site_request')
        for (const method of ['GET', 'DELETE'])
          expectProblem(await api.call(method, '/api/session', { headers }), 403, 'cross_site_request')
      }
      expect((await get(cookie)).status).to.equal(200)
    })

    it('cannot be started by a form, nor used by one without a body', async () => {
      const cookie = cookieOf(await signIn())
      for (const type of [
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain',
      ]) {
        const body = JSON.stringify({ api_key: api.adminKey })
        const headers = { cookie, 'content-type': type }
        const options = { key: null, body, headers }
        for (const [method, path] of [
          ['POST', '/api/session'],
          ['DELETE', '/api/session'],
          ['POST', '/api/engine/resume'],
        ] as const)
          expectProblem(await api.call(method, path, options), 415, 'content_type_unsupported')
      }
      expect((await get(cookie)).status).to.equal(200)
    })
  })

  describe('that cannot start', () => {
    it('gets the same answer for every invalid key', async () => {
      const revoked = await api.newKey('admin')
      await api.call('DELETE', `/api/keys/${revoked.split('_')[1]}`)
      const details = new Set<string>()
      for (const key of ['', 'x', `${api.adminKey}x`, `toc_0123456789ab_${'A'.repeat(43)}`, revoked]) {
        const reply = await signIn(key)
        expectProblem(reply, 401, 'key_invalid')
        expect(reply.headers.get('set-cookie')).to.equal(null)
        details.add(reply.json.detail)
      }
      expect(details.size).to.equal(1)
    })

    it('is refused for a key that is not a string, is too long, or comes with other fields', async () => {
      for (const key of [1, null, ['x'], {}, 'x'.repeat(201)])
        expectProblem(await signIn(key), 400, 'value_invalid')
      const body = { api_key: api.adminKey, role: 'admin' }
      expectProblem(await api.call('POST', '/api/session', { key: null, body }), 400, 'value_invalid')
    })

    it('is limited in attempts without affecting valid keys', async () => {
      for (let n = 0; n < 10; n++) expectProblem(await signIn('x'), 401, 'key_invalid')
      const refused = await signIn('x')
      expectProblem(refused, 429, 'too_many_requests')
      expect(refused.headers.get('retry-after')).to.equal('6')
      expect((await signIn()).status).to.equal(201)
      api.clock.time += 6_000
      expectProblem(await signIn('x'), 401, 'key_invalid')
      expectProblem(await signIn('x'), 429, 'too_many_requests')
    })
  })
})
