import { expect } from 'chai'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const okta = await openDeclaredPlugin(import.meta.dirname, {
  domain: 'example.okta.com',
  api_token: '00abcdefghijklmnopqrstuvwxyz',
  hook_secret: 'a-hook-secret',
})

const problem = (status: number, errorCode: string, errorSummary = 'no', causes: readonly string[] = []) => ({
  status,
  json: { errorCode, errorSummary, errorCauses: causes.map((cause) => ({ errorSummary: cause })) },
})
const user = (status: string, more: object = {}) => ({ json: { id: '00u1', status, ...more } })
const notActive = problem(400, 'E0000001', 'validation failed', ['Cannot suspend a user that is not active'])

describe('okta', () => {
  for (const [what, reply, kind, text] of [
    [
      'an expired token',
      problem(401, 'E0000011', 'Invalid token provided'),
      'ConnectionError',
      /create a new API token/,
    ],
    [
      'a role that is too small',
      problem(403, 'E0000006', 'no permission'),
      'ConnectionError',
      /no permission.*admin role/,
    ],
    ['a missing licence', problem(401, 'E0000015', 'no access to the feature'), 'SkillError', /no licence/],
    [
      'a user of Active Directory',
      problem(403, 'E0000038', 'not allowed'),
      'SkillError',
      /another directory/,
    ],
    [
      'an unknown user',
      problem(404, 'E0000007', 'Not found'),
      'SkillError',
      /role of the API token does not cover/,
    ],
    [
      'the domain of another site',
      { status: 404, text: '<title>Not here</title>' },
      'SkillError',
      /without -admin/,
    ],
    ['read-only mode', problem(503, 'E0000010', 'read only'), 'RetryableError', /read-only mode/],
    ['a maintenance page', { status: 502, text: '<html><h1>Down</h1></html>' }, 'RetryableError', /Down/],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await okta.failureOf('clear_sessions', { user: '00u1' }, { replies: [reply] })
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('waits until a rate limit is reset', async () => {
    const headers = {
      'x-rate-limit-limit': '300',
      'x-rate-limit-reset': '1795176060',
      date: 'Fri, 20 Nov 2026 12:00:00 GMT',
    }
    const failure = await okta.failureOf(
      'get_user',
      { user: 'kim' },
      { replies: [{ ...problem(429, 'E0000047'), headers }] },
    )
    expect(failure).to.include({ kind: 'RetryableError', retryAfterMs: 60_000 })
    const busy = { ...problem(429, 'E0000047'), headers: { 'x-rate-limit-limit': '0' } }
    expect((await okta.failureOf('get_user', { user: 'kim' }, { replies: [busy] })).text).to.match(
      /at the same time/,
    )
  })

  it('refuses an admin domain and a token that is no longer valid when the connection is tested', async () => {
    const failure = await okta.checkFailureOf([problem(401, 'E0000011', 'Invalid token provided')])
    expect(failure.text).to.match(/Invalid token provided.*not used for 30 days/)
  })

  it('distinguishes an unknown user from a 404 of another system', async () => {
    const found = await okta.run('get_user', { user: 'x' }, { replies: [problem(404, 'E0000007')] })
    expect(found.output).to.deep.equal({ found: false })
    const page = await okta.failureOf(
      'get_user',
      { user: 'x' },
      { replies: [{ status: 404, text: '<html>' }] },
    )
    expect(page.text).to.match(/answer of GET .*not valid JSON/)
  })

  it('reads users with unknown statuses, nulls and missing fields', async () => {
    const { output } = await okta.run(
      'get_user',
      { user: 'x' },
      {
        replies: [
          user('FROZEN', { profile: null, credentials: { provider: null }, lastLogin: null, extra: {} }),
        ],
      },
    )
    expect(output).to.deep.equal({ found: true, id: '00u1', status: 'FROZEN' })
  })

  it('keeps an identifier within its place in path and filter', async () => {
    const strange = 'a"b\\ or/../../groups?x=%'
    const { requests } = await okta.run('clear_sessions', { user: strange }, { replies: [{ status: 204 }] })
    expect(requests[0]?.path).to.match(
      /^\/api\/v1\/users\/a%22b%5C%20or%2F\.\.%2F\.\.%2Fgroups%3Fx%3D%25\/sessions\?/,
    )
    const { requests: searches } = await okta.run(
      'find_users',
      { name: 'a@b" or status eq "ACTIVE' },
      { replies: [{ json: [] }] },
    )
    const search = new URL(searches[0]!.url).searchParams.get('search')
    expect(search).to.equal(
      String.raw`profile.login eq "a@b\" or status eq \"ACTIVE" or profile.email eq "a@b\" or status eq \"ACTIVE"`,
    )
    expect(await okta.run('suspend_user', { user: 'me' }, { replies: [] }).catch(String)).to.match(/user/)
  })

  it('suspends only when Okta shows it', async () => {
    const pending = await okta.run(
      'suspend_user',
      { user: 'x' },
      { replies: [{ json: {} }, user('ACTIVE'), user('SUSPENDED')] },
    )
    expect(pending.output).to.deep.equal({ id: '00u1', status: 'SUSPENDED', changed: true })
    const again = await okta.run('suspend_user', { user: 'x' }, { replies: [notActive, user('SUSPENDED')] })
    expect(again.output).to.include({ changed: false })
    const locked = await okta.failureOf(
      'suspend_user',
      { user: 'x' },
      { replies: [notActive, user('LOCKED_OUT')] },
    )
    expect(locked.text).to.match(/only active users, and the status of this one is LOCKED_OUT/)
    const gone = await okta.failureOf(
      'unsuspend_user',
      { user: 'x' },
      { replies: [notActive, user('DEPROVISIONED')] },
    )
    expect(gone.text).to.match(/only suspended users.*DEPROVISIONED/)
  })

  it('asks after an interruption whether the user is suspended', async () => {
    const verify = (status: string) =>
      okta.run('suspend_user', { user: 'x' }, { purpose: 'verify', replies: [user(status)] })
    expect((await verify('SUSPENDED')).output).to.deep.equal({ id: '00u1', status: 'SUSPENDED' })
    expect((await verify('ACTIVE')).output).to.equal(undefined)
  })

  it('reads the System Log up to the limit', async () => {
    const page = (from: number) => ({
      json: Array.from({ length: 1_000 }, (_, at) => ({
        uuid: `e${from + at}`,
        actor: null,
        client: { geographicalContext: null },
      })),
      headers: { link: `<https://example.okta.com/api/v1/logs?after=${from + 1_000}>; rel="next"` },
    })
    const replies = [0, 1, 2, 3].map((at) => page(at * 1_000))
    const { output, requests } = await okta.run(
      'search_log',
      {
        since: '2026-11-20T00:00:00Z',
        ip: '203.0.113.7',
        filter: 'outcome.result eq "FAILURE" or true',
        limit: 2_500,
      },
      { replies },
    )
    expect(output.events).to.have.length(2_500)
    expect(output.complete).to.equal(false)
    expect(requests).to.have.length(3)
    expect(new URL(requests[0]!.url).searchParams.get('filter')).to.equal(
      'client.ipAddress eq "203.0.113.7" and (outcome.result eq "FAILURE" or true)',
    )
  })

  it('receives each event of a hook once', () => {
    const body = JSON.stringify({
      data: {
        events: [
          { uuid: 'u1', eventType: 'user.account.lock' },
          { uuid: 'u2', eventType: 'new.kind' },
        ],
      },
    })
    const { alerts } = okta.receive('events', body, { headers: { authorization: 'a-hook-secret' } })
    expect(alerts?.map(({ provider, type, dedupeKey }) => [provider, type, dedupeKey])).to.deep.equal([
      ['okta', 'okta_user_account_lock', 'u1'],
      ['okta', 'okta_new_kind', 'u2'],
    ])
    expect(() => okta.receive('events', body, { headers: { authorization: 'another-secret' } })).to.throw()
  })
})
