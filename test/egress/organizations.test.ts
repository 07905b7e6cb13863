import { expect } from 'chai'
import { definePlugin } from '../../core/plugin/index.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import { testCases } from '../../core/plugin/testing/index.ts'
import { testConnection } from '../../core/plugin/testing/memory-stores.ts'
import { connection } from '../../plugins/http/connection.ts'
import { send } from '../../plugins/http/skills/send.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { failure } from '../skill/fixture.ts'
import { serveHttp, type TestServer } from './servers.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const ignore = () => {}

describe('egress: requests of two organizations', () => {
  let egress: ClosableEgress
  let server: TestServer
  let seen: { readonly socket: number | undefined; readonly text: string }[]

  beforeEach(async () => {
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
    seen = []
    server = await serveHttp((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        seen.push({ socket: request.socket.remotePort, text: `${request.method} ${request.url} ${body}` })
        response.end('{}')
      })
    })
  })
  afterEach(async () => {
    egress.close()
    await server.close()
  })

  /** Sends a text over the only connection of an organization. */
  function sendOf(organizationUuid: string, text: string, settings: object = {}): Promise<unknown> {
    const made = testConnection(connection, 'test', {
      base_url: server.url,
      ...settings,
    })
    const open = { ...made, connection: { ...made.connection, organizationUuid, plugin: 'http' } }
    const plugin = definePlugin({
      name: 'http',
      title: 'HTTP',
      description: 'HTTP.',
      connection,
      skills: [send],
    })
    const catalogue = buildCatalogue([plugin])
    const call = createSkillCaller({
      catalogue,
      stores: {
        connections: { list: async () => [open.connection], open: async () => open },
        cases: testCases(),
      },
      performTask: createPerformTask({ catalogue, egress, clock: new ManualClock() }),
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    })
    return call({
      purpose: 'run',
      skill: 'http.send',
      connection: open.connection.name,
      input: { method: 'POST', path: `/of-${organizationUuid}`, text },
      run: { uuid: 'run', organizationUuid, playbookName: 'x', openCase: async () => 'DEMO-1' },
      attempt: {
        number: 1,
        idempotencyKey: 'key',
        deadlineMs: Infinity,
        signal: AbortSignal.timeout(30_000),
      },
    })
  }

  const smuggled = 'AAAAAPOST /notes HTTP/1.1\r\nHost: x\r\nContent-Length: 130\r\n\r\n'

  it('never share a socket, unlike those of one', async () => {
    for (const organization of ['acme', 'globex', 'acme', 'globex']) await sendOf(organization, 'hello')
    const [first, second, third, fourth] = seen.map(({ socket }) => socket)
    expect(second).to.not.equal(first)
    expect([third, fourth]).to.deep.equal([first, second])
  })

  it('never affect each other, because no connection may set framing headers', async () => {
    for (const header_name of [
      'Content-Length',
      'transfer-encoding',
      'Connection',
      'keep-alive',
      'Proxy-Connection',
      'HOST',
      'expect',
      'upgrade',
      'te',
      'trailer',
      'accept-encoding',
    ]) {
      const refused = await failure(sendOf('acme', smuggled, { header_name, header_value: '5' }))
      expect(refused, header_name).to.include({ code: 'connection_invalid' })
    }
    await sendOf('acme', smuggled)
    expect(seen.map(({ text }) => text)).to.deep.equal([`POST /of-acme ${smuggled}`])
  })

  it('are not sent with framing headers from any source', async () => {
    for (const headers of [
      { 'content-length': '5' },
      { 'Transfer-Encoding': 'chunked' },
      { connection: 'close' },
    ]) {
      const request = {
        method: 'POST',
        url: server.url,
        isConnection: true,
        body: smuggled,
        signal: AbortSignal.timeout(30_000),
      }
      expect(await failure(egress.send({ ...request, headers }))).to.include({ code: 'bad_header' })
    }
    expect(server.connections()).to.equal(0)
  })
})
