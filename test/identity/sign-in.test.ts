import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createSessions } from '../../server/access/sessions.ts'
import type { OidcSettings } from '../../server/config/oidc-settings.ts'
import { withRechecks } from '../../server/identity/rechecks.ts'
import { startApi, type Api, type Reply } from '../http/support/api.ts'
import { expectProblem } from '../http/support/schemas.ts'
import { somebody } from '../support/somebody.ts'
import { startProvider, type ProviderOptions, type TestProvider } from './support/provider.ts'
import { newBrowser, singleSignOnOf, type Browser } from './support/signed-on.ts'

const callback = '/api/session/single-sign-on/callback'
const minuteMs = 60_000
const rules: OidcSettings['roles'] = [
  { group: 'soc', role: 'analyst', organizationCodes: ['acme'] },
  { group: 'leads', role: 'admin', organizationCodes: undefined },
]

describe('single sign-on', () => {
  let provider: TestProvider
  let api: Api
  let browser: Browser

  const start = async (settings: Partial<OidcSettings> = {}, options: Partial<ProviderOptions> = {}) => {
    provider = await startProvider(options)
    api = await startApi({}, undefined, undefined, (parts) =>
      singleSignOnOf(provider, parts, { roles: rules, ...settings }),
    )
    await provider.register(api.url)
    browser = newBrowser(api)
    arrive('anna-1', { groups: ['soc'] })
  }
  /** Who signs in next at the provider. */
  const arrive = (subject: string, claims: object = {}) => {
    const name = subject.split('-')[0]!
    const email = `${name}@example.com`
    provider.people.set(subject, { name, email, email_verified: true, groups: [], ...claims })
    if (provider.current !== subject) provider.forgetBrowser()
    provider.current = subject
  }
  const session = (one: Browser = browser) => one.call('GET', '/api/session')
  const expectSignedIn = (reply: Reply) => expect(reply.status, reply.text).to.equal(201)
  const accounts = () => api.stores.accounts.list()
  const audit = async (action: string) =>
    (await api.call('GET', `/api/audit?action=${action}`)).json.data as { details: object; actor: object }[]

  afterEach(async () => {
    await provider.close()
    await api.close()
  })

  describe('the sign-in', () => {
    beforeEach(() => start())

    it('creates the account of a person with the roles of their groups', async () => {
      const reply = await browser.signIn(provider, { return_to: '/cases?tab=open#x' })
      expectSignedIn(reply)
      expect(reply.json).to.deep.include({
        key_name: 'anna',
        role: 'analyst',
        return_to: '/cases?tab=open#x',
      })
      expect(reply.json.organization_codes).to.deep.equal(['acme'])
      expect((await session()).json.key_id).to.equal(reply.json.key_id)
      const [account] = await accounts()
      expect(account).to.deep.include({ uuid: reply.json.key_id, email: 'anna@example.com' })
      expect(account?.roles).to.deep.equal([{ role: 'analyst', organizationUuid: api.organizations['acme'] }])
      expect((await audit('session.started'))[0]?.details).to.deep.include({ method: 'oidc' })
    })

    it('finds the account again by issuer and subject, whatever the address is now', async () => {
      await browser.signIn(provider)
      arrive('anna-1', { email: 'anna.new@example.com', groups: ['soc'] })
      expectSignedIn(await newBrowser(api).signIn(provider))
      expect(await accounts()).to.have.length(1)
    })

    it('sets cookies that other sites cannot send, and a new session for each sign-in', async () => {
      const first = await browser.signIn(provider)
      const cookies = first.headers.getSetCookie()
      expect(cookies[0]).to.match(
        /^tocsin_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
      )
      expect(cookies[1]).to.match(/^tocsin_sign_on=; Max-Age=0; /)
      const before = browser.cookies.get('tocsin_session')!
      expectSignedIn(await browser.signIn(provider))
      expect(browser.cookies.get('tocsin_session')).to.not.equal(before)
      browser.cookies.set('tocsin_session', before)
      expectProblem(await session(), 401, 'session_invalid')
    })

    it('is offered to anybody, with the text of the button', async () => {
      const { json } = await newBrowser(api).call('GET', '/api/session/methods')
      expect(json).to.deep.equal({
        local: 'on',
        single_sign_on: { label: 'Single sign-on' },
        passkeys: false,
      })
    })

    it('gives the roles of several groups, and those of the groups now at each sign-in', async () => {
      arrive('anna-1', { groups: ['soc', 'leads', 'other'] })
      await browser.signIn(provider)
      expect((await accounts())[0]?.roles.map(({ role }) => role)).to.have.members(['analyst', 'admin'])
      arrive('anna-1', { groups: ['soc'] })
      expect((await browser.signIn(provider)).json.role).to.equal('analyst')
      expect((await accounts())[0]?.roles.map(({ role }) => role)).to.deep.equal(['analyst'])
    })

    it('refuses a person in no group of the mapping, and takes the roles of an earlier one away', async () => {
      arrive('bert-1', { groups: ['SOC', 'soc ', 'other'] })
      expectProblem(await browser.signIn(provider), 403, 'no_role')
      expect(await accounts()).to.deep.equal([])
      arrive('anna-1', { groups: ['soc'] })
      await browser.signIn(provider)
      arrive('anna-1', { groups: [] })
      expectProblem(await newBrowser(api).signIn(provider), 403, 'no_role')
      expect((await accounts())[0]?.roles).to.deep.equal([])
      expectProblem(await browser.call('GET', '/api/alerts'), 403, 'role_insufficient')
      expect((await audit('authentication.failed'))[0]?.details).to.deep.include({
        reason: 'no_role',
        identity: 'anna-1',
      })
    })

    it('refuses a disabled person, whose open sessions have ended', async () => {
      const { json } = await browser.signIn(provider)
      await api.stores.accounts.disable(json.key_id as string, somebody())
      expectProblem(await session(), 401, 'session_invalid')
      expectProblem(await browser.signIn(provider), 403, 'account_disabled')
      await api.stores.accounts.enable(json.key_id as string, somebody())
      expectSignedIn(await browser.signIn(provider))
    })

    it('is the only way in for people of the provider, also if they set a password', async () => {
      await browser.signIn(provider)
      const password = 'correct horse battery staple'
      const set = await browser.call('PUT', '/api/me/password', { password })
      expect(set.status, set.text).to.equal(200)
      const body = { email: 'anna@example.com', password }
      const reply = await api.call('POST', '/api/session', { key: null, body })
      expectProblem(reply, 403, 'local_sign_in_off')
      expect(reply.headers.getSetCookie()).to.deep.equal([])
    })

    it('gives a person who is new in several browsers at once one account', async () => {
      const browsers = [newBrowser(api), newBrowser(api), newBrowser(api)]
      const answers: object[] = []
      for (const one of browsers) {
        provider.forgetBrowser()
        answers.push(await one.visit(provider))
      }
      const replies = await Promise.all(browsers.map((one, at) => one.call('POST', callback, answers[at])))
      expect(await accounts()).to.have.length(1)
      for (const reply of replies) expectSignedIn(reply)
    })
  })

  describe('an account with the address of the person', () => {
    beforeEach(() => start())
    const invite = (roles: readonly { role: string; organizationUuid: null }[] = []) =>
      api.stores.accounts.create({ email: 'Anna@Example.com', name: 'Anna A.', roles }, somebody())

    it('becomes theirs if it is invited and the provider has verified the address', async () => {
      const { uuid } = await invite()
      const reply = await browser.signIn(provider)
      expectSignedIn(reply)
      expect(reply.json.key_id).to.equal(uuid)
      expect(reply.json.role).to.equal('analyst')
      expect(await audit('account.joined')).to.have.length(1)
    })

    it('does not become theirs if the address is not verified', async () => {
      await invite()
      for (const email_verified of [false, undefined, 'true']) {
        arrive('anna-1', { groups: ['soc'], email_verified })
        expectProblem(await browser.signIn(provider), 403, 'email_unverified')
      }
    })

    it('does not become theirs if somebody uses it', async () => {
      const { uuid } = await invite()
      await api.stores.accounts.join(uuid, somebody())
      expectProblem(await browser.signIn(provider), 403, 'email_taken')
    })

    it('becomes theirs although somebody uses it if an admin invites the account again', async () => {
      const { uuid } = await invite()
      await api.stores.accounts.join(uuid, somebody())
      expect((await api.call('POST', `/api/accounts/${uuid}/invitation`)).status).to.equal(201)
      expect((await browser.signIn(provider)).json.key_id).to.equal(uuid)
      arrive('anna-2', { email: 'anna@example.com', groups: ['leads'] })
      expectProblem(await newBrowser(api).signIn(provider), 403, 'email_taken')
    })

    it('does not become that of a second person with the same address', async () => {
      await browser.signIn(provider)
      arrive('anna-2', { email: 'anna@example.com', groups: ['leads'] })
      expectProblem(await newBrowser(api).signIn(provider), 403, 'email_taken')
    })

    it('does not become theirs if it is disabled', async () => {
      const { uuid } = await invite()
      await api.stores.accounts.disable(uuid, somebody())
      expectProblem(await browser.signIn(provider), 403, 'email_taken')
    })
  })

  describe('without a mapping', () => {
    beforeEach(() => start({ roles: [] }))

    it('only invited people can sign in, with the roles of their invitation', async () => {
      expectProblem(await browser.signIn(provider), 403, 'not_invited')
      const roles = [{ role: 'reader', organizationUuid: null }]
      await api.stores.accounts.create({ email: 'anna@example.com', name: 'Anna', roles }, somebody())
      expect((await browser.signIn(provider)).json.role).to.equal('reader')
      expect((await browser.signIn(provider)).json.role).to.equal('reader')
    })
  })

  describe('with allowed domains', () => {
    beforeEach(() => start({ emailDomains: ['example.com'] }))

    it('refuses people with other and unverified addresses', async () => {
      expectSignedIn(await browser.signIn(provider))
      for (const claims of [{ email: 'a@evil.example' }, { email_verified: false }, { email: undefined }]) {
        arrive('eve-1', { groups: ['leads'], ...claims })
        expectProblem(await newBrowser(api).signIn(provider), 403, 'email_domain_refused')
      }
    })
  })

  describe('given what an attacker sends, it', () => {
    beforeEach(() => start())

    it('completes nothing in another browser than the one that began', async () => {
      const answer = await newBrowser(api).visit(provider)
      const victim = newBrowser(api)
      expectProblem(await victim.call('POST', callback, answer), 409, 'sign_on_unknown')
      await victim.visit(provider)
      expectProblem(await victim.call('POST', callback, answer), 403, 'single_sign_on_refused')
      expect(await accounts()).to.deep.equal([])
    })

    it('completes a sign-in once', async () => {
      const answer = await browser.visit(provider)
      const cookie = browser.cookies.get('tocsin_sign_on')!
      expectSignedIn(await browser.call('POST', callback, answer))
      expectProblem(await browser.call('POST', callback, answer), 409, 'sign_on_unknown')
      browser.cookies.set('tocsin_sign_on', cookie)
      expectProblem(await browser.call('POST', callback, answer), 409, 'sign_on_unknown')
    })

    it('completes one of two requests with the same answer', async () => {
      const answer = await browser.visit(provider)
      const replies = await Promise.all([1, 2].map(() => browser.call('POST', callback, answer)))
      expect(replies.map(({ status }) => status)).to.have.members([201, 409])
    })

    it('completes nothing after a refused answer', async () => {
      const answer = await browser.visit(provider)
      expectProblem(
        await browser.call('POST', callback, { ...answer, state: 'x' }),
        403,
        'single_sign_on_refused',
      )
      expectProblem(await browser.call('POST', callback, answer), 409, 'sign_on_unknown')
    })

    it('completes nothing after ten minutes', async () => {
      const answer = await browser.visit(provider)
      api.clock.time += 10 * minuteMs
      expectProblem(await browser.call('POST', callback, answer), 409, 'sign_on_unknown')
    })

    it('refuses the answer of another issuer', async () => {
      const answer = await browser.visit(provider)
      const mixed = { ...answer, iss: 'https://evil.example' }
      expectProblem(await browser.call('POST', callback, mixed), 403, 'single_sign_on_refused')
    })

    it('returns to its own pages only', async () => {
      for (const return_to of [
        '//evil.example',
        'https://evil.example/',
        '/\\evil.example',
        'javascript:x',
        '/.//e',
      ])
        expectProblem(
          await browser.call('POST', '/api/session/single-sign-on', { return_to }),
          400,
          'value_invalid',
        )
    })

    it('refuses requests of other sites and other addresses of its own', async () => {
      for (const path of ['/api/session/single-sign-on', callback]) {
        const headers = { 'sec-fetch-site': 'cross-site' }
        const body = { state: 'x' }
        expectProblem(await api.call('POST', path, { key: null, body, headers }), 403, 'cross_site_request')
      }
      const headers = {
        origin: `http://localhost:${new URL(api.url).port}`,
        host: `localhost:${new URL(api.url).port}`,
      }
      const reply = await api.call('POST', '/api/session/single-sign-on', { key: null, body: {}, headers })
      expect([409, 403]).to.include(reply.status)
    })

    it('never takes the redirect address from the request', async () => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
      const { json } = await api.call('POST', '/api/session/single-sign-on', { key: null, body: {}, headers })
      const asked = new URL(json.authorize_url).searchParams
      expect(asked.get('redirect_uri')).to.equal(`${api.url}/sign-in/callback`)
    })

    it('limits the starts from one address, and the audit entries about failures', async () => {
      for (let n = 0; n < 8; n++) {
        const answer = await browser.visit(provider)
        await browser.call('POST', callback, { ...answer, state: 'x' })
      }
      expect(await audit('authentication.failed')).to.have.length(5)
      let reply: Reply
      do reply = await browser.call('POST', '/api/session/single-sign-on', {})
      while (reply.status === 200)
      expectProblem(reply, 429, 'too_many_requests')
    })

    it('shows nothing that the provider or the address says', async () => {
      provider.current = undefined
      const reply = await browser.signIn(provider)
      expectProblem(reply, 403, 'single_sign_on_refused')
      expect(reply.text).to.not.include('<b>')
    })
  })

  describe('with break-glass keys only', () => {
    beforeEach(() => start({ localSignIn: 'break_glass' }))
    const signInWith = (api_key: string) => api.call('POST', '/api/session', { key: null, body: { api_key } })

    it('lets no other key into the page, and logs the use of one', async () => {
      for (const key of [await api.newKey('analyst'), await api.newKey('admin', ['acme'])])
        expectProblem(await signInWith(key), 403, 'local_sign_in_off')
      expect((await signInWith(api.adminKey)).status).to.equal(201)
      expect(
        api.logged.some(({ level, message }) => level === 'warn' && message.includes('admin key')),
      ).to.equal(true)
      const password = { email: 'anna@example.com', password: 'correct horse battery staple' }
      for (const [path, body] of [
        ['/api/session', password],
        ['/api/invitation/accept', { token: 'x', password: password.password }],
        ['/api/session/passkey/options', undefined],
      ] as const)
        expectProblem(
          await api.call('POST', path, { key: null, ...(body && { body }) }),
          403,
          'local_sign_in_off',
        )
      const key = await api.newKey('analyst')
      expect((await api.call('GET', '/api/alerts', { key })).status, 'programs').to.equal(200)
      expectSignedIn(await browser.signIn(provider))
      expect((await browser.call('GET', '/api/session/methods')).json.local).to.equal('break_glass')
    })
  })

  describe('while the provider is down', () => {
    beforeEach(() => start())

    it('says so, and works when it is back', async () => {
      await provider.stop()
      expectProblem(
        await browser.call('POST', '/api/session/single-sign-on', {}),
        503,
        'identity_provider_unavailable',
      )
      expect((await api.call('GET', '/api/alerts')).status, 'API keys').to.equal(200)
      await provider.restart()
      api.clock.time += minuteMs
      expectSignedIn(await browser.signIn(provider))
    })

    it('keeps open sessions, and signs people out', async () => {
      await browser.signIn(provider)
      await provider.stop()
      expect((await session()).status).to.equal(200)
      const reply = await browser.call('DELETE', '/api/session')
      expect(reply.status).to.equal(200)
      expectProblem(await session(), 401, 'key_missing')
      await provider.restart()
    })
  })

  describe('an open session', () => {
    const recheckMs = 60 * minuteMs
    const later = (ms: number) => {
      api.clock.time += ms
    }
    /** Uses the session, so that it does not end because nobody uses it. */
    const work = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 30 * minuteMs) {
        later(Math.min(30 * minuteMs, ms - passed))
        await session()
      }
    }

    it('takes over the groups of a person within the recheck time', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      arrive('anna-1', { groups: ['leads'] })
      await work(recheckMs - 1)
      expect((await session()).json.role, 'not yet asked').to.equal('analyst')
      later(1)
      expect((await session()).json.role).to.equal('admin')
      arrive('anna-1', { groups: [] })
      await work(recheckMs)
      expectProblem(await session(), 401, 'key_missing')
      expect((await accounts())[0]?.roles).to.deep.equal([])
    })

    it('ends within the recheck time when the person was removed at the provider', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      provider.people.delete('anna-1')
      await work(recheckMs)
      expectProblem(await session(), 401, 'key_missing')
    })

    it('asks the provider once for requests at the same time', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      await work(recheckMs - 1)
      later(1)
      const asked = () => provider.requests.filter((path) => path === '/token').length
      const before = asked()
      const replies = await Promise.all([1, 2, 3, 4].map(() => session()))
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
      expect(asked() - before).to.equal(1)
    })

    it('asks the provider once for requests to several nodes at the same time', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      const { stores, clock } = api
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const nodes = [1, 2, 3].map(() =>
        withRechecks({
          sessions: createSessions(stores.sessions, { idleMs: 1e9, maxMs: 1e9 }, clock, log),
          singleSignOn: singleSignOnOf(provider, api, { roles: rules }),
          stores,
          clock,
          log: log,
        }),
      )
      const token = browser.cookies.get('tocsin_session')!
      const used = () => Promise.all(nodes.map((node) => node.use(token, true)))
      const asked = () => provider.requests.filter((path) => path === '/token').length
      // Due, and then overdue, when all wait for the answer.
      for (const ms of [recheckMs, 2 * recheckMs, recheckMs]) {
        later(ms)
        const before = asked()
        expect((await used()).map((one) => one?.method)).to.deep.equal(['oidc', 'oidc', 'oidc'])
        expect(asked() - before).to.equal(1)
      }
    })

    it('goes on for another recheck time while the provider does not answer', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      await provider.stop()
      await work(2 * recheckMs - 1)
      expect((await session()).status).to.equal(200)
      later(1)
      expectProblem(await session(), 401, 'session_invalid')
      await provider.restart()
      expectSignedIn(await browser.signIn(provider))
    })

    it('ends after the recheck time without a refresh token', async () => {
      await start()
      await browser.signIn(provider)
      await work(recheckMs - 1)
      expect((await session()).status).to.equal(200)
      later(1)
      expectProblem(await session(), 401, 'session_invalid')
    })

    it('counts as ended if the server stopped before it knew the session of the provider', async () => {
      await start()
      await browser.signIn(provider)
      const [account] = await accounts()
      const token = 'A'.repeat(43)
      const session = {
        tokenHash: createHash('sha256').update(token).digest(),
        method: 'oidc',
        client: '',
      } as const
      const limits = { idleMs: 1e9, maxMs: 1e9 }
      const holder = { accountUuid: account!.uuid }
      await api.stores.sessions.begin({ ...session, holder, replaces: undefined, limits }, somebody())
      browser.cookies.set('tocsin_session', token)
      expectProblem(await browser.call('GET', '/api/session'), 401, 'session_invalid')
    })

    it('has its tokens of the provider encrypted with its own token', async () => {
      await start({}, { refreshTokens: true })
      await browser.signIn(provider)
      const [account] = await accounts()
      const [open] = await api.stores.sessions.ofAccount(account!.uuid)
      const stored = await api.stores.singleSignOn.providerSession(open!.uuid)
      const text = Buffer.from(stored!.sealedTokens).toString('latin1')
      expect(text).to.not.include('eyJ').and.not.include('idToken')
    })
  })

  describe('the sign-out', () => {
    beforeEach(() => start())

    it('says where the session of the provider ends', async () => {
      await browser.signIn(provider)
      const { json } = await browser.call('DELETE', '/api/session')
      const url = new URL(json.sign_out_url)
      expect(`${url.origin}${url.pathname}`).to.equal(`${provider.issuer}/session/end`)
      expect(url.searchParams.get('post_logout_redirect_uri')).to.equal(`${api.url}/`)
      expect(url.searchParams.get('id_token_hint')).to.match(/^eyJ/)
    })

    it('at the provider ends the session over the back channel', async () => {
      await browser.signIn(provider)
      const other = newBrowser(api)
      arrive('bert-1', { groups: ['soc'] })
      expectSignedIn(await other.signIn(provider))
      await provider.endSession()
      expect(provider.undelivered).to.deep.equal([])
      expectProblem(await session(other), 401, 'session_invalid')
      expect((await session()).status, 'of the other person').to.equal(200)
    })
  })

  describe('a logout token', () => {
    beforeEach(async () => {
      await start()
      await browser.signIn(provider)
    })
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    let count = 0
    const send = async (claims: object = {}, sign: Parameters<TestProvider['sign']>[1] = {}) => {
      const iat = Math.floor(Date.now() / 1_000)
      const jti = `jti-${++count}`
      const good = {
        iss: provider.issuer,
        aud: 'tocsin',
        sub: 'anna-1',
        jti,
        iat,
        exp: iat + 60,
        events: event,
      }
      return await sendForm(
        new URLSearchParams({ logout_token: await provider.sign({ ...good, ...claims }, sign) }),
      )
    }
    const sendForm = (form: URLSearchParams | string) =>
      api.call('POST', '/api/session/single-sign-on/logout', {
        key: null,
        body: form.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })

    it('ends all sessions of a person', async () => {
      expectSignedIn(await newBrowser(api).signIn(provider))
      const reply = await send()
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.headers.get('cache-control')).to.equal('no-store')
      expect(reply.json).to.deep.equal({ ended: 2 })
      expectProblem(await session(), 401, 'session_invalid')
      expect((await audit('session.ended'))[0]?.actor).to.deep.include({ kind: 'server' })
    })

    it('of another person or session ends none', async () => {
      expect((await send({ sub: 'bert-1' })).json).to.deep.equal({ ended: 0 })
      expect((await send({ sid: 'another' })).json).to.deep.equal({ ended: 0 })
      expect((await session()).status).to.equal(200)
    })

    it('is accepted once', async () => {
      expect((await send({ jti: 'same', sub: 'bert-1' })).status).to.equal(200)
      expectProblem(await send({ jti: 'same' }), 400, 'logout_token_invalid')
      expect((await session()).status).to.equal(200)
    })

    it('that is forged is refused', async () => {
      expectProblem(await send({}, { key: 'foreign' }), 400, 'logout_token_invalid')
      expectProblem(await send({ nonce: 'n' }), 400, 'logout_token_invalid')
      expectProblem(await send({ iss: 'https://evil.example' }), 400, 'logout_token_invalid')
      expectProblem(await sendForm('logout_token=a&logout_token=b'), 400, 'logout_token_invalid')
      expectProblem(await sendForm('x=y'), 400, 'logout_token_invalid')
      expectProblem(await sendForm(''), 400, 'body_missing')
      expectProblem(await sendForm(`logout_token=${'x'.repeat(100_000)}`), 413, 'body_too_large')
      expect((await session()).status).to.equal(200)
    })
  })
})
