import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import {
  certificate,
  freePort,
  hasCaddy,
  hasNginx,
  startCaddy,
  startNginx,
  startNodeProxy,
  type RunningProxy,
} from './support/proxies.ts'

/** Address from which the proxy is called; on Linux, every address of 127.0.0.0/8 is this machine. */
const person = process.platform === 'linux' ? '127.0.0.9' : '127.0.0.1'

for (const [name, startProxy, isThere] of [
  ['nginx, as deploy/nginx sets it up', startNginx, hasNginx],
  ['Caddy, as deploy/caddy sets it up', startCaddy, hasCaddy],
  ['a proxy of Node', startNodeProxy, true],
] as const) {
  describe(`tocsin serve behind ${name}`, function () {
    this.timeout(60_000)
    let house: TestTocsin
    let proxy: RunningProxy
    let port: number
    let agent: Agent

    before(async function () {
      if (!isThere) return this.skip()
      port = await freePort()
      house = await makeTestTocsin()
      await house.addPlaybook(
        'asks',
        '  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }',
      )
      const env = {
        TOCSIN_PUBLIC_URL: `https://127.0.0.1:${port}`,
        TOCSIN_TRUSTED_PROXIES: '127.0.0.1',
        TOCSIN_MAX_QUEUED: '5',
      }
      const server = await house.start({ env })
      proxy = await startProxy(port, Number(new URL(server.url).port), house.folder)
      agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate, localAddress: person })
    })
    after(async () => {
      agent?.destroy()
      await proxy?.close()
      await house?.close()
    })

    async function send(
      method: string,
      path: string,
      headers: object = {},
      body?: string | Uint8Array,
    ): Promise<IncomingMessage> {
      const sent = request({ host: '127.0.0.1', port, method, path, agent, headers: { ...headers } })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return answer
    }
    const json = { 'content-type': 'application/json' }
    const withKey = () => ({ ...json, cookie: `Session=${house.server.adminKey}` })
    const alert = (content: string) =>
      JSON.stringify({
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'asks',
        alert_content: content,
      })

    it('accepts consecutive alerts over one connection', async () => {
      const ports = new Set<number | undefined>()
      for (let n = 0; n < 3; n++) {
        const answer = await send('POST', '/api/alerts', withKey(), alert('x'.repeat(500_000)))
        ports.add(answer.socket.localPort)
        expect(answer.statusCode, await text(answer)).to.equal(201)
      }
      expect([...ports]).to.have.length(1)
    })

    it('passes on the 401 and 413 of Tocsin', async () => {
      const refused = await send('GET', '/api/alerts')
      expect([refused.statusCode, refused.headers['content-type']]).to.deep.equal([
        401,
        'application/problem+json',
      ])
      expect(JSON.parse(await text(refused))).to.include({ code: 'key_missing' })
      const large = await send('POST', '/api/alerts', withKey(), alert('x'.repeat(1_100_000)))
      expect(large.statusCode).to.equal(413)
      expect(JSON.parse(await text(large))).to.include({ code: 'body_too_large' })
    })

    it('passes on a file of a case, and playbooks that are published together', async () => {
      const [{ case_id: id }] = await eventually('the case', async () => {
        await house.post('asks')
        const { body } = await house.server.call('/cases')
        return body.data.length === 0 ? undefined : body.data
      })
      const file = await send('POST', `/api/cases/${id}/files?name=x`, withKey(), Buffer.alloc(6_000_000))
      expect(file.statusCode, await text(file)).to.equal(201)
      const playbooks = [{ source: `# ${'x'.repeat(6_000_000)}` }]
      const body = JSON.stringify({ playbooks, dry_run: true })
      const set = await send('POST', '/api/playbook-set', withKey(), body)
      // A playbook may have 256 KiB, a set of them 8 MB.
      expect(JSON.parse(await text(set))).to.include({ code: 'value_invalid' })
    })

    it('passes on 503 with Retry-After', async () => {
      await house.server.call('/engine/pause', { body: { reason: 'x' } })
      let answer: IncomingMessage
      do {
        answer = await send('POST', '/api/alerts', withKey(), alert('x'))
        answer.resume()
      } while (answer.statusCode === 201)
      await house.server.call('/engine/resume', { method: 'POST' })
      expect(answer.statusCode).to.equal(503)
      expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0)
    })

    it('lets Tocsin see the address of a client that fails to sign in, despite forged headers', async () => {
      const headers = {
        ...json,
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'http',
        forwarded: 'for=203.0.113.9',
      }
      const answer = await send('POST', '/api/session', headers, JSON.stringify({ api_key: 'x' }))
      expect(answer.statusCode, await text(answer)).to.equal(401)
      const [failed] = await eventually('the entry of the audit log', async () => {
        const { body } = await house.server.call('/audit?action=authentication.failed')
        return body.data.length === 0 ? undefined : body.data
      })
      expect(failed.actor.id).to.equal(person === '127.0.0.1' ? '203.0.113.9' : person)
    })

    it('gets a Secure cookie for sign-ins', async () => {
      const origin = { origin: `https://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' }
      const body = JSON.stringify({ api_key: house.server.adminKey })
      const answer = await send('POST', '/api/session', { ...json, ...origin }, body)
      expect(answer.statusCode, await text(answer)).to.equal(201)
      const [cookie = ''] = answer.headers['set-cookie'] ?? []
      expect(cookie).to.match(/^__Host-tocsin_session=.*Secure$/)
      const who = await send('GET', '/api/session', { ...origin, cookie: cookie.split(';', 1)[0] })
      expect(JSON.parse(await text(who))).to.include({ role: 'admin' })
    })

    it('streams events as they occur, up to the end of the stream', async () => {
      const { body } = await house.post('asks')
      const runs = async () => (await house.server.call(`/runs?alert=${body.alert_id}`)).body.data
      let [run] = await runs()
      while (run?.status !== 'waiting') [run] = await runs()
      const answer = await send('GET', `/api/runs/${run.run_uuid}/events`, withKey())
      expect(answer.headers['content-type']).to.equal('text/event-stream')
      let told = ''
      for await (const part of answer.setEncoding('utf8')) {
        told += String(part)
        // The stream is open, and this was read before further events.
        if (!told.includes('event: step') || told.includes('answered')) continue
        const { body: waiting } = await house.server.call(`/checkpoints?run=${run.run_uuid}`)
        const [checkpoint] = waiting.data
        if (checkpoint !== undefined)
          await house.server.call(`/checkpoints/${checkpoint.checkpoint_id}/answer`, {
            body: { answer: 'yes' },
          })
      }
      expect(told).to.include('event: end')
    })

    it('hides the monitoring endpoints from clients', async function () {
      if (startProxy === startNodeProxy) return this.skip()
      for (const path of ['/readyz', '/metrics']) {
        const answer = await send('GET', path, withKey())
        answer.resume()
        expect(answer.statusCode, path).to.equal(403)
      }
    })

    it('refuses too large headers and keeps working', async () => {
      const answer = await send('GET', '/healthz', { 'x-large': 'x'.repeat(20_000) })
      expect(answer.statusCode).to.be.oneOf([400, 431])
      answer.resume()
      const next = await send('GET', '/healthz')
      expect(next.statusCode, await text(next)).to.equal(200)
    })
  })
}
