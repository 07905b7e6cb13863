import { expect } from 'chai'
import { stub } from 'sinon'
import type { SingleSignOn } from '../../server/identity/single-sign-on.ts'
import { TestAuthenticator } from '../support/authenticator.ts'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

const publicUrl = 'https://tocsin.example.com'
const cookieOf = (reply: Reply) => /^[^;]+/.exec(reply.headers.get('set-cookie') ?? '')?.[0] ?? ''

describe('a passkey', () => {
  let api: Api
  let person: TestPerson
  let device: TestAuthenticator

  beforeEach(async () => {
    api = await startApi({ publicUrl, trustedProxies: ['127.0.0.1'] })
    person = secure(await newPerson(api, 'Anna', ['reader']))
    device = new TestAuthenticator(publicUrl)
  })
  afterEach(() => api.close())

  /** Over TLS the cookie has another name. */
  const secure = (given: TestPerson): TestPerson => {
    const cookie = `__Host-${given.cookie}`
    return {
      ...given,
      cookie,
      call: (method, path, options = {}) =>
        api.call(method, path, { ...options, key: null, headers: { ...options.headers, cookie } }),
    }
  }
  const post = (path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', path, { key: null, headers, ...(body && { body }) })
  const offer = async (of = person) => (await of.call('POST', '/api/me/passkeys/options')).json.options
  const add = (credential: unknown, of = person, name = 'Laptop') =>
    of.call('POST', '/api/me/passkeys', { body: { name, credential } })
  const begin = async () => (await post('/api/session/passkey/options')).json.options
  let senders = 0
  /** Each from another address: failures of one address are limited. */
  const signIn = (credential: unknown) =>
    post('/api/session/passkey', { credential }, { 'x-forwarded-for': `192.0.2.${++senders}` })
  const added = async () => {
    const reply = await add(device.create(await offer()))
    expect(reply.status, reply.text).to.equal(201)
    return reply.json.sign_in.passkeys[0]
  }

  it('is added, signs in without password or code, and is listed, renamed and removed', async () => {
    const { status, json } = await person.call('POST', '/api/me/passkeys/options')
    expect(status).to.equal(200)
    expect(json.expires_at).to.equal(api.clock.time + 5 * 60_000)
    expect(json.options).to.deep.include({
      rp: { name: 'Tocsin', id: 'tocsin.example.com' },
      attestation: 'none',
    })
    expect(json.options.authenticatorSelection).to.include({
      residentKey: 'preferred',
      userVerification: 'required',
    })
    const listed = await added()
    expect(listed).to.deep.include({ name: 'Laptop', is_backed_up: true, last_used_at: null })
    const options = await begin()
    expect(options).to.include({ rpId: 'tocsin.example.com', userVerification: 'required' })
    expect(options.allowCredentials ?? []).to.deep.equal([])
    const reply = await signIn(device.get(options))
    expect(reply.status, reply.text).to.equal(201)
    expect(reply.json).to.include({ account_uuid: person.uuid })
    const me = await api.call('GET', '/api/me', { key: null, headers: { cookie: cookieOf(reply) } })
    expect(me.json.sign_in.passkeys[0]).to.include({ last_used_at: api.clock.time })
    const path = `/api/me/passkeys/${listed.passkey_uuid}`
    const renamed = await person.call('PATCH', path, { body: { name: 'Key ring' } })
    expect(renamed.json.sign_in.passkeys[0].name).to.equal('Key ring')
    expect((await person.call('DELETE', path)).json.sign_in.passkeys).to.deep.equal([])
    expectProblem(await person.call('DELETE', path), 404, 'passkey_not_found')
    expectProblem(await signIn(device.get(await begin())), 401, 'passkey_refused')
    const { data } = await api.stores.audit.list('all', { subject: person.uuid }, { limit: 20 })
    expect(data.map(({ action }) => action)).to.include.members([
      'account.passkey_added',
      'account.passkey_renamed',
      'account.passkey_removed',
    ])
  })

  it('answers a challenge once, within five minutes', async () => {
    const offered = await offer()
    await added()
    const stale = device.create(offered)
    expectProblem(await add(stale), 409, 'passkey_unknown_challenge')
    const credential = device.get(await begin())
    expect((await signIn(credential)).status).to.equal(201)
    expectProblem(await signIn(credential), 409, 'passkey_unknown_challenge')
    const late = device.get(await begin())
    api.clock.time += 5 * 60_000
    expectProblem(await signIn(late), 409, 'passkey_unknown_challenge')
    // A failed answer uses it up too.
    const options = await begin()
    expectProblem(
      await signIn(device.get(options, { origin: 'https://evil.example' })),
      401,
      'passkey_refused',
    )
    expectProblem(await signIn(device.get(options)), 409, 'passkey_unknown_challenge')
  })

  it('does not answer a challenge of another session, of a sign-in, or a made-up one', async () => {
    const other = secure(await newPerson(api, 'Bert', ['reader']))
    await offer()
    for (const challenge of [(await offer(other)).challenge, (await begin()).challenge, 'eA', ''])
      expectProblem(
        await add(device.create({ ...(await offer()), challenge })),
        409,
        'passkey_unknown_challenge',
      )
    await added()
    for (const challenge of [(await offer()).challenge, 'eA'])
      expectProblem(
        await signIn(device.get({ ...(await begin()), challenge })),
        409,
        'passkey_unknown_challenge',
      )
  })

  it('is refused from another origin or site, without user verification, and for another person', async () => {
    for (const change of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { isVerified: false },
    ]) {
      expectProblem(await add(device.create(await offer(), change)), 400, 'passkey_invalid')
    }
    await added()
    const bert = secure(await newPerson(api, 'Bert', ['reader']))
    const handle = Buffer.from(bert.uuid).toString('base64url')
    for (const change of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { isVerified: false },
      { userHandle: handle },
    ]) {
      const reply = await signIn(device.get(await begin(), change))
      expectProblem(reply, 401, 'passkey_refused')
      expect(reply.json.hint).to.include(publicUrl)
    }
    // The passkey of Anna cannot be added to another account.
    expectProblem(await add(device.create(await offer(bert)), bert), 409, 'passkey_exists')
    const signature = device.get(await begin())
    const forged = new TestAuthenticator(publicUrl).get(await begin())
    const mixed = { ...signature, response: { ...signature.response, signature: forged.response.signature } }
    expectProblem(await signIn(mixed), 401, 'passkey_refused')
  })

  it('is refused when its counter does not grow, as that of a copy, which is recorded', async () => {
    await added()
    expect((await signIn(device.get(await begin(), { counter: 7 }))).status).to.equal(201)
    for (const counter of [7, 3, 0])
      expectProblem(await signIn(device.get(await begin(), { counter })), 401, 'passkey_copied')
    expect((await signIn(device.get(await begin(), { counter: 8 }))).status).to.equal(201)
    const entry = await eventually('the audit entry', async () => {
      const { data } = await api.stores.audit.list('all', { action: 'authentication.failed' }, { limit: 5 })
      return data.at(-1)
    })
    expect(entry.details).to.include({ reason: 'passkey_copied' })
    expect(entry.subject).to.include({ id: person.uuid })
  })

  it('does not let in a disabled account', async () => {
    await added()
    await api.call('POST', `/api/accounts/${person.uuid}/disable`)
    expectProblem(await signIn(device.get(await begin())), 401, 'passkey_refused')
  })

  it('is changed only soon after a sign-in, and never by an API key', async () => {
    const { passkey_uuid: uuid } = await added()
    for (const [method, path, body] of [
      ['POST', '/api/me/passkeys/options', undefined],
      ['POST', '/api/me/passkeys', { name: 'x', credential: device.create(await offer()) }],
      ['PATCH', `/api/me/passkeys/${uuid}`, { name: 'x' }],
      ['DELETE', `/api/me/passkeys/${uuid}`, undefined],
    ] as const) {
      expectProblem(await api.call(method, path, body && { body }), 403, 'account_needed')
      api.clock.time += 15 * 60_000
      expectProblem(await person.call(method, path, body && { body }), 403, 'sign_in_not_recent')
      api.clock.time -= 15 * 60_000
    }
    const bert = secure(await newPerson(api, 'Bert', ['reader']))
    const foreign = `/api/me/passkeys/${uuid}`
    expectProblem(await bert.call('DELETE', foreign), 404, 'passkey_not_found')
    expectProblem(await bert.call('PATCH', foreign, { body: { name: 'x' } }), 404, 'passkey_not_found')
  })

  it('is refused clearly for bodies that are no answer of a browser', async () => {
    await added()
    const good = device.get(await begin())
    for (const credential of [null, 1, 'x', [], {}, { ...good, id: '' }, { ...good, response: {} }])
      expectProblem(await signIn(credential), 400, 'value_invalid')
    const junk = { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'AA', signature: 'AA' }
    for (const clientDataJSON of ['%%%', 'e30', 'bnVsbA', 'WzFd', 'x'.repeat(60_000)]) {
      const response = { ...junk, userHandle: good.response.userHandle, clientDataJSON }
      expectProblem(await signIn({ ...good, response }), 401, 'passkey_refused')
      await offer()
      expectProblem(await add({ ...good, response }), 400, 'passkey_invalid')
    }
    for (const userHandle of [1, null, {}, undefined])
      expectProblem(
        await signIn({ ...good, response: { ...good.response, userHandle } }),
        401,
        'passkey_refused',
      )
    const { challenge } = await offer()
    const cut = device.create({ ...(await offer()), challenge })
    const attestationObject = cut.response.attestationObject.slice(0, 60)
    const open = device.create(await offer())
    expectProblem(
      await add({ ...open, response: { ...open.response, attestationObject } }),
      400,
      'passkey_invalid',
    )
  })

  it('is limited: failures per address, and started sign-ins', async () => {
    const credential = { ...device.get(await begin()) }
    const statuses: number[] = []
    for (let n = 0; n < 12; n++)
      // oxlint-disable-next-line no-await-in-loop -- each counts
      statuses.push((await post('/api/session/passkey', { credential })).status)
    expect(statuses.slice(0, 10)).to.deep.equal(Array.from({ length: 10 }, () => 401))
    expect(statuses.slice(10)).to.deep.equal([429, 429])
    let last = 200
    for (let n = 0; n < 70 && last === 200; n++)
      // oxlint-disable-next-line no-await-in-loop -- each counts
      last = (await post('/api/session/passkey/options')).status
    expect(last).to.equal(429)
  })
})

describe('a passkey of a person of the identity provider', () => {
  it('does not let the person in', async () => {
    const issuer = 'https://login.example.com'
    const settings = { issuer, localSignIn: 'on', label: 'Example' }
    const api = await startApi({ publicUrl: 'http://tocsin.localhost' }, undefined, undefined, () => {
      return { settings } as unknown as SingleSignOn
    })
    const person = await newPerson(api, 'Anna', ['reader'])
    const device = new TestAuthenticator('http://tocsin.localhost')
    const { options } = (await person.call('POST', '/api/me/passkeys/options')).json
    const body = { name: 'Laptop', credential: device.create(options) }
    expect((await person.call('POST', '/api/me/passkeys', { body })).status).to.equal(201)
    const signIn = async () => {
      const begun = await api.call('POST', '/api/session/passkey/options', { key: null })
      const credential = device.get(begun.json.options)
      return await api.call('POST', '/api/session/passkey', { key: null, body: { credential } })
    }
    expect((await signIn()).status, 'a local person').to.equal(201)
    stub(api.stores.singleSignOn, 'isOfIssuer').withArgs(person.uuid, issuer).resolves(true)
    const reply = await signIn()
    expectProblem(reply, 403, 'local_sign_in_off')
    expect(reply.headers.get('set-cookie')).to.equal(null)
    await api.close()
  })
})

describe('passkeys', () => {
  it('are off at an IP address, without https, and where only single sign-on is allowed', async () => {
    for (const [url, isOn] of [
      [undefined, false],
      ['http://192.0.2.1:8080', false],
      ['https://192.0.2.1', false],
      ['https://[2001:db8::1]', false],
      ['http://tocsin.example.com', false],
      ['https://tocsin.example.com', true],
      ['http://localhost:8080', true],
    ] as const) {
      const api = await startApi({ publicUrl: url })
      const methods = await api.call('GET', '/api/session/methods', { key: null })
      expect(methods.json.passkeys, url).to.equal(isOn)
      const begun = await api.call('POST', '/api/session/passkey/options', { key: null })
      if (isOn) expect(begun.status).to.equal(200)
      else expectProblem(begun, 409, 'passkeys_off')
      await api.close()
    }
  })
})
