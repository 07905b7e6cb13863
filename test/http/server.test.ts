import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { stub as stubMethod } from 'sinon'
import { UnavailableError } from '../../core/errors/errors.ts'
import { manySockets } from '../../server/http/server/listener.ts'
import { expectRejection } from '../contract/fixture.ts'
import { startApi, type Api } from './support/api.ts'
import { sendRaw } from './support/raw-request.ts'
import { expectProblem } from './support/schemas.ts'

const alert = { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't' }

describe('the HTTP server', () => {
  let api: Api

  beforeEach(async () => {
    api = await startApi({ apiPrefix: 'soc/v2' })
  })
  afterEach(() => api.close())

  it('serves below the configured prefix', async () => {
    expect((await api.call('GET', '/soc/v2/providers')).status).to.equal(200)
    expect((await api.call('GET', '/api/providers')).status).to.equal(404)
    const reply = await api.call('POST', '/soc/v2/alerts', { body: alert })
    expect(reply.headers.get('location')).to.equal('/soc/v2/alerts/acme-SIEM-1')
  })

  it('answers HEAD like GET without the body', async () => {
    const reply = await api.call('HEAD', '/soc/v2/providers')
    expect([reply.status, reply.text]).to.deep.equal([200, ''])
  })

  describe('readiness', () => {
    const ask = () => api.call('GET', '/readyz', { key: null })
    const refusal = new UnavailableError('disk_full', 'the disk is full', {
      retryAfterMs: 1,
      hint: 'Free space.',
    })
    const said = () => api.logged.filter(({ message }) => message === 'the store cannot write')
    let probes: number

    beforeEach(() => {
      probes = 0
      const probe = api.stores.probe.bind(api.stores)
      api.stores.probe = async () => {
        probes++
        await probe()
      }
      api.clock.time += 1_000
    })

    it('is ok while the store accepts writes, and names the reason otherwise', async () => {
      expect((await ask()).json).to.deep.equal({ status: 'ready' })
      api.clock.time += 1_000
      api.stores.probe = () => Promise.reject(refusal)
      const reply = await ask()
      expectProblem(reply, 503, 'not_ready')
      expect(reply.json.detail).to.equal('The store does not accept writes: the disk is full.')
      expect(reply.json.hint).to.equal('Free space.')
      expect((await api.call('GET', '/healthz', { key: null })).json).to.deep.equal({ status: 'ok' })
      expect(said()).to.have.length(1)
    })

    it('writes at most once a second, however many requests come', async () => {
      for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: 10 }, ask))
      expect(probes).to.equal(1)
      api.clock.time += 999
      await ask()
      expect(probes).to.equal(1)
      api.clock.time += 1
      await ask()
      expect(probes).to.equal(2)
    })

    it('caches a failure for a second and logs it once', async () => {
      api.stores.probe = async () => {
        probes++
        throw refusal
      }
      const before = said().length
      for (let n = 0; n < 3; n++) expectProblem(await ask(), 503, 'not_ready')
      expect([probes, said().length - before]).to.deep.equal([1, 1])
    })

    it('reports missing store files at once', async () => {
      expect((await ask()).status).to.equal(200)
      api.stores.gone = () => refusal
      expectProblem(await ask(), 503, 'not_ready')
    })
  })

  it('limits the memory for concurrent bodies and reads on as responses finish', async () => {
    const small = await startApi({ limits: { maxBodiesBytes: 30_000 } })
    const { hostname, port } = new URL(small.url)
    const body = JSON.stringify({ ...alert, alert_content: 'x'.repeat(20_000) })
    const slow = connect(Number(port), hostname)
    const head = `POST /api/alerts HTTP/1.1\r\nhost: x\r\ncookie: Session=${small.adminKey}\r\ncontent-type: application/json\r\n`
    slow.write(`${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 100)}`)
    const post = () => small.call('POST', '/api/alerts', { body: JSON.parse(body) })
    let refused = await post()
    while (refused.status === 201) refused = await post()
    expectProblem(refused, 503, 'bodies_full')
    expect(refused.headers.get('retry-after')).to.equal('1')
    expect((await small.call('POST', '/api/alerts', { body: alert })).status, 'a small one').to.equal(201)
    slow.write(body.slice(100))
    expect(String(await once(slow, 'data'))).to.include(' 201 ')
    slow.destroy()
    for (let n = 0; n < 5; n++) expect((await post()).status).to.equal(201)
    // Refused requests release their memory too.
    for (let n = 0; n < 5; n++) {
      const wrong = { ...JSON.parse(body), unheard_of: 1 }
      expect((await small.call('POST', '/api/alerts', { body: wrong })).status).to.equal(400)
    }
    expect((await post()).status).to.equal(201)
    await small.close()
  })

  it('logs unparsable requests: the first at once, and a summary of a flood', async () => {
    const full = new UnavailableError('store_unavailable', 'the disk is full', { retryAfterMs: 1 })
    const stub = stubMethod(api.stores.alerts, 'receive').rejects(full)
    const refused = await api.call('POST', '/soc/v2/alerts', { body: alert })
    for (let at = 0; at < 4; at++) await api.call('POST', '/soc/v2/alerts', { body: alert })
    stub.restore()
    const lines = api.logged.filter(({ level }) => level === 'warn')
    const fields = { request_id: refused.headers.get('x-request-id'), code: 'store_unavailable', error: full }
    expect(lines).to.deep.equal([{ level: 'warn', message: 'could not accept a request', fields }])
  })

  it('passes on the error of the store if it cannot store an alert', async () => {
    const stub = stubMethod(api.stores.alerts, 'receive').rejects(
      new UnavailableError('disk_full', 'the disk is full', {
        hint: 'free some space',
        retryAfterMs: 2_500,
      }),
    )
    const reply = await api.call('POST', '/soc/v2/alerts', { body: alert })
    stub.restore()
    expectProblem(reply, 503, 'disk_full')
    expect(reply.headers.get('retry-after')).to.equal('3')
    expect(reply.json.hint).to.equal('free some space')
    expect(api.submitted).to.deep.equal([])
  })

  it('finishes requests in progress on close and accepts no new ones', async () => {
    const { promise: gate, resolve: go } = Promise.withResolvers<undefined>()
    const { promise: underWay, resolve: begun } = Promise.withResolvers<undefined>()
    const stub = stubMethod(api.stores.alerts, 'receive').callsFake(async (...given) => {
      begun(undefined)
      await gate
      return stub.wrappedMethod.apply(api.stores.alerts, given)
    })
    const pending = api.call('POST', '/soc/v2/alerts', { body: alert })
    await underWay
    const closed = api.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await sendRaw(api.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).to.equal('')
    go(undefined)
    const reply = await pending
    await closed
    expect(reply.status).to.equal(201)
    api = await startApi()
  })

  it('does not delay its close for Prefer: wait', async () => {
    const { promise: underWay, resolve: begun } = Promise.withResolvers<undefined>()
    api.investigations.wait = () => {
      begun(undefined)
      return new Promise(() => undefined)
    }
    const pending = api.call('POST', '/soc/v2/alerts', { body: alert, headers: { prefer: 'wait=60' } })
    await underWay
    const closed = api.close()
    expect((await pending).status).to.equal(201)
    await closed
    api = await startApi()
  })

  it('delivers the full refusal of a large body before closing the connection', async () => {
    const body = { ...alert, alert_content: 'x'.repeat(900_000) }
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => api.call('POST', '/soc/v2/alerts', { key: null, body })),
    )
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(8).fill(401))
  })

  it('serves many requests over one connection', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
    const text = await sendRaw(api.url, `${`${request}\r\n`.repeat(50)}${request}Connection: close\r\n\r\n`)
    expect(text.match(/HTTP\/1.1 200 OK/g)).to.have.length(51)
  })

  it('accepts several connections per turn of the event loop', async function () {
    if (manySockets === 1) this.skip()
    const connections = 256
    let answered = 0
    const sockets = Array.from({ length: connections }, () => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
      socket.once('data', () => answered++)
      return socket
    })
    let turns = 0
    // oxlint-disable-next-line no-unmodified-loop-condition -- the sockets count
    for (; answered < connections && turns < 10_000; turns++) await nextTurn()
    for (const socket of sockets) socket.destroy()
    expect(answered).to.equal(connections)
    expect(turns).to.be.lessThan(connections / 2)
  })

  it('does not share its port with another server', async () => {
    const port = Number(new URL(api.url).port)
    await expectRejection(startApi({ port }), 'Error', 'EADDRINUSE')
  })

  describe('with slow senders', () => {
    let slow: Api
    const head = 'POST /api/alerts HTTP/1.1\r\nHost: x\r\n'
    before(async () => {
      slow = await startApi({ limits: { headersTimeoutMs: 200, requestTimeoutMs: 400, maxConnections: 3 } })
    })
    after(() => slow.close())

    it('times out endless headers', async () => {
      expect(await sendRaw(slow.url, head))
        .to.match(/^HTTP\/1.1 408 /)
        .and.include('request_timeout')
    })

    it('times out endless bodies', async () => {
      const json = `Cookie: Session=${slow.adminKey}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`
      expect(await sendRaw(slow.url, head + json)).to.match(/^HTTP\/1.1 408 /)
    })

    it('limits the number of connections', async () => {
      const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
      const answers = await Promise.all(Array.from({ length: 8 }, () => sendRaw(slow.url, get)))
      expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200'))).to.have.length(3)
      expect(answers.filter((answer) => answer === '')).to.have.length(5)
    })
  })

  it('logs requests at debug level only, without query strings', async () => {
    await api.call('GET', '/soc/v2/alerts?type=canary')
    const line = api.logged.find(({ message }) => message === 'request')
    expect(line?.level).to.equal('debug')
    expect(line?.fields).to.include({ method: 'GET', path: '/soc/v2/alerts', status: 200 })
    expect(JSON.stringify(api.logged)).to.not.include('canary')
  })
})
