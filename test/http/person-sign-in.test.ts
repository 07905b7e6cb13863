import { expect } from 'chai'
import { TOTP, Secret } from 'otpauth'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { theServer } from '../../core/domain/audit.ts'
import { createInvitation } from '../../server/access/invitations.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

const password = 'correct horse battery staple'

const cookieOf = (reply: Reply) => /^[^;]+/.exec(reply.headers.get('set-cookie') ?? '')?.[0] ?? ''
const tokenOf = (url: string) => url.split('#')[1] ?? ''

describe('a person', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi({ trustedProxies: ['127.0.0.1'] })
  })
  afterEach(() => api.close())

  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', path, { key: null, body, headers })
  const signIn = (email: string, given: object = {}, address = '192.0.2.1') =>
    post('/api/session', { email, password, ...given }, { 'x-forwarded-for': address })
  const get = (cookie: string, path: string) => api.call('GET', path, { key: null, headers: { cookie } })

  /** A person with a password. */
  async function anna(role = 'reader'): Promise<TestPerson> {
    const person = await newPerson(api, 'Anna', [role])
    expect((await person.call('PUT', '/api/me/password', { body: { password } })).status).to.equal(200)
    return person
  }

  /** Sets up one-time codes. */
  async function withTotp(person: TestPerson) {
    const { json, status } = await person.call('POST', '/api/me/totp')
    expect(status).to.equal(201)
    expect(json.uri).to.match(/^otpauth:\/\/totp\/Tocsin:anna\d+%40example\.com\?/)
    const totp = new TOTP({ secret: Secret.fromBase32(json.secret as string) })
    const code = () => totp.generate({ timestamp: api.clock.time })
    const confirmed = await person.call('POST', '/api/me/totp/confirm', { body: { code: code() } })
    expect(confirmed.status, confirmed.text).to.equal(200)
    return { secret: json.secret as string, code, recovery: confirmed.json.recovery_codes as string[] }
  }

  const failures = async () =>
    (await api.stores.audit.list('all', { action: 'authentication.failed' }, { limit: 20 })).data

  it('signs in with e-mail address and password', async () => {
    const { email, uuid } = await anna()
    const reply = await signIn(` ${email.toUpperCase()} `)
    expect(reply.status, reply.text).to.equal(201)
    expect(reply.json).to.deep.include({ key_id: uuid, key_name: 'Anna', role: 'reader' })
    expect((await get(cookieOf(reply), '/api/me')).json.account).to.include({ email, state: 'active' })
    expect((await get(cookieOf(reply), '/api/alerts')).status).to.equal(200)
    expectProblem(await post('/api/session', { email }), 400, 'value_invalid')
    expectProblem(await post('/api/session', {}), 400, 'value_invalid')
  })

  it('is refused alike for a wrong password, an unknown address and a disabled account', async () => {
    const person = await anna()
    const invited = await newPerson(api, 'Bert', ['reader'])
    const refused = [
      await signIn(person.email, { password: 'wrong horse battery staple' }),
      await signIn('nobody@example.com'),
      await signIn(invited.email),
    ]
    await api.call('POST', `/api/accounts/${person.uuid}/disable`)
    refused.push(await signIn(person.email))
    for (const reply of refused) expectProblem(reply, 401, 'sign_in_refused')
    const bodies = refused.map(({ json }) => ({ ...json, request_id: '' }) as unknown)
    for (const body of bodies) expect(body).to.deep.equal(bodies[0])
    // Further failures of one person from one address are counted later.
    await eventuallyFailures(3)
    const entries = await failures()
    const [wrong, unknown] = [person.uuid, ''].map((id) => entries.find(({ subject }) => subject.id === id))
    expect(wrong?.subject).to.deep.equal({ kind: 'account', id: person.uuid, name: 'Anna' })
    expect(wrong?.details).to.deep.equal({ reason: 'wrong_password', times: 1 })
    // People type passwords into the wrong field.
    expect(unknown?.subject).to.deep.equal({ kind: 'account', id: '', name: '' })
  })

  async function eventuallyFailures(count: number): Promise<void> {
    for (let n = 0; n < 100 && (await failures()).length < count; n++)
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await failures()).to.have.length(count)
  }

  it('cannot be guessed: attempts of one account are limited before they are checked', async () => {
    const { email } = await anna()
    const guess = (n: number, address: string) =>
      signIn(email, { password: `guess number ${n} ever` }, address)
    expect((await signIn(email, {}, '198.51.100.7')).status).to.equal(201)
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n, '192.0.2.1')))
    expect(replies.filter(({ status }) => status === 401)).to.have.length(10)
    const right = await signIn(email)
    expectProblem(right, 429, 'too_many_requests')
    expect(Number(right.headers.get('retry-after'))).to.be.above(0)
    for (let n = 0; n < 60; n++) await guess(n, `203.0.113.${n}`)
    expectProblem(await signIn(email, {}, '203.0.113.99'), 429, 'too_many_requests')
    // Where the person signed in before, others do not lock the person out.
    expect((await signIn(email, {}, '198.51.100.7')).status).to.equal(201)
    api.clock.time += 3_600_000
    expect((await signIn(email)).status).to.equal(201)
  })

  it('cannot be guessed by trying one password on everybody: attempts of a network are limited', async () => {
    const { email } = await anna()
    const replies = []
    for (let n = 0; n < 10; n++)
      replies.push(
        ...(await Promise.all(Array.from({ length: 11 }, (_, m) => signIn(`p${n}.${m}@example.com`)))),
      )
    expect(replies.filter(({ status }) => status === 401).length).to.be.below(101)
    // The right password is not tried either.
    expectProblem(await signIn(email), 429, 'too_many_requests')
    expect((await signIn(email, {}, '198.51.100.7')).status).to.equal(201)
    api.clock.time += 60_000
    expect((await signIn(email)).status).to.equal(201)
  })

  it('with one-time codes needs one, which counts once', async () => {
    const person = await anna()
    const { code, secret } = await withTotp(person)
    api.clock.time += 60_000
    expectProblem(await signIn(person.email), 401, 'code_needed')
    expectProblem(await signIn(person.email, { code: '000000' }), 401, 'code_wrong')
    const both = await Promise.all([1, 2].map(() => signIn(person.email, { code: code() })))
    expect(both.map(({ status }) => status)).to.have.members([201, 401])
    expectProblem(await signIn(person.email, { code: code() }), 401, 'code_wrong')
    expectProblem(
      await signIn(person.email, { code: code(), password: 'wrong horse battery' }),
      401,
      'sign_in_refused',
    )
    api.clock.time += 30_000
    expect((await signIn(person.email, { code: code() })).status).to.equal(201)
    for (const file of ['tocsin.db', 'tocsin.db-wal'])
      expect((await readFile(join(api.dataDir, file))).includes(secret)).to.equal(false)
  })

  it('limits guesses of codes, even with the right password', async () => {
    const person = await anna()
    const { code } = await withTotp(person)
    api.clock.time += 60_000
    const guesses = []
    for (let n = 0; n < 12; n++)
      guesses.push(await signIn(person.email, { code: `00000${n % 10}` }, `192.0.2.${n}`))
    expect(guesses.filter(({ status }) => status === 401)).to.have.length(9)
    expectProblem(await signIn(person.email, { code: code() }, '192.0.2.77'), 429, 'too_many_requests')
  })

  it('can use each recovery code once instead', async () => {
    const person = await anna()
    const { recovery } = await withTotp(person)
    expect(recovery).to.have.length(10)
    const spelled = recovery[0]!.toUpperCase().replaceAll('-', ' ')
    expect((await signIn(person.email, { code: spelled })).status).to.equal(201)
    expectProblem(await signIn(person.email, { code: recovery[0] }), 401, 'code_wrong')
    const { json } = await person.call('GET', '/api/me')
    expect(json.sign_in).to.include({ has_totp: true, recovery_codes: 9 })
    const { json: renewed } = await person.call('POST', '/api/me/recovery-codes')
    expectProblem(await signIn(person.email, { code: recovery[1] }), 401, 'code_wrong')
    expect((await signIn(person.email, { code: renewed.recovery_codes[0] })).status).to.equal(201)
  })

  it('changes the ways to sign in only after a recent sign-in', async () => {
    const person = await anna()
    api.clock.time += 15 * 60_000
    for (const [method, path, body] of [
      ['PUT', '/api/me/password', { password: 'another horse battery' }],
      ['POST', '/api/me/totp', undefined],
      ['DELETE', '/api/me/totp', undefined],
      ['POST', '/api/me/recovery-codes', undefined],
    ] as const)
      expectProblem(await person.call(method, path, body && { body }), 403, 'sign_in_not_recent')
    const cookie = cookieOf(await signIn(person.email))
    const change = { key: null, headers: { cookie }, body: { password: 'another horse battery' } }
    expect((await api.call('PUT', '/api/me/password', change)).status).to.equal(200)
    // The other sessions ended with the old password.
    expectProblem(await person.call('GET', '/api/me'), 401, 'session_invalid')
    expect((await get(cookie, '/api/me')).status).to.equal(200)
    expectProblem(await signIn(person.email), 401, 'sign_in_refused')
  })

  it('cannot choose a weak password', async () => {
    const person = await newPerson(api, 'Anna', ['reader'])
    for (const weak of ['short', 'aaaaaaaaaaaaaaa', 'Password123456!', 'anna.example.com', 'x'.repeat(300)]) {
      const reply = await person.call('PUT', '/api/me/password', { body: { password: weak } })
      expectProblem(reply, 400, 'password_weak')
      expect(reply.json.errors[0].pointer).to.equal('/password')
    }
  })

  it('sees the open sessions, and ends them', async () => {
    const person = await anna()
    const browser = { 'user-agent': 'Firefox on Linux' }
    const elsewhere = cookieOf(await post('/api/session', { email: person.email, password }, browser))
    const { json } = await person.call('GET', '/api/me/sessions')
    expect(json.data.map((each: object) => ({ ...each, session_uuid: '' }))).to.deep.include({
      session_uuid: '',
      method: 'password',
      client: 'Firefox on Linux',
      is_current: false,
      started_at: api.clock.time,
      last_used_at: api.clock.time,
      ends_at: api.clock.time + 3_600_000,
    })
    const other = await anna()
    const foreign = (await other.call('GET', '/api/me/sessions')).json.data[0].session_uuid
    expectProblem(await person.call('DELETE', `/api/me/sessions/${foreign}`), 404, 'session_not_found')
    const one = json.data.find((each: { is_current: boolean }) => !each.is_current).session_uuid
    expect((await person.call('DELETE', `/api/me/sessions/${one}`)).json.data).to.have.length(1)
    expectProblem(await get(elsewhere, '/api/me'), 401, 'session_invalid')
    const again = cookieOf(await signIn(person.email))
    expect((await person.call('DELETE', '/api/me/sessions')).json.data).to.have.length(1)
    expectProblem(await get(again, '/api/me'), 401, 'session_invalid')
    expect((await other.call('GET', '/api/me')).status).to.equal(200)
  })

  it('can be signed out everywhere by an administrator', async () => {
    const person = await anna()
    expect((await api.call('DELETE', `/api/accounts/${person.uuid}/sessions`)).status).to.equal(200)
    expectProblem(await person.call('GET', '/api/me'), 401, 'session_invalid')
    expect((await signIn(person.email)).status).to.equal(201)
  })
})

describe('the link for the first administrator', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const post = (path: string, body: object) => api.call('POST', path, { key: null, body })
  const firstLink = async () => {
    const by = { by: theServer, now: api.clock.time }
    return tokenOf((await createInvitation(api.stores, null, api.url, by)).url)
  }
  const root = { email: 'root@example.com', name: 'Root', password }

  it('creates the first account, once', async () => {
    const token = await firstLink()
    expect((await post('/api/invitation/preview', { token })).json.email).to.equal(null)
    const accepted = await post('/api/invitation/accept', { token, ...root })
    expect(accepted.json, accepted.text).to.include({ role: 'admin' })
    expectProblem(await post('/api/invitation/accept', { token, ...root }), 404, 'invitation_not_found')
  })

  it('ends an hour after the start, or with the first account', async () => {
    const late = await firstLink()
    api.clock.time += 3_600_000 - 1
    expect((await post('/api/invitation/preview', { token: late })).status).to.equal(200)
    api.clock.time += 1
    expectProblem(await post('/api/invitation/accept', { token: late, ...root }), 404, 'invitation_not_found')
    const open = await firstLink()
    const body = { email: 'anna@example.com', name: 'Anna', roles: [{ role: 'reader' }] }
    await api.call('POST', '/api/accounts', { body })
    expectProblem(await post('/api/invitation/preview', { token: open }), 404, 'invitation_not_found')
    expectProblem(await post('/api/invitation/accept', { token: open, ...root }), 404, 'invitation_not_found')
    expect((await api.call('GET', '/api/accounts')).json.data).to.have.length(1)
  })
})

describe('an invitation', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const post = (path: string, body: object) => api.call('POST', path, { key: null, body })
  const invite = async () => {
    const roles = [{ role: 'analyst', organization_code: 'acme' }]
    const body = { email: 'anna@example.com', name: 'Anna', roles }
    return (await api.call('POST', '/api/accounts', { body })).json
  }

  it('lets the person set a password, and signs in', async () => {
    const { invitation_url: url, account_uuid: uuid } = await invite()
    expect(url).to.match(new RegExp(`^${api.url}/invitation#[\\w-]{43}$`))
    const token = tokenOf(url as string)
    const preview = await post('/api/invitation/preview', { token })
    expect(preview.json).to.deep.equal({
      email: 'anna@example.com',
      name: 'Anna',
      expires_at: api.clock.time + 72 * 3_600_000,
    })
    expectProblem(await post('/api/invitation/accept', { token, password: 'short' }), 400, 'password_weak')
    const accepted = await post('/api/invitation/accept', { token, password })
    expect(accepted.status, accepted.text).to.equal(201)
    expect(
      (await api.call('GET', '/api/alerts', { key: null, headers: { cookie: cookieOf(accepted) } })).status,
    ).to.equal(200)
    expect((await api.call('GET', `/api/accounts/${uuid}`)).json.state).to.equal('active')
    expectProblem(await post('/api/invitation/preview', { token }), 404, 'invitation_not_found')
    expectProblem(await post('/api/invitation/accept', { token, password }), 404, 'invitation_not_found')
  })

  it('expires, and is replaced by the next one', async () => {
    const first = tokenOf((await invite()).invitation_url as string)
    const { json } = await api.call('POST', '/api/accounts/anna@example.com/invitation')
    expectProblem(
      await post('/api/invitation/accept', { token: first, password }),
      404,
      'invitation_not_found',
    )
    api.clock.time += 72 * 3_600_000
    const token = tokenOf(json.invitation_url as string)
    expectProblem(await post('/api/invitation/accept', { token, password }), 404, 'invitation_not_found')
    for (const text of ['', 'x', 'x'.repeat(43)])
      expectProblem(await post('/api/invitation/preview', { token: text }), 404, 'invitation_not_found')
  })

  it('is refused when the account is disabled, and is stored as a hash', async () => {
    const { invitation_url: url, account_uuid: uuid } = await invite()
    const token = tokenOf(url as string)
    await api.call('POST', `/api/accounts/${uuid}/disable`)
    expectProblem(await post('/api/invitation/accept', { token, password }), 404, 'invitation_not_found')
    for (const file of ['tocsin.db', 'tocsin.db-wal'])
      expect((await readFile(join(api.dataDir, file))).includes(token)).to.equal(false)
    expect(JSON.stringify(api.logged)).to.not.include(token)
  })

  it('is accepted once, even at the same time', async () => {
    const token = tokenOf((await invite()).invitation_url as string)
    const replies = await Promise.all(
      [1, 2, 3].map(() => post('/api/invitation/accept', { token, password })),
    )
    expect(replies.map(({ status }) => status)).to.have.members([201, 404, 404])
  })

  it('ends when the person gets another role, so that its maker does not get that role', async () => {
    const scoped = await api.newKey('admin', ['acme'])
    const { account_uuid: uuid } = await invite()
    const link = await api.call('POST', `/api/accounts/${uuid}/invitation`, { key: scoped })
    const token = tokenOf(link.json.invitation_url as string)
    const setRoles = async (...roles: object[]) =>
      await api.call('PATCH', `/api/accounts/${uuid}`, { body: { roles }, headers: { 'if-match': '*' } })
    await setRoles({ role: 'analyst', organization_code: 'acme' })
    expect((await post('/api/invitation/preview', { token })).status).to.equal(200)
    expect((await setRoles({ role: 'analyst' })).status).to.equal(200)
    expectProblem(await post('/api/invitation/accept', { token, password }), 404, 'invitation_not_found')
    const { json } = await api.call('POST', `/api/accounts/${uuid}/invitation`)
    const again = tokenOf(json.invitation_url as string)
    expect((await post('/api/invitation/accept', { token: again, password })).status).to.equal(201)
  })

  it('ends when a role of the person gets another permission', async () => {
    const role = { name: 'desk', description: 'x', permissions: ['cases:read', 'alerts:read'] }
    await api.call('POST', '/api/roles', { body: role })
    const roles = [{ role: 'desk', organization_code: 'acme' }]
    const body = { email: 'bo@example.com', name: 'Bo', roles }
    const token = tokenOf((await api.call('POST', '/api/accounts', { body })).json.invitation_url as string)
    const allow = (...permissions: string[]) =>
      api.call('PATCH', '/api/roles/DESK', { body: { permissions }, headers: { 'if-match': '*' } })
    expect((await allow('cases:read')).status).to.equal(200)
    expect((await post('/api/invitation/preview', { token })).status).to.equal(200)
    await allow('cases:read', 'cases:write')
    expectProblem(await post('/api/invitation/accept', { token, password }), 404, 'invitation_not_found')
  })

  it('cannot rename the person it is for', async () => {
    const token = tokenOf((await invite()).invitation_url as string)
    await post('/api/invitation/accept', { token, password, email: 'eve@example.com', name: 'Eve' })
    expect((await api.stores.accounts.list()).map(({ email, name }) => [email, name])).to.deep.equal([
      ['anna@example.com', 'Anna'],
    ])
  })
})

describe('an API key', () => {
  it('has no sessions, password or codes of its own', async () => {
    const api = await startApi()
    for (const [method, path, body] of [
      ['GET', '/api/me/sessions', undefined],
      ['DELETE', '/api/me/sessions', undefined],
      ['PUT', '/api/me/password', { password }],
      ['POST', '/api/me/totp', undefined],
      ['POST', '/api/me/totp/confirm', { code: '123456' }],
    ] as const)
      expectProblem(await api.call(method, path, body && { body }), 403, 'account_needed')
    expect((await api.call('GET', '/api/me')).json).to.deep.include({ account: null, sign_in: null })
    await api.close()
  })
})
