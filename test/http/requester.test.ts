import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { requesterOf } from '../../server/http/caller/requester.ts'
import { seed, tries } from '../support/random.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const proxies = ['10.0.0.1', '10.9.0.0/16', 'fd00::/8', '127.0.0.1']

const find = (remoteAddress: string | undefined, headers: IncomingMessage['headers'], isPublicTls = false) =>
  requesterOf(proxies, isPublicTls)({ socket: { remoteAddress }, headers } as IncomingMessage)
const behind = (forwarded: string, from = '10.0.0.1') => find(from, { 'x-forwarded-for': forwarded }).address

describe('the client address', () => {
  it('is the peer of the connection, regardless of headers, unless the peer is a trusted proxy', () => {
    const headers = {
      'x-forwarded-for': '192.0.2.7',
      'x-forwarded-proto': 'https',
      forwarded: 'for=192.0.2.7',
    }
    expect(find('198.51.100.1', headers)).to.deep.equal({ address: '198.51.100.1', isTls: false })
    expect(find('10.0.0.2', headers).address, 'beside a trusted one').to.equal('10.0.0.2')
    expect(
      requesterOf([], false)({ socket: { remoteAddress: '10.0.0.1' }, headers } as never).address,
    ).to.equal('10.0.0.1')
    expect(find(undefined, headers).address, 'of a connection that is gone').to.equal('')
  })

  it('is the last forwarded address that is not a trusted proxy', () => {
    expect(behind('192.0.2.7')).to.equal('192.0.2.7')
    expect(behind('1.1.1.1, 192.0.2.7'), 'what stands further left is anything').to.equal('192.0.2.7')
    expect(behind('10.0.0.1, 192.0.2.7, 10.9.3.4,fd00::1')).to.equal('192.0.2.7')
    expect(behind('10.9.0.1, 10.9.0.2'), 'where all are proxies').to.equal('10.9.0.1')
    expect(behind('192.0.2.7', '::ffff:10.0.0.1'), 'of a proxy that is seen as IPv6').to.equal('192.0.2.7')
  })

  it('is read with ports and brackets, in IPv4 and IPv6', () => {
    expect(behind('192.0.2.7:4711')).to.equal('192.0.2.7')
    expect(behind('[2001:db8::1]:4711')).to.equal('2001:db8::1')
    expect(behind('[2001:db8::1]')).to.equal('2001:db8::1')
    expect(behind('2001:DB8:0::1')).to.equal('2001:db8::1')
    expect(behind('::ffff:192.0.2.7')).to.equal('192.0.2.7')
    expect(behind('192.0.2.7, [fd00::2]:80')).to.equal('192.0.2.7')
  })

  for (const [name, forwarded] of [
    ['an empty value', ''],
    ['no address', 'unknown'],
    ['a name', 'evil.example'],
    ['a number', '3232235777'],
    ['a short form', '192.168.1'],
    ['hexadecimal parts', '0xc0.0.2.7'],
    ['an empty last entry', '192.0.2.7,'],
    ['an invalid port', '192.0.2.7:x'],
    ['markup', '<script>alert(1)</script>'],
    ['10 KB of one entry', 'a'.repeat(10_240)],
    ['10 KB of commas', ','.repeat(10_240)],
  ] as const) {
    it(`is the proxy itself if the header has ${name}`, () => {
      expect(behind(forwarded)).to.equal('10.0.0.1')
    })
  }

  it('is found at the end of a header of 10 KB', () => {
    expect(behind(`${'9.9.9.9, '.repeat(1_200)}192.0.2.7`)).to.equal('192.0.2.7')
    expect(behind(`192.0.2.7${', 10.9.0.1'.repeat(1_200)}`)).to.equal('192.0.2.7')
  })

  it(`is an address that forged entries in front cannot change (seed ${seed})`, () => {
    const junk = fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.1', 'fd00::1', '"', ',', '\t'),
    )
    fc.assert(
      fc.property(fc.array(junk), fc.ipV4(), (left, address) => {
        fc.pre(!/^(10|127)\./.test(address))
        expect(behind([...left, address].join(','))).to.equal(address)
        expect(behind(left.join(','))).to.match(/^[\da-f.:]+$/)
      }),
      tries(300),
    )
  })

  it('comes with TLS if a trusted proxy or the public address says so', () => {
    const proto = (value: string, from = '10.0.0.1') => find(from, { 'x-forwarded-proto': value }).isTls
    expect([proto('https'), proto(' HTTPS ')]).to.deep.equal([true, true])
    expect([proto('http'), proto('http, https'), proto('https', '192.0.2.7')]).to.deep.equal([
      false,
      false,
      false,
    ])
    expect(find('192.0.2.7', {}, true).isTls).to.equal(true)
  })
})

describe('a server behind a trusted proxy', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi({ trustedProxies: ['127.0.0.1'] })
  })
  afterEach(() => api.close())

  const from = (address: string, more: Readonly<Record<string, string>> = {}) => ({
    'x-forwarded-for': `1.2.3.4, ${address}`,
    ...more,
  })
  const signIn = (api_key: string, headers: Readonly<Record<string, string>>) =>
    api.call('POST', '/api/session', { key: null, body: { api_key }, headers })

  it('records the client address of a failed authentication', async () => {
    await api.call('GET', '/api/alerts', { key: 'x', headers: from('192.0.2.7') })
    await api.stores.probe()
    const { json } = await api.call('GET', '/api/audit?action=authentication.failed')
    expect(json.data[0].actor).to.include({ kind: 'stranger', id: '192.0.2.7' })
  })

  it('delays a client that fails to sign in and no other behind the same proxy', async () => {
    for (let n = 0; n < 10; n++) expectProblem(await signIn('x', from('192.0.2.7')), 401, 'key_invalid')
    expectProblem(await signIn('x', from('192.0.2.7', { 'x-real-ip': '9.9.9.9' })), 429, 'too_many_requests')
    expectProblem(await signIn('x', from('192.0.2.8')), 401, 'key_invalid')
  })

  it('delays the whole network of an IPv6 address', async () => {
    for (let n = 0; n < 10; n++) await signIn('x', from(`2001:db8:0:7::${n + 1}`))
    expectProblem(await signIn('x', from('2001:db8:0:7:ffff::1')), 429, 'too_many_requests')
    expectProblem(await signIn('x', from('2001:db8:0:8::1')), 401, 'key_invalid')
  })

  it('has a separate rate limit for webhooks without a token', async () => {
    const send = (address: string) =>
      api.call('POST', `/api/webhooks/tower/v1/rope?token=${'x'.repeat(43)}`, {
        key: null,
        body: {},
        headers: from(address),
      })
    const path = (await send('192.0.2.6')).status
    expect(path, 'the route is there').to.equal(401)
    const statuses = new Set<number>()
    for (let n = 0; n < 31; n++) statuses.add((await send('192.0.2.7')).status)
    expect(statuses).to.include(429)
    expect((await send('192.0.2.8')).status).to.equal(401)
  })

  it('issues a Secure cookie if the proxy speaks TLS, and accepts it', async () => {
    const tls = { 'x-forwarded-proto': 'https' }
    const reply = await signIn(api.adminKey, tls)
    const cookie = reply.headers.get('set-cookie') ?? ''
    expect(cookie).to.match(/^__Host-tocsin_session=\S{43}; .*; Secure$/)
    const headers = { ...tls, cookie: cookie.split(';', 1)[0] ?? '' }
    expect((await api.call('GET', '/api/session', { key: null, headers })).json.role).to.equal('admin')
    const out = await api.call('DELETE', '/api/session', { key: null, headers })
    expect(out.headers.get('set-cookie')).to.match(/^__Host-tocsin_session=; Max-Age=0;.*Secure$/)
  })
})
