import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import {
  checkConnection,
  loopbackEgress,
  runSkill,
  type Failure,
  type SandboxReply,
} from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox from './sandbox.ts'
import { travelClients } from './sandbox/clients.ts'
import { travelFaults } from './sandbox/faults.ts'
import { travelFixture } from './sandbox/fixture.ts'
import { getUsers } from './skills/get-users.ts'

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error,
  )

describe('the connection of travel', () => {
  describe('setting validation', () => {
    const given = { client_id: 'an-id', client_secret: 'a-secret' }
    const empty = { json: travelFixture('bookings-empty') }
    const check = async (settings: object) =>
      valueAt(
        await caught(
          checkConnection(connection, {
            settings: { ...given, ...settings },
            replies: () => empty,
            token: 'a-token-for-tests',
          }),
        ),
        'code',
      )

    for (const settings of [
      {},
      { base_url: 'https://app-fra.navan.com' },
      { base_url: 'https://staging-prime.tripactions.com' },
      { base_url: 'https://gateway.example.com:8443/travel' },
      { base_url: 'http://localhost:4000' },
      { users_path: '/travel/v1/users' },
      { users_path: '/v1.0/..users~/_-' },
    ]) {
      it(`accepts ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.equal('none')
      })
    }

    for (const settings of [
      { base_url: 'https://api.navan.com/' },
      { base_url: 'https://api.navan.com/v1/' },
      { base_url: 'http://api.navan.com' },
      { base_url: 'api.navan.com' },
      { base_url: 'http://localhost.example.com' },
      { base_url: 'https://user:password@api.navan.com' },
      { base_url: 'https://api.navan.com?x=1' },
      { client_id: '' },
      { client_secret: 'a secret' },
      { client_secret: 'secret\n' },
      { users_path: 'v1/users' },
      { users_path: '/v1/users/../x' },
      { users_path: '/v1/./users' },
      { users_path: '/..' },
      { users_path: '//v1' },
      { users_path: 'https://elsewhere.example/users' },
    ]) {
      it(`refuses ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.equal('value_invalid')
      })
    }
  })

  type Running = Awaited<ReturnType<typeof sandbox.start>>
  let running: Running
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const of = ({ id, secret }: { readonly id: string; readonly secret: string }) => ({
    ...running.settings,
    client_id: id,
    client_secret: secret,
  })
  const check = (settings: Readonly<Record<string, unknown>> = running.settings) =>
    checkConnection(connection, { settings, egress: loopbackEgress })
  const users = (settings: Readonly<Record<string, unknown>> = running.settings) =>
    runSkill(getUsers, {}, { settings, egress: loopbackEgress })

  it('requests a token with a form and credentials in the body', async () => {
    await users()
    const [request] = running.requests
    expect(request).to.include({ method: 'POST', path: '/ta-auth/oauth/token' })
    expect(request?.headers['content-type']).to.match(/^application\/x-www-form-urlencoded/)
    expect(request?.headers).to.not.have.property('authorization')
    expect(Object.fromEntries(new URLSearchParams(request?.body))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: travelClients.all.id,
      client_secret: travelClients.all.secret,
    })
    expect(running.requests[1]?.headers['authorization']).to.match(/^Bearer sandbox-token-1-/)
  })

  it('gets a new token once if its token is refused', async () => {
    running.failNext({
      json: { access_token: 'a-token-that-is-not-good', token_type: 'bearer', expires_in: 43_199 },
    })
    expect((await users()).output.users).to.have.length(4)
    expect(running.requests.map(({ path }) => path.split('?')[0])).to.deep.equal([
      '/ta-auth/oauth/token',
      '/v1/users',
      '/ta-auth/oauth/token',
      '/v1/users',
    ])
  })

  describe('the connection test', () => {
    it('uses a token, one booking and one user', async () => {
      expect((await check()).warning).to.equal(undefined)
      expect(running.requests.map(({ path }) => path.split('?')[0])).to.deep.equal([
        '/ta-auth/oauth/token',
        '/v1/bookings',
        '/v1/users',
      ])
      expect(running.requests[1]?.path).to.match(/\?createdFrom=\d{10}&createdTo=\d{10}&page=0&size=1$/)
    })

    it('warns if users cannot be read', async () => {
      expect((await check(of(travelClients.bookingsOnly))).warning).to.match(
        /users cannot \(403\): the credentials lack users:read/,
      )
      const elsewhere = { ...running.settings, users_path: '/v2/users' }
      expect((await check(elsewhere)).warning).to.match(/users cannot \(404\): check users_path/)
    })

    it('fails with all three reasons if nothing is allowed', async () => {
      const error = await caught(check(of(travelClients.notAllowed)))
      expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
      expect(valueAt(error, 'hint')).to.match(/not enabled.*permission.*Allowed IP Addresses/)
    })

    const refusals: readonly (readonly [SandboxReply | Failure, error: object, hint: RegExp])[] = [
      [
        { status: 400, json: travelFixture('token-error-400') },
        { code: 'token_refused' },
        /check that base_url/,
      ],
      [
        { status: 401, json: travelFixture('token-error-401') },
        { code: 'token_refused' },
        /secret was rotated/,
      ],
      [travelFaults.notAllowed, { code: 'token_refused' }, /Allowed IP Addresses/],
      [travelFaults.wrongAddress, { code: 'token_refused' }, /base_url is wrong/],
      [travelFaults.signInPage, { code: 'token_unreadable' }, /sign-in page/],
    ]
    for (const [how, error, hint] of refusals) {
      it(`fails on the token response ${JSON.stringify(how).slice(0, 60)}`, async () => {
        running.failNext(how)
        const raised = await caught(check())
        expect(raised).to.include({ name: 'ConnectionError', ...error })
        expect(valueAt(raised, 'hint')).to.match(hint)
        expect(running.requests).to.have.length(1)
      })
    }

    it('is retried later if tokens are rate-limited or the platform is down', async () => {
      running.failNext(travelFaults.rateLimited)
      expect(await caught(check())).to.include({
        name: 'RetryableError',
        code: 'http_429',
        retryAfterMs: 7000,
      })
      running.failNext(travelFaults.maintenance)
      expect(await caught(check())).to.include({ name: 'RetryableError', code: 'http_503' })
    })

    it('fails with wrong credentials without leaking them', async () => {
      const secret = 'sk_another_one_that_is_wrong'
      const error = await caught(check({ ...running.settings, client_secret: secret }))
      expect(error).to.include({ name: 'ConnectionError', code: 'token_refused' })
      expect(JSON.stringify([error, valueAt(error, 'message'), valueAt(error, 'stack')])).to.not.include(
        secret,
      )
    })
  })

  describe('fails', () => {
    const rows: readonly (readonly [SandboxReply | Failure, error: object, hint: RegExp | null])[] = [
      [
        { status: 400, json: { message: 'size too large' } },
        { name: 'SkillError', code: 'http_400' },
        /malformed/,
      ],
      [travelFaults.notAllowed, { name: 'ConnectionError', code: 'http_403' }, /Allowed IP Addresses/],
      [travelFaults.wrongAddress, { name: 'SkillError', code: 'http_404' }, /check base_url/],
      [
        travelFaults.rateLimited,
        { name: 'RetryableError', code: 'http_429', retryAfterMs: 7000 },
        /limit is exceeded/,
      ],
      [travelFaults.outage, { name: 'RetryableError', code: 'http_500' }, /retried/],
      [travelFaults.maintenance, { name: 'RetryableError', code: 'http_503' }, /retried/],
      [travelFaults.signInPage, { name: 'SkillError', code: 'bad_response' }, null],
      [travelFaults.truncatedBody, { name: 'SkillError', code: 'bad_response' }, null],
      [{ json: { data: null } }, { name: 'SkillError', code: 'bad_response' }, /base_url/],
      ['garbage', { name: 'SkillError', code: 'bad_response' }, null],
      ['reset', { name: 'RetryableError', code: 'network_error' }, null],
    ]
    for (const [how, error, hint] of rows) {
      it(`as ${JSON.stringify(error)} on ${JSON.stringify(how).slice(0, 60)}`, async () => {
        const work = runSkill(
          getUsers,
          {},
          { settings: running.settings, egress: loopbackEgress, token: 'any-token-at-all' },
        )
        running.failNext(how)
        const raised = await caught(work)
        expect(raised).to.include(error)
        if (hint) expect(valueAt(raised, 'hint')).to.match(hint)
      })
    }

    it('with a hint if a new token is refused too', async () => {
      running.failNext({ json: { access_token: 'first-token', expires_in: 60 } })
      running.failNext({ status: 401, text: '' })
      running.failNext({ json: { access_token: 'second-token', expires_in: 60 } })
      running.failNext({ status: 401, text: '' })
      const error = await caught(users())
      expect(error).to.include({ name: 'ConnectionError', code: 'http_401' })
      expect(valueAt(error, 'hint')).to.match(/secret was rotated/)
    })
  })
})
