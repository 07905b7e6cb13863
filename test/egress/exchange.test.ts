import { expect } from 'chai'
import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { createGzip, gzipSync } from 'node:zlib'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import type { Egress, EgressRequest } from '../../core/ports/egress.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { serveHttp, serveSocket, type TestServer } from './servers.ts'

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  const signal = AbortSignal.timeout(30_000)
  return { method: 'GET', url, headers: {}, body: undefined, isConnection: true, signal, ...more }
}

async function failure(egress: Egress, request: EgressRequest): Promise<Error & { code?: string }> {
  return egress.send(request).then(
    () => expect.fail('it should have failed'),
    (error: Error) => error,
  )
}

describe('egress: an exchange', () => {
  let egress: ClosableEgress
  let server: TestServer | undefined

  beforeEach(() => {
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  })
  afterEach(async () => {
    egress.close()
    await server?.close()
    server = undefined
  })

  it('sends method, headers and body, and returns status, headers and body', async () => {
    server = await serveHttp((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        const seen = [request.method, request.headers['x-a'], body].join(' ')
        response.writeHead(201, { 'x-seen': seen, 'set-cookie': ['a=1', 'b=2'] }).end('{"ü":1}')
      })
    })
    const answer = await egress.send(
      get(`${server.url}/a`, { method: 'PATCH', headers: { 'x-a': 'A' }, body: 'hello' }),
    )
    expect(answer.status).to.equal(201)
    expect(answer.body).to.equal('{"ü":1}')
    expect(answer.headers).to.include({ 'x-seen': 'PATCH A hello', 'set-cookie': 'a=1, b=2' })
  })

  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`sends ${method} without a body`, async () => {
      server = await serveHttp((request, response) => response.end(request.method))
      const { body, status } = await egress.send(get(server.url, { method }))
      expect(status).to.equal(200)
      expect(body).to.equal(method === 'HEAD' ? '' : method)
    })
  }

  it('reuses a connection', async () => {
    server = await serveHttp((_request, response) => response.end('x'.repeat(100_000)))
    for (let count = 0; count < 5; count++) await egress.send(get(server.url))
    expect(server.connections()).to.equal(1)
  })

  it('sends writes only over connections that were not idle for long', async () => {
    server = await serveHttp((_request, response) => response.end('x'))
    await egress.send(get(server.url))
    await egress.send(get(server.url, { method: 'POST', body: 'x' }))
    expect(server.connections(), 'that of the read may be closing').to.equal(2)
    await egress.send(get(server.url, { method: 'POST', body: 'x' }))
    expect(server.connections(), 'one right after the other').to.equal(2)
  })

  it('opens a bounded number of connections to one host', async () => {
    server = await serveHttp((_request, response) => setTimeout(() => response.end('x'), 20))
    const { url } = server
    await Promise.all(Array.from({ length: 60 }, () => egress.send(get(url))))
    expect(server.connections()).to.be.at.most(16)
  })

  it('returns a redirect without following it', async () => {
    let calls = 0
    server = await serveHttp((_request, response) => {
      calls++
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect(await egress.send(get(server.url))).to.deep.include({ status: 302 })
    expect(calls).to.equal(1)
  })

  it('returns error statuses and retries nothing', async () => {
    let calls = 0
    server = await serveHttp((_request, response) => {
      calls++
      response.writeHead(503, { 'retry-after': '1' }).end('busy')
    })
    expect(await egress.send(get(server.url))).to.deep.include({ status: 503, body: 'busy' })
    expect(calls).to.equal(1)
  })

  it('sends headers and body in one segment', async () => {
    const pieces: string[] = []
    server = await serveSocket((socket, first) => {
      const take = (piece: Buffer): void => {
        pieces.push(String(piece))
        socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      }
      take(first)
      socket.on('data', take)
    })
    const { url } = server
    for (const body of ['', '{"a":"ü"}']) await egress.send(get(`${url}/p?q=1`, { method: 'PUT', body }))
    expect(pieces).to.have.length(2)
    expect(pieces[0]).to.match(/^PUT \/p\?q=1 HTTP\/1\.1\r\n/)
    expect(pieces[0]).to.include(`host: ${url.slice('http://'.length)}\r\n`)
    expect(pieces[1]).to.match(/\r\ncontent-length: 10\r\n(.+\r\n)*\r\n\{"a":"ü"\}$/)
    expect(pieces[0]).to.match(/\r\ncontent-length: 0\r\n(.+\r\n)*\r\n$/)
  })

  it('reads a body that ends with the connection', async () => {
    server = await serveSocket((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhel')
      setImmediate(() => socket.end('lo'))
    })
    expect(await egress.send(get(server.url))).to.deep.include({ status: 200, body: 'hello' })
  })

  it('leaves no listener on a longer-lived signal', async () => {
    server = await serveHttp((_request, response) => response.end('x'))
    const { signal } = new AbortController()
    await egress.send(get(server.url, { signal }))
    await failure(egress, get('http://127.0.0.1:1/', { signal }))
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
  })

  it('stops reading a body that is too large', async () => {
    let sent = 0
    server = await serveHttp((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', more)
      more()
    })
    expect(await failure(egress, get(server.url))).to.include({ code: 'response_too_large' })
    expect(sent).to.be.below(40_000_000)
  })

  it('stops a decompression bomb within bounded memory', async () => {
    server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const bomb = createGzip({ level: 9 })
      bomb.pipe(response)
      const zeros = Buffer.alloc(1_048_576)
      for (let megabytes = 0; megabytes < 200; megabytes++) bomb.write(zeros)
      bomb.end()
    })
    const before = process.memoryUsage().rss
    expect(await failure(egress, get(server.url))).to.include({ code: 'response_too_large' })
    expect(process.memoryUsage().rss - before).to.be.below(400_000_000)
  })

  it('accepts a body of exactly 10 MB', async () => {
    server = await serveHttp((_request, response) => response.end(Buffer.alloc(10 * 1024 * 1024, 'x')))
    expect((await egress.send(get(server.url))).body).to.have.length(10 * 1024 * 1024)
  })

  it('refuses too large headers', async () => {
    server = await serveSocket((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const line = `x-long: ${'x'.repeat(1_000)}\r\n`
      for (let count = 0; count < 100; count++) socket.write(line)
    })
    expect(await failure(egress, get(server.url))).to.include({ code: 'response_too_large' })
  })

  for (const [what, talk] of Object.entries<(socket: Socket) => void>({
    'a reset': (socket) => socket.resetAndDestroy(),
    'a closed connection': (socket) => socket.end(),
    garbage: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    'a body that ends early': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'),
    'a reset within the body': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello')
      setTimeout(() => socket.resetAndDestroy(), 20)
    },
    'chunks that end early': (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
    'broken chunks': (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello'),
    'broken gzip': (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello'),
    'truncated gzip': (socket) => {
      const packed = gzipSync('hello'.repeat(1_000)).subarray(0, 30)
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n')
      socket.end(packed)
    },
    'a switch of protocols': (socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  })) {
    it(`is retryable after ${what} and not retried here`, async () => {
      server = await serveSocket(talk)
      let told = 0
      const error = await failure(egress, get(server.url, { onSent: () => told++ }))
      expect(error).to.include({ name: 'RetryableError', code: 'network_error' })
      expect(error.message).to.match(/^no complete response from /)
      expect(mayHaveHappened(error), 'it was sent').to.equal(true)
      expect(told).to.equal(1)
      expect(server.connections()).to.equal(1)
    })
  }

  it('is retryable if nothing listens', async () => {
    server = await serveHttp(() => {})
    const { url } = server
    await server.close()
    const error = await failure(egress, get(`${url}/secret-path?token=1`))
    expect(error).to.include({
      name: 'RetryableError',
      message: `could not reach ${url}: connection refused`,
    })
    expect(error).to.have.property('hint').that.includes('check the address')
  })

  for (const [what, talk] of Object.entries<(socket: Socket) => void>({
    'is no TLS': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'is cut': (socket) => socket.resetAndDestroy(),
  })) {
    it(`knows that nothing was sent if the handshake ${what}`, async () => {
      server = await serveSocket(talk)
      const url = server.url.replace('http:', 'https:')
      const onSent = () => expect.fail('nothing was sent')
      const error = await failure(egress, get(url, { method: 'POST', body: 'x', onSent }))
      expect(error).to.include({ code: 'network_error' })
      expect(error.message).to.match(/could not reach/)
      expect(mayHaveHappened(error)).to.equal(false)
    })
  }

  it('is retryable if a name does not exist', async () => {
    const error = await failure(egress, get('https://no-such-host.invalid/'))
    expect(error).to.include({ name: 'RetryableError', code: 'network_error' })
    expect(mayHaveHappened(error)).to.equal(false)
    expect(error).to.have.property('hint').that.is.a('string')
  })

  describe('and its deadline', () => {
    for (const [what, talk] of Object.entries<(socket: Socket) => void>({
      silence: () => {},
      'dripping headers': (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x: y\r\n'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      'a dripping body': (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
        const drip = setInterval(() => socket.write('x'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      'a dripping compressed body': (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 100000\r\n\r\n')
        const drip = setInterval(() => socket.write(gzipSync('x')), 10)
        socket.on('close', () => clearInterval(drip))
      },
    })) {
      it(`ends ${what} with the signal's own reason`, async () => {
        server = await serveSocket(talk)
        const reason = new Error('the deadline of the step')
        const controller = new AbortController()
        setTimeout(() => controller.abort(reason), 100)
        expect(await failure(egress, get(server.url, { signal: controller.signal }))).to.equal(reason)
      })
    }

    it('sends nothing if it has already passed', async () => {
      server = await serveHttp((_request, response) => response.end())
      const reason = new Error('too late')
      expect(await failure(egress, get(server.url, { signal: AbortSignal.abort(reason) }))).to.equal(reason)
      expect(server.connections()).to.equal(0)
    })

    it('also ends the wait for a free connection', async () => {
      server = await serveSocket(() => {})
      const { url } = server
      const signal = AbortSignal.timeout(200)
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => egress.send(get(url, { signal }))),
      )
      expect(all.every((one) => one.status === 'rejected' && one.reason === signal.reason)).to.equal(true)
    })
  })
})
