import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTls } from 'node:https'
import { connect, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { EgressRequest, NetworkSettings } from '../../core/ports/egress.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { failure } from '../skill/fixture.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', `${name}.pem`), 'utf8')
/** Both are self-signed. */
const [certificate, key] = [fixture('localhost.cert'), fixture('localhost.key')]
const direct: NetworkSettings = { proxy: undefined, ca: certificate, certificate: undefined, key: undefined }

describe('egress with network settings of a connection', () => {
  const servers: Server[] = []
  const tunnels: { readonly to: string; readonly authorization: string | undefined }[] = []
  let egress: ClosableEgress
  let tlsPort: number
  let proxyPort: number
  let refusal: number | undefined

  const listen = async (server: Server): Promise<number> => {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  before(async () => {
    const answer = (request: IncomingMessage): string => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate?.() ?? {}
      return JSON.stringify({ client: subject?.CN ?? null, to: request.headers.host })
    }
    const options = { cert: certificate, key, requestCert: true, rejectUnauthorized: false }
    tlsPort = await listen(createTls(options, (request, response) => response.end(answer(request))))
    const proxy = createServer().on('connect', (request, socket, head) => {
      tunnels.push({ to: request.url ?? '', authorization: request.headers['proxy-authorization'] })
      socket.on('error', () => {})
      if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
      // Every name resolves to this machine.
      const port = Number((request.url ?? '').split(':').at(-1))
      const target = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        target.write(head)
        target.pipe(socket).pipe(target)
      })
      target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    })
    proxyPort = await listen(proxy)
  })
  beforeEach(() => {
    egress = createEgress({ allowPrivate: ['localhost', '127.0.0.1'] })
    tunnels.splice(0)
    refusal = undefined
  })
  afterEach(() => egress.close())
  after(() => {
    for (const server of servers) server.close()
  })

  const send = (url: string, network: NetworkSettings, more: Partial<EgressRequest> = {}) =>
    egress.send({
      method: 'GET',
      url,
      headers: {},
      body: undefined,
      isConnection: true,
      network,
      signal: AbortSignal.timeout(30_000),
      ...more,
    })
  const home = () => `https://localhost:${tlsPort}/`
  const through = (more: Partial<NetworkSettings> = {}): NetworkSettings => ({
    ...direct,
    proxy: `http://127.0.0.1:${proxyPort}`,
    ...more,
  })

  it('trusts the authorities of the connection, and no other connection does', async () => {
    expect((await send(home(), direct)).status).to.equal(200)
    const error = await failure(send(home(), { ...direct, ca: undefined }))
    expect(error).to.include({ code: 'network_error' })
    expect(error.message).to.include('not signed by a trusted authority')
  })

  it('shows the client certificate to the other system, and not elsewhere', async () => {
    const network = { ...direct, certificate, key }
    const client = async (more: Partial<EgressRequest> = {}) =>
      (JSON.parse((await send(home(), network, more)).body) as { client: string | null }).client
    expect(await client()).to.equal('localhost')
    expect(await client({ isElsewhere: true })).to.equal(null)
    expect(await client({ method: 'POST', body: 'x' })).to.equal('localhost')
  })

  it('goes through the proxy, once for several requests, with its credentials', async () => {
    const network = through({ proxy: `http://tocsin:p%40ss@127.0.0.1:${proxyPort}`, certificate, key })
    let sent = 0
    for (let count = 0; count < 2; count++) {
      const { body } = await send(home(), network, { onSent: () => sent++ })
      expect(JSON.parse(body)).to.deep.equal({ client: 'localhost', to: `localhost:${tlsPort}` })
    }
    const authorization = `Basic ${Buffer.from('tocsin:p@ss').toString('base64')}`
    expect(tunnels).to.deep.equal([{ to: `localhost:${tlsPort}`, authorization }])
    expect(sent, 'a write may have happened from now on').to.equal(2)
  })

  it('also uses the proxy for plain http, if that is allowed', async () => {
    const port = await listen(createServer((_request, response) => response.end('plain')))
    let sent = 0
    const answer = await send(`http://127.0.0.1:${port}/`, through(), { onSent: () => sent++ })
    expect(answer.body).to.equal('plain')
    expect([tunnels.length, sent]).to.deep.equal([1, 1])
  })

  it('lets the proxy resolve names that this machine does not know', async () => {
    egress.close()
    egress = createEgress({ allowPrivate: ['127.0.0.1', 'only-at-the-proxy.invalid'] })
    const error = await failure(send(`https://only-at-the-proxy.invalid:${tlsPort}/`, through()))
    expect(tunnels.map(({ to }) => to)).to.deep.equal([`only-at-the-proxy.invalid:${tlsPort}`])
    expect(error.message).to.include('the certificate is for another name')
  })

  it('verifies the certificate of the target behind the proxy', async () => {
    const error = await failure(send(home(), through({ ca: undefined })))
    expect(error.message).to.include('not signed by a trusted authority')
    expect(error.details).to.include({ sent: false })
  })

  it('leads to no address that the guard refuses, neither of the proxy nor of the target', async () => {
    egress.close()
    egress = createEgress({ allowPrivate: [`127.0.0.1:${proxyPort}`] })
    for (const url of ['https://127.0.0.1:1/', 'https://169.254.169.254/', home(), 'http://example.com/']) {
      expect(await failure(send(url, through())), url).to.include({ code: 'egress_forbidden' })
    }
    expect(tunnels).to.deep.equal([])
    egress.close()
    egress = createEgress({ allowPrivate: [`localhost:${tlsPort}`] })
    for (const proxy of [
      `http://127.0.0.1:${proxyPort}`,
      `http://localhost:${proxyPort}`,
      'http://169.254.169.254',
    ]) {
      expect(await failure(send(home(), through({ proxy }))), proxy).to.include({ code: 'egress_forbidden' })
    }
  })

  it('says what the proxy refused, and that nothing was sent', async () => {
    for (const [status, code] of [
      [407, 'proxy_refused'],
      [403, 'proxy_refused'],
      [503, 'network_error'],
    ] as const) {
      refusal = status
      let sent = 0
      const write = { method: 'POST', body: 'x', onSent: () => sent++ }
      const error = await failure(
        send(home(), through({ proxy: `http://u:secret@127.0.0.1:${proxyPort}` }), write),
      )
      expect(error).to.include({ code })
      expect(error.message).to.include(`the proxy http://127.0.0.1:${proxyPort}`).and.not.include('secret')
      expect(error.details).to.include({ sent: false })
      expect(sent).to.equal(0)
    }
    const unreachable = through({ proxy: 'http://127.0.0.1:1' })
    expect((await failure(send(home(), unreachable))).message).to.include('the proxy http://127.0.0.1:1')
  })
})
