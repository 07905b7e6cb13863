import { expect } from 'chai'
import { loopbackEgress, serveSandbox, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'

const sandbox = serveSandbox(
  () => {
    let count = 0
    return {
      'GET /count': () => ({ json: ++count }),
      'GET /v2/:kind/:value': ({ params, query }) => ({ json: { ...params, q: query.get('q') } }),
      'POST /echo': (call) => ({ status: 201, json: call.json(), headers: { 'x-a': 'b' } }),
      'DELETE /echo': (call) => ({ json: call.json() }),
      'POST /form': (call) => ({ text: call.form().get('a') ?? '' }),
      'GET /slow': () => ({ delayMs: 50, text: 'late' }),
      'GET /broken': () => {
        throw new Error('a mistake in the sandbox')
      },
    }
  },
  (url) => ({ base_url: url }),
)

describe('serveSandbox', () => {
  let running: ServedSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  function send(path: string, more: Partial<EgressRequest> = {}): Promise<EgressResponse> {
    const signal = AbortSignal.timeout(30_000)
    return loopbackEgress.send({
      method: 'GET',
      url: running.url + path,
      headers: {},
      body: undefined,
      signal,
      ...more,
    })
  }

  it('serves routes on loopback with decoded parameters', async () => {
    expect(running.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(running.settings).to.deep.equal({ base_url: running.url })
    const { body } = await send('/v2/url/a%2Fb?q=x+y')
    expect(JSON.parse(body)).to.deep.equal({ kind: 'url', value: 'a/b', q: 'x y' })
  })

  it('reads the body of a DELETE', async () => {
    const { status, body } = await send('/echo', { method: 'DELETE', body: '{"a":"ü"}' })
    expect({ status, body }).to.deep.equal({ status: 200, body: '{"a":"ü"}' })
  })

  it('reads JSON and forms, and answers 400 to malformed JSON', async () => {
    expect(await send('/echo', { method: 'POST', body: '{"a":1}' })).to.deep.include({
      status: 201,
      body: '{"a":1}',
    })
    expect(await send('/form', { method: 'POST', body: 'a=b+c' })).to.include({ body: 'b c' })
    expect(await send('/echo', { method: 'POST', body: '{' })).to.include({ status: 400 })
  })

  it('answers 404, 405 and 500 like a real server', async () => {
    expect(await send('/none')).to.include({ status: 404 })
    expect(await send('/echo')).to.include({ status: 405 })
    expect(await send('/broken')).to.include({ status: 500 })
  })

  it('records requests', async () => {
    await send('/echo?a=1', { method: 'POST', body: '{}', headers: { 'x-key': 'k' } })
    expect(running.requests).to.have.length(1)
    expect(running.requests[0]).to.include({ method: 'POST', path: '/echo?a=1', body: '{}' })
    expect(running.requests[0]?.headers).to.include({ 'x-key': 'k' })
  })

  it('starts with fresh state every time', async () => {
    await send('/count')
    expect((await send('/count')).body).to.equal('2')
    const other = await sandbox.start()
    const { body } = await loopbackEgress.send({
      method: 'GET',
      url: `${other.url}/count`,
      headers: {},
      body: undefined,
      signal: AbortSignal.timeout(30_000),
    })
    await other.close()
    expect(body).to.equal('1')
  })

  it('fails on request, a given number of times: with an error, a cut, or silence', async () => {
    running.failNext({ status: 503, headers: { 'retry-after': '1' } }, 2)
    running.failNext('reset')
    running.failNext('hang')
    expect(await send('/count')).to.include({ status: 503 })
    expect(await send('/count')).to.include({ status: 503 })
    expect(await outcome(send('/count'))).to.equal('RetryableError')
    expect(await outcome(send('/count', { signal: AbortSignal.timeout(100) }))).to.equal('TimeoutError')
    expect(await send('/count')).to.include({ status: 200, body: '1' })
  })

  it('sends an unreadable response on request', async () => {
    running.failNext('garbage')
    const { body } = await send('/count')
    expect(() => void JSON.parse(body)).to.throw()
    for (const how of ['huge', 'gzip_bomb'] as const) {
      running.failNext(how)
      expect(await outcome(send('/count', { signal: AbortSignal.timeout(30_000) })), how).to.equal(
        'SkillError',
      )
    }
  })

  it('sends an endless response byte by byte on request, until the client gives up', async () => {
    running.failNext('drip')
    expect(await outcome(send('/count', { signal: AbortSignal.timeout(200) }))).to.equal('TimeoutError')
    running.failNext('drip')
    const dripping = outcome(send('/count'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await running.close()
    expect(await dripping).to.equal('RetryableError')
  })

  it('rate-limits like the real system on request, until that is disabled', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' }, json: { error: 'slow down' } }
    const bell = await serveSandbox(
      () => ({ answer: () => ({ text: 'rung' }), faults: { busy } }),
      () => ({}),
    ).start()
    const ring = async () => {
      const request = { method: 'GET', url: bell.url, headers: {}, body: undefined }
      const { status, body, headers } = await loopbackEgress.send({
        ...request,
        signal: AbortSignal.timeout(30_000),
      })
      return { status, body, waitS: Number(headers['retry-after'] ?? 0) }
    }
    bell.limitRate({ requests: 2, perMs: 3_600_000 })
    for (const time of ['once', 'twice'])
      expect(await ring(), time).to.deep.equal({ status: 200, body: 'rung', waitS: 0 })
    const refused = await ring()
    expect(refused).to.include({ status: 429, body: '{"error":"slow down"}' })
    expect(refused.waitS, 'until the first two are long ago').to.be.within(3_500, 3_600)
    bell.stopFailing()
    expect(await ring()).to.include({ status: 200 })
    await bell.close()
  })

  it('returns its actions on the state', async () => {
    const lamp = await serveSandbox(
      () => {
        let isOn = false
        return {
          answer: { 'GET /lamp': () => ({ json: { on: isOn } }) },
          controls: { switchOn: () => void (isOn = true) },
        }
      },
      () => ({}),
    ).start()
    lamp.controls.switchOn()
    const request = { method: 'GET', url: `${lamp.url}/lamp`, headers: {}, body: undefined }
    const { body } = await loopbackEgress.send({ ...request, signal: AbortSignal.timeout(30_000) })
    await lamp.close()
    expect(body).to.equal('{"on":true}')
  })

  it('delays a reply on request', async () => {
    const started = performance.now()
    expect(await send('/slow')).to.include({ body: 'late' })
    expect(performance.now() - started).to.be.above(45)
  })

  it('refuses bodies beyond 4 MB', async () => {
    const body = 'x'.repeat(5_000_000)
    expect(await outcome(send('/echo', { method: 'POST', body }))).to.be.oneOf(['413', 'RetryableError'])
    expect(running.requests).to.have.length(0)
  })

  it('listens on a given port, reports each request with its outcome, and offers its faults', async () => {
    const seen: string[] = []
    const bell = serveSandbox(
      (tell) => ({
        answer: { 'POST /ring': () => (tell('a bell rings'), { status: 201 }) },
        faults: { asleep: { status: 503, text: 'asleep' } },
        commands: [{ usage: 'ring', description: 'rings', run: () => 'rung' }],
      }),
      (url) => ({ base_url: url }),
    )
    const port = Number(new URL(running.url).port)
    expect(await bell.start({ port }).catch((error: { code?: string }) => error.code)).to.equal('EADDRINUSE')
    await running.close()
    const served = await bell.start({
      port,
      onAnswer: ({ method, path }, outcome) => seen.push(`${method} ${path} ${outcome}`),
      onNews: (news) => seen.push(news),
    })
    expect(served.url).to.equal(running.url)
    await send('/ring', { method: 'POST' })
    served.failNext(served.faults['asleep']!)
    served.failNext('garbage')
    await send('/ring', { method: 'POST' })
    await send('/none')
    await served.close()
    expect(seen).to.deep.equal(['a bell rings', 'POST /ring 201', 'POST /ring 503', 'GET /none garbage'])
    expect(served.commands?.map(({ usage }) => usage)).to.deep.equal(['ring'])
  })

  it('closes during a delayed reply', async () => {
    running.failNext('hang')
    const waiting = outcome(send('/count'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await running.close()
    expect(await waiting).to.equal('RetryableError')
  })
})

describe('loopbackEgress', () => {
  it('reaches only this machine', async () => {
    for (const url of ['https://example.com/', 'http://localhost/', 'http://10.0.0.1/']) {
      const request = {
        method: 'GET',
        url,
        headers: {},
        body: undefined,
        signal: AbortSignal.timeout(30_000),
      }
      expect(await outcome(loopbackEgress.send(request)), url).to.equal('Error')
    }
  })
})

function outcome(work: Promise<EgressResponse>): Promise<string> {
  return work.then(
    ({ status }) => String(status),
    (error: Error) => error.name,
  )
}
