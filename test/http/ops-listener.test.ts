import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectRejection } from '../contract/fixture.ts'

describe('the listener for health and metrics', () => {
  let api: Api
  const get = async (path: string, headers = {}) => {
    const answer = await fetch(`${api.opsUrl}${path}`, { headers })
    return { status: answer.status, text: await answer.text() }
  }

  before(async () => {
    api = await startApi({ opsPort: 0 })
  })
  after(() => api.close())

  it('uses a port of its own', () => {
    expect(new URL(api.opsUrl ?? '').port).not.to.equal(new URL(api.url).port)
  })

  it('serves health and metrics with the same access rules as the API', async () => {
    expect(await get('/healthz')).to.deep.equal({ status: 200, text: '{"status":"ok"}' })
    expect(await get('/readyz')).to.deep.equal({ status: 200, text: '{"status":"ready"}' })
    expect((await get('/metrics')).status).to.equal(401)
    const metrics = await get('/metrics', { authorization: `Bearer ${api.adminKey}` })
    expect(metrics.status).to.equal(200)
    expect(metrics.text).to.include('tocsin_http_requests_total')
  })

  for (const path of ['/api/alerts', '/api/session', '/api/openapi.json', '/', '/alerts', '/metrics/']) {
    it(`serves nothing else: ${path}`, async () => {
      const answer = await get(path, { authorization: `Bearer ${api.adminKey}` })
      expect([answer.status, JSON.parse(answer.text).code]).to.deep.equal([404, 'path_not_found'])
    })
  }

  it('keeps health and metrics on the main listener', async () => {
    expect((await api.call('GET', '/healthz')).status).to.equal(200)
    expect((await api.call('GET', '/metrics')).status).to.equal(200)
  })

  it('fails the start if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const error = await expectRejection(startApi({ opsPort: port }), 'Error', 'EADDRINUSE')
    expect(error).to.have.property('port', port)
    other.close()
  })

  it('closes with the server', async () => {
    const other = await startApi({ opsPort: 0 })
    const { opsUrl } = other
    await other.close()
    const error: unknown = await fetch(`${opsUrl}/healthz`).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(TypeError)
  })
})
