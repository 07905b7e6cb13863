import { expect } from 'chai'
import { inspect } from 'node:util'
import { RetryableError, type HttpRequest, type HttpResponse } from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { callerOf, canary, failure, skillThat } from './fixture.ts'

type Answer = (request: EgressRequest) => Partial<EgressResponse> | Error

/** Sends one request from a skill. */
async function send(wanted: HttpRequest, answer: Answer = () => ({}), more: object = {}) {
  let response: HttpResponse | undefined
  const skill = skillThat(async (_input, { http }) => {
    response = await http.request(wanted)
    return { text: '' }
  }, more)
  const caller = callerOf(skill, { answer })
  await caller.call()
  return { response: response as HttpResponse, request: caller.requests[0] as EgressRequest }
}

describe('the HTTP client of a skill', () => {
  it('requests addresses below the base address and adds the credentials last', async () => {
    const { request } = await send({
      path: '/a',
      query: { q: 1 },
      headers: { 'x-KEY': 'mine', 'X-Other': 'o' },
    })
    expect(request).to.deep.include({
      method: 'GET',
      url: 'https://box.example.com/v1/a?q=1',
      body: undefined,
    })
    expect(request.headers).to.deep.equal({ accept: 'application/json', 'x-other': 'o', 'x-key': canary })
  })

  it('sends JSON, a form or text', async () => {
    const json = await send({ method: 'POST', path: '/a', json: { n: 9007199254740993n } })
    expect(json.request.body).to.equal('{"n":9007199254740993}')
    expect(json.request.headers['content-type']).to.equal('application/json')
    const form = await send({ method: 'POST', path: '/a', form: { a: 'b c&d' } })
    expect(form.request.body).to.equal('a=b+c%26d')
    expect(form.request.headers['content-type']).to.equal('application/x-www-form-urlencoded')
    expect((await send({ method: 'PUT', path: '/a', body: 'raw' })).request.body).to.equal('raw')
    expect(await failure(send({ method: 'POST', path: '/a', json: 1, body: '' }))).to.include({
      code: 'bad_request',
    })
  })

  it('reaches other origins that the connection lists, without credentials', async () => {
    const { request } = await send({
      method: 'POST',
      path: 'https://login.example.com/token',
      form: { a: 'b' },
    })
    expect(request.url).to.equal('https://login.example.com/token')
    expect(request.headers).not.to.have.property('x-key')
    for (const path of [
      'https://login.example.com.evil.example/',
      'https://evil.example/',
      'http://login.example.com/',
      'https://login.example.com:8443/',
    ]) {
      expect(await failure(send({ path })), path).to.include({ code: 'bad_path' })
    }
  })

  it('follows only absolute links below the base address, with credentials', async () => {
    const base = 'https://box.example.com/v1'
    const next = await send({ path: `${base}/items?cursor=a%2Fb&limit=2`, query: { x: 1 } })
    expect(next.request.url).to.equal(`${base}/items?cursor=a%2Fb&limit=2&x=1`)
    expect(next.request.headers).to.have.property('x-key')
    expect((await send({ path: 'HTTPS://BOX.example.com:443/v1/items' })).request.url).to.equal(
      `${base}/items`,
    )
    for (const path of [
      'http://box.example.com/v1/items',
      'https://box.example.com:444/v1/items',
      'https://box.example.com/v2/items',
      'https://box.example.com/v10/items',
      'https://box.example.com/v1/../admin',
      'https://box.example.com/v1/%2e%2e/admin',
      'https://box.example.com/v1/a%2Fb',
      'https://box.example.com@evil.example/v1/items',
      'https://evil.example/v1/items',
      'https://box.example.com\\@evil.example/v1/items',
    ]) {
      expect(await failure(send({ path })), path).to.include({ code: 'bad_path' })
    }
  })

  it('requests absolute addresses without credentials if there is no connection', async () => {
    const { request } = await send({ path: 'https://example.com/a' }, undefined, {
      connectionIsOptional: true,
    })
    expect(request.url).to.equal('https://example.com/a')
    expect(request.headers).to.deep.equal({ accept: 'application/json' })
    expect(await failure(send({ path: '/a' }, undefined, { connection: undefined }))).to.include({
      code: 'bad_path',
    })
  })

  it('returns the response, with lossless JSON', async () => {
    const body = '{"id":9007199254740993,"__proto__":{"x":1}}'
    const { response } = await send({ path: '/a' }, () => ({ status: 206, headers: { a: 'b' }, body }))
    expect(response).to.deep.include({ status: 206, headers: { a: 'b' }, text: body })
    expect(response.json()).to.have.property('id', 9007199254740993n)
    expect(Object.keys(response.json() as object)).to.include('__proto__')
  })

  for (const [what, body] of Object.entries({
    nothing: '',
    HTML: '<html>',
    'deep nesting': '['.repeat(100_000),
  })) {
    it(`reports that ${what} is not JSON`, async () => {
      const { response } = await send({ path: '/a' }, () => ({ body }))
      expect(() => response.json())
        .to.throw('the answer of GET https://box.example.com/v1/a cannot be read')
        .that.includes({ code: 'bad_response' })
        .and.has.property('hint')
        .that.includes('check the address')
    })
  }

  it('returns an error status that the skill accepts', async () => {
    expect((await send({ path: '/a', accept: [404] }, () => ({ status: 404 }))).response.status).to.equal(404)
  })

  it('maps statuses with the hints of the connection', async () => {
    expect(
      await failure(send({ path: '/a', query: { token: 'hidden' } }, () => ({ status: 403 }))),
    ).to.include({
      name: 'ConnectionError',
      code: 'http_403',
      message: 'GET https://box.example.com/v1/a answered 403',
      hint: 'ask the owner of the box',
    })
    const busy = await failure(send({ path: '/a' }, () => ({ status: 429, headers: { 'retry-after': '3' } })))
    expect(busy).to.include({ name: 'RetryableError', code: 'http_429', retryAfterMs: 3_000 })
  })

  it('passes on rejections of the egress', async () => {
    const error = new RetryableError('network_error', 'cut')
    expect(await failure(send({ path: '/a' }, () => error))).to.equal(error)
  })

  it('redacts secrets that the other system repeats in an error', async () => {
    const body = JSON.stringify({ message: `bad key ${canary}` })
    const error = await failure(send({ path: `/hooks/${canary}` }, () => ({ status: 400, body })))
    expect(error.message).to.equal(
      'GET https://box.example.com/v1/hooks/[redacted] answered 400: bad key [redacted]',
    )
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.include(canary)
  })

  it('redacts a token as soon as it arrives', async () => {
    const skill = skillThat(async (_input, { http }) => {
      throw new Error(`odd answer: ${(await http.get('/token')).text}`)
    })
    const { call } = callerOf(skill, { answer: () => ({ body: '{"access_token":"canary-token"}' }) })
    expect(await failure(call())).to.include({ message: 'odd answer: {"access_token":"[redacted]"}' })
  })

  it('redacts a token that a skill sends itself', async () => {
    const skill = skillThat(async (_input, { http }) => {
      const token = (await http.get('/token')).text
      await http.get('/a', { headers: { authorization: `Bearer ${token}` } })
      throw new Error(`no luck with ${token}`)
    })
    const { call } = callerOf(skill, { answer: () => ({ body: 'canary-token' }) })
    expect(await failure(call())).to.include({ message: 'no luck with [redacted]' })
  })
})
