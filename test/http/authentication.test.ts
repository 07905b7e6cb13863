import { expect } from 'chai'
import { stub as stubMethod } from 'sinon'
import { makeKey } from '../../server/access/keys.ts'
import { startApi, type Api } from './support/api.ts'
import { sendRaw } from './support/raw-request.ts'
import { expectProblem } from './support/schemas.ts'

describe('request authentication', () => {
  let api: Api
  const get = (headers: Readonly<Record<string, string>>) =>
    api.call('GET', '/api/alerts', { key: null, headers })

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('accepts the Session cookie', async () => {
    expect((await get({ cookie: `Session=${api.adminKey}` })).status).to.equal(200)
    expect(
      (await get({ cookie: `theme=dark; Session=${api.adminKey}; session=x; XSession=y` })).status,
    ).to.equal(200)
  })

  it('accepts Authorization: Bearer', async () => {
    expect((await get({ authorization: `Bearer ${api.adminKey}` })).status).to.equal(200)
    expect((await get({ authorization: `bearer ${api.adminKey}` })).status).to.equal(200)
  })

  it('answers 401 with the challenge if the key is missing', async () => {
    for (const headers of [{}, { cookie: 'other=1' }, { cookie: '' }]) {
      const reply = await get(headers)
      expectProblem(reply, 401, 'key_missing')
      expect(reply.headers.get('www-authenticate')).to.equal('Bearer realm="tocsin"')
    }
  })

  it('answers malformed, unknown, wrong, expired and revoked keys alike, without quoting the key', async () => {
    const expired = await api.newKey('admin', undefined, api.clock.time + 1)
    const revoked = await api.newKey('admin')
    const stub = stubMethod(api.stores.keys, 'find').callsFake(async (id) => {
      const found = await stub.wrappedMethod.call(api.stores.keys, id)
      return found && revoked.includes(id) ? { ...found, key: { ...found.key, revokedAt: 1 } } : found
    })
    api.clock.time += 1
    const wrong = `${api.adminKey.slice(0, -43)}${'A'.repeat(43)}`
    const keys = [
      'x',
      '',
      'toc_',
      `${api.adminKey} `.repeat(2),
      `${api.adminKey}x`,
      makeKey().value,
      wrong,
      expired,
      revoked,
    ]
    const answers = new Set<string>()
    for (const key of keys) {
      const reply = await get({ cookie: `Session=${key}` })
      expectProblem(reply, 401, 'key_invalid')
      if (key !== '') expect(reply.text.includes(key) && key.length > 4, key).to.equal(false)
      answers.add(JSON.stringify({ ...reply.json, request_id: '' }))
    }
    stub.restore()
    expect(answers.size).to.equal(1)
  })

  it('refuses a revoked key at once, because each request asks the store', async () => {
    const key = await api.newKey('reader')
    expect((await api.call('GET', '/api/alerts', { key })).status).to.equal(200)
    const stub = stubMethod(api.stores.keys, 'find').callsFake(async (id) => {
      const found = await stub.wrappedMethod.call(api.stores.keys, id)
      return found && { ...found, key: { ...found.key, revokedAt: api.clock.time } }
    })
    const reply = await api.call('GET', '/api/alerts', { key })
    stub.restore()
    expect(reply.status).to.equal(401)
  })

  it('limits failures per address with 429, which does not affect valid keys', async () => {
    const own = await startApi()
    const wrong = () => own.call('GET', '/api/alerts', { key: makeKey().value })
    const statuses = new Set<number>()
    for (let n = 0; n < 300; n++) statuses.add((await wrong()).status)
    expect([...statuses]).to.deep.equal([401])
    const refused = await wrong()
    expectProblem(refused, 429, 'too_many_requests')
    expect(refused.headers.get('retry-after')).to.equal('1')
    const cookie = `tocsin_session=${'x'.repeat(43)}`
    expect((await own.call('GET', '/api/alerts', { key: null, headers: { cookie } })).status).to.equal(429)
    expect((await own.call('GET', '/api/alerts')).status).to.equal(200)
    own.clock.time += 1_000
    expect((await wrong()).status).to.equal(401)
    await own.close()
  })

  it('answers 400 if a request has two keys, even equal ones', async () => {
    const cookie = `Session=${api.adminKey}`
    expectProblem(await get({ cookie: `${cookie}; ${cookie}` }), 400, 'credentials_ambiguous')
    expectProblem(
      await get({ cookie, authorization: `Bearer ${api.adminKey}` }),
      400,
      'credentials_ambiguous',
    )
    const twoHeaders = `GET /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nCookie: Session=x\r\nConnection: close\r\n\r\n`
    expect(await sendRaw(api.url, twoHeaders))
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('credentials_ambiguous')
    const [good, bad] = [`Authorization: Bearer ${api.adminKey}\r\n`, 'Authorization: Bearer bad\r\n']
    for (const headers of [good + good, good + bad, bad + good]) {
      const request = `GET /api/alerts HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`
      expect(await sendRaw(api.url, request)).to.match(/^HTTP\/1.1 400 /)
    }
  })

  it('accepts the key as the password of Basic, with any user name', async () => {
    for (const user of ['', 'key']) {
      const reply = await get({ authorization: `Basic ${btoa(`${user}:${api.adminKey}`)}` })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('www-authenticate')).to.equal(null)
    }
  })

  it('refuses a password that is not a key, and other Authorization schemes', async () => {
    for (const value of [btoa('key:x'), btoa(api.adminKey), '%%%', ''])
      expectProblem(await get({ authorization: `Basic ${value}` }), 401, 'key_invalid')
    expectProblem(await get({ authorization: `Digest ${api.adminKey}` }), 401, 'key_invalid')
  })

  it('never logs the key', () => {
    expect(JSON.stringify(api.logged)).to.not.include(api.adminKey.slice(-43))
  })

  it('never sets the key as a cookie', async () => {
    expect((await api.call('GET', '/api/alerts')).headers.get('set-cookie')).to.equal(null)
  })
})
