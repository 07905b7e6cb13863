import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createServer as createTls, TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { NetworkSettings, SocketRequest } from '../../core/ports/egress.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { failure } from '../skill/fixture.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', `${name}.pem`), 'utf8')
const [certificate, key] = [fixture('localhost.cert'), fixture('localhost.key')]
const direct: NetworkSettings = { proxy: undefined, ca: certificate, certificate: undefined, key: undefined }

describe('egress: sockets for other protocols', () => {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let egress: ClosableEgress

  const listen = async (server: Server): Promise<number> => {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  /** Answers each line with the same line, behind TLS. */
  const echo = () =>
    listen(
      createTls({ cert: certificate, key, requestCert: true, rejectUnauthorized: false }, (socket) => {
        socket.on('error', () => {})
        socket.write(`hello ${String(socket.getPeerCertificate().subject?.CN ?? 'nobody')}\n`)
        socket.pipe(socket)
      }),
    )
  /** Speaks in clear text until STARTTLS: `answers` by the first word of a line, then TLS or not. */
  const clearText = (greeting: string, answers: Record<string, string>, afterTls = 'secret\n') =>
    listen(
      createServer((socket) => {
        socket.write(greeting)
        socket.on('data', (data) => {
          const line = data.toString()
          const answer = Object.entries(answers).find(([word]) => line.includes(word))?.[1]
          socket.write(answer ?? '500 what\r\n')
          if (!line.includes('STARTTLS') || !/^(220|t1 OK)/m.test(answer ?? '')) return
          socket.removeAllListeners('data')
          const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key })
          secure.on('error', () => {})
          secure.write(afterTls)
        })
      }),
    )

  beforeEach(() => (egress = createEgress({ allowPrivate: ['localhost', '127.0.0.1'] })))
  afterEach(() => {
    egress.close()
    for (const socket of sockets) socket.destroy()
    for (const server of servers.splice(0)) server.close()
    sockets.clear()
  })

  const open = (port: number, more: Partial<SocketRequest> = {}): Promise<Duplex> =>
    egress.connect({
      host: 'localhost',
      port,
      tls: 'immediate',
      network: direct,
      maxBytes: 100_000,
      signal: AbortSignal.timeout(30_000),
      ...more,
    })
  const read = async (socket: Duplex): Promise<string> =>
    String(socket.read() ?? (await once(socket, 'readable'), socket.read()))

  it('carries bytes behind a verified certificate, with the client certificate of the connection', async () => {
    const port = await echo()
    expect(await read(await open(port))).to.equal('hello nobody\n')
    const socket = await open(port, { network: { ...direct, certificate, key } })
    expect(await read(socket)).to.equal('hello localhost\n')
    socket.write('ping\n')
    expect(await read(socket)).to.equal('ping\n')
  })

  it('sends nothing over an open connection when the lease of the process is over', async () => {
    egress.close()
    let isHeld = true
    egress = createEgress({ allowPrivate: ['localhost'], lease: { isHeld: () => isHeld } })
    const port = await echo()
    const socket = await open(port)
    expect(await read(socket)).to.equal('hello nobody\n')
    socket.write('a\n')
    expect(await read(socket)).to.equal('a\n')
    isHeld = false
    const failed = once(socket, 'error')
    socket.write('b\n')
    expect((await failed)[0]).to.include({ code: 'lease_over' })
    expect(socket.destroyed).to.equal(true)
    const again = await failure(open(port))
    expect(again).to.include({ code: 'lease_over' })
  })

  it('refuses certificates of unknown authorities and of other names', async () => {
    const port = await echo()
    const unknown = await failure(open(port, { network: undefined }))
    expect(unknown).to.include({ code: 'network_error' })
    expect(unknown.message)
      .to.include(`localhost:${port}`)
      .and.to.include('not signed by a trusted authority')
    const other = await failure(open(port, { host: '127.0.0.1' }))
    expect(other.message).to.include('the certificate is for another name')
    expect(other.details).to.include({ sent: false })
  })

  it('reaches only addresses that connections may reach, whatever their name resolves to', async () => {
    egress.close()
    egress = createEgress({ allowPrivate: [] })
    const port = await echo()
    for (const host of [
      'localhost',
      '127.0.0.1',
      '::1',
      '169.254.169.254',
      '10.0.0.1',
      '0x7f.1',
      '::ffff:127.0.0.1',
    ]) {
      const { code } = await failure(open(port, { host }))
      expect(code, host).to.be.oneOf(['egress_forbidden', 'bad_address'])
    }
    for (const host of ['', 'kim@localhost', 'localhost/x', 'localhost:1', 'local host', 'a\r\nb'])
      expect((await failure(open(port, { host }))).code, host).to.equal('bad_address')
    expect(sockets.size, 'connections that were opened').to.equal(0)
    egress.close()
    egress = createEgress({ allowPrivate: ['localhost:1'] })
    expect((await failure(open(port))).code).to.equal('egress_forbidden')
  })

  it('begins TLS after STARTTLS, and shows nothing of the clear text', async () => {
    const smtp = await clearText('220-evil\r\n220 evil\r\n', {
      EHLO: '250-evil\r\n250-AUTH PLAIN\r\n250 STARTTLS\r\n',
      STARTTLS: '220 go\r\n',
    })
    const socket = await open(smtp, { tls: 'starttls_smtp' })
    expect(await read(socket)).to.equal('220 ready\r\n')
    expect(await read(socket)).to.equal('secret\n')
    const imap = await clearText('* OK [CAPABILITY evil]\r\n', { STARTTLS: '* NOTE x\r\nt1 OK go\r\n' })
    expect(await read(await open(imap, { tls: 'starttls_imap' }))).to.equal('* OK ready\r\n')
  })

  for (const [what, tls, greeting, answers, code] of [
    [
      'SMTP without STARTTLS',
      'starttls_smtp',
      '220 x\r\n',
      { EHLO: '250 x\r\n', STARTTLS: '502 no\r\n' },
      'tls_refused',
    ],
    ['a busy SMTP server', 'starttls_smtp', '421 later\r\n', {}, 'unavailable'],
    ['IMAP without STARTTLS', 'starttls_imap', '* OK x\r\n', { STARTTLS: 't1 BAD no\r\n' }, 'tls_refused'],
    ['a session that needs no password', 'starttls_imap', '* PREAUTH x\r\n', {}, 'tls_refused'],
    ['an IMAP server that ends', 'starttls_imap', '* BYE later\r\n', {}, 'unavailable'],
    [
      'injected answers',
      'starttls_imap',
      '* OK x\r\n',
      { STARTTLS: 't1 OK go\r\n* BAD x\r\n' },
      'tls_refused',
    ],
    ['endless text', 'starttls_imap', `* OK ${'x'.repeat(20_000)}`, {}, 'network_error'],
  ] as const)
    it(`sends nothing to ${what}`, async () => {
      const error = await failure(open(await clearText(greeting, answers), { tls }))
      expect(error).to.include({ code })
      expect(error.hint).to.be.a('string')
      expect(error.details).to.include({ sent: false })
    })

  it('goes through the proxy of the connection', async () => {
    const tunnels: string[] = []
    const proxy = await listen(
      createHttp().on('connect', (request, socket) => {
        tunnels.push(request.url ?? '')
        const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
          // The greeting of the target comes together with the answer of the proxy.
          target.once('data', (first) => {
            socket.write(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), first]))
            target.pipe(socket).pipe(target)
          })
        })
      }),
    )
    const smtp = await clearText('220 x\r\n', { EHLO: '250 x\r\n', STARTTLS: '220 go\r\n' })
    const network = { ...direct, proxy: `http://127.0.0.1:${proxy}` }
    expect(await read(await open(smtp, { tls: 'starttls_smtp', network }))).to.equal('220 ready\r\n')
    expect(tunnels).to.deep.equal([`localhost:${smtp}`])
  })

  it('ends with the signal, before and after it is open', async () => {
    const silent = await listen(createServer(() => {}))
    const controller = new AbortController()
    const opening = failure(open(silent, { signal: controller.signal, tls: 'starttls_imap' }))
    controller.abort(new Error('over'))
    expect((await opening).message).to.equal('over')
    const later = new AbortController()
    const socket = await open(await echo(), { signal: later.signal })
    const ended = once(socket, 'error')
    later.abort(new Error('over'))
    expect((await ended)[0]).to.have.property('message', 'over')
  })

  it('fails when more arrives than is allowed', async () => {
    const socket = await open(await echo(), { maxBytes: 1_000 })
    socket.resume().write('x'.repeat(2_000))
    const [error] = await once(socket, 'error')
    expect(error).to.include({ code: 'response_too_large' })
  })

  it('opens 8 connections to a system at the same time, and the next when one is closed', async () => {
    const port = await echo()
    const eight = await Promise.all(Array.from({ length: 8 }, () => open(port)))
    const impatient = await failure(open(port, { signal: AbortSignal.timeout(20) }))
    expect(impatient.name).to.equal('TimeoutError')
    expect(await read(await open(port, { organizationUuid: 'another' }))).to.match(/^hello/)
    const ninth = open(port)
    eight[0]?.destroy()
    expect(await read(await ninth)).to.match(/^hello/)
  })
})
