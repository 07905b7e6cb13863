import { expect } from 'chai'
import { request } from 'node:http'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('webhooks', () => {
  let api: Api
  let token: string

  beforeEach(async () => {
    api = await startApi()
    const settings = { base_url: 'https://tower.example', api_token: 'canary-secret' }
    const body = { organization_code: 'acme', name: 'north', plugin: 'tower', settings }
    expect((await api.call('POST', '/api/connections', { body })).status).to.equal(201)
    const { json } = await api.call('GET', '/api/connections/north/manifest')
    token = new URL(json.url).searchParams.get('token') ?? ''
  })
  afterEach(() => api.close())

  const send = (
    given = token,
    headers: Readonly<Record<string, string>> = {},
    body: unknown = {},
  ): Promise<Reply> =>
    api.call('POST', `/api/webhooks/tower/v1/rope?token=${given}`, { key: null, body, headers })

  it('are answered by the plugin without an API key', async () => {
    const reply = await send()
    expect([reply.status, reply.text]).to.deep.equal([200, '{"rung":true}'])
    expect(reply.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('accept uncompressed text in UTF-8', async () => {
    for (const type of [
      'application/json',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-8',
      'application/cloudevents+json; charset="UTF-8"',
      'text/plain; charset=utf8',
      '',
    ]) {
      expect((await send(token, { 'content-type': type }, 'a=b')).status, type).to.equal(200)
    }
    for (const headers of [
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'text/plain; charset=utf-16' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
    ]) {
      expectProblem(await send(token, headers), 401, 'webhook_refused')
    }
  })

  it('are limited to 1 MB', async () => {
    expect((await send(token, {}, `"${'x'.repeat(1_048_574)}"`)).status).to.equal(200)
    expectProblem(await send(token, {}, `"${'x'.repeat(1_048_575)}"`), 413, 'body_too_large')
    const endless = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${api.url}/api/webhooks/tower/v1/rope?token=${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      })
      sent.on('response', ({ statusCode }) => resolve(statusCode))
      sent.on('error', reject)
      for (let part = 0; part < 5; part++) sent.write('x'.repeat(262_144))
    })
    expect(endless).to.equal(413)
  })

  it('refuse an unknown, missing or duplicate token', async () => {
    expectProblem(await send('x'), 401, 'webhook_refused')
    const path = '/api/webhooks/tower/v1/rope'
    const call = (query: string) => api.call('POST', `${path}${query}`, { key: null, body: {} })
    expectProblem(await call(''), 401, 'webhook_refused')
    expectProblem(await call(`?token=${token}&token=${token}`), 400, 'query_invalid')
    expect((await call(`?token=${token}&x=1`)).status, 'other parameters').to.equal(200)
  })

  it('have no other path', async () => {
    for (const path of [
      'tower/v1/rope/',
      'tower//v1/rope',
      'tower/v1%2Frope',
      'Tower/v1/rope',
      'tower/v2/rope',
    ]) {
      const reply = await api.call('POST', `/api/webhooks/${path}?token=${token}`, { key: null, body: {} })
      expect(reply.status, path).to.be.oneOf([401, 404])
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const reply = await api.call(method, `/api/webhooks/tower/v1/rope?token=${token}`, { key: null })
      expect(reply.status, method).to.equal(405)
    }
  })

  it('without a valid token have a rate limit of their own', async () => {
    expect((await send()).status, 'its token is known from now on').to.equal(200)
    for (let count = 0; count < 29; count++) {
      expectProblem(await send(`stranger-${count}`), 401, 'webhook_refused')
    }
    const limited = await send('stranger')
    expectProblem(limited, 429, 'too_many_requests')
    expect(limited.headers.get('retry-after')).to.equal('1')
    expect((await send()).status, 'from the same address').to.equal(200)
    api.clock.time += 1_000
    expectProblem(await send('stranger'), 401, 'webhook_refused')
  })

  it('with a valid token are rate-limited too', async () => {
    const statuses = new Map<number, number>()
    for (let count = 0; count < 310; count++) {
      const { status } = await send()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(Object.fromEntries(statuses)).to.deep.equal({ 200: 301, 429: 9 })
  })

  it('fall back to the limit of unknown callers once their connection is deleted', async () => {
    expect((await send()).status).to.equal(200)
    expect((await api.call('DELETE', '/api/connections/north')).status).to.equal(200)
    for (let count = 0; count < 30; count++) expectProblem(await send(), 401, 'webhook_refused')
    expectProblem(await send(), 429, 'too_many_requests')
  })

  it('keep tokens out of the log', async () => {
    await send()
    await send('canary-stranger')
    const log = JSON.stringify(api.logged)
    expect(log).to.include('/api/webhooks/tower/v1/rope').and.include('token_unknown')
    for (const secret of [token, 'canary']) expect(log).to.not.include(secret)
  })
})
