import { expect } from 'chai'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { serveHttp, serveSocket } from './servers.ts'

const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

/** Sends the requests concurrently, each over a keep-alive connection. */
const lanes = 8

/** Blocks the event loop for a while in each turn until it is stopped. */
function keepBusy(): () => void {
  let isOver = false
  const spin = (): void => {
    const until = performance.now() + 1
    while (performance.now() < until);
    if (!isOver) setImmediate(spin)
  }
  spin()
  return () => (isOver = true)
}

describe('egress: a response that starts before the request is fully written', () => {
  const trusted = getCACertificates('default')
  let worker: Worker
  let urls: Readonly<Record<'http' | 'https', string>>
  let egress: ClosableEgress

  before(async () => {
    setDefaultCACertificates([...trusted, readFileSync(fixture('self-signed.cert.pem'), 'utf8')])
    worker = new Worker(new URL('./fixtures/early-server.ts', import.meta.url))
    ;[urls] = (await once(worker, 'message')) as [typeof urls]
  })
  after(async () => {
    setDefaultCACertificates(trusted)
    await worker.terminate()
  })
  beforeEach(() => {
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  })
  afterEach(() => egress.close())

  /** Errors of failed requests. */
  async function failures(url: string, times: number, body: string): Promise<readonly unknown[]> {
    const failed: unknown[] = []
    const lane = async (from: number): Promise<void> => {
      for (let index = from; index < times; index += lanes) {
        // A request sent here has the whole next turn to receive its answer.
        await nextTurn()
        const signal = AbortSignal.timeout(30_000)
        const sent = { method: 'POST', url: `${url}/${index}`, headers: {}, body, isConnection: true, signal }
        const answer = await egress.send(sent).catch((error: unknown) => failed.push(error))
        if (typeof answer === 'object')
          expect(answer.body).to.equal(`{"took":"${new URL(sent.url).pathname}"}`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)))
    return failed
  }

  for (const scheme of ['http', 'https'] as const)
    for (const framing of ['content-length', 'chunked'])
      for (const loop of ['idle', 'busy']) {
        it(`is read: ${scheme}, ${framing}, event loop ${loop}`, async () => {
          const stop = loop === 'busy' ? keepBusy() : () => {}
          try {
            expect(await failures(`${urls[scheme]}/${framing}`, 125, '{"comment":"isolate"}')).to.deep.equal(
              [],
            )
          } finally {
            stop()
          }
        })
      }

  it('is read if the body is large', async () => {
    expect(await failures(`${urls.https}/content-length`, 40, 'x'.repeat(300_000))).to.deep.equal([])
  })

  it('is read if it refuses an unread body', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('too large')
    })
    const signal = AbortSignal.timeout(30_000)
    const request = { method: 'POST', url: server.url, headers: {}, isConnection: true }
    expect(await egress.send({ ...request, body: 'x'.repeat(20_000), signal })).to.deep.include({
      status: 413,
      body: 'too large',
    })
    await server.close()
  })

  it('is read if the body stays unread, and stops the upload', async () => {
    const { promise: paused, resolve } = Promise.withResolvers<Socket>()
    const server = await serveSocket((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 9\r\n\r\ntoo large')
      resolve(socket)
    })
    const signal = AbortSignal.timeout(30_000)
    const request = { method: 'POST', url: server.url, headers: {}, isConnection: true }
    const body = 'x'.repeat(30_000_000)
    expect(await egress.send({ ...request, body, signal })).to.deep.include({
      status: 413,
      body: 'too large',
    })
    const socket = await paused
    let read = 0
    socket.on('data', (piece) => (read += piece.length)).resume()
    await once(socket, 'close', { signal })
    expect(read, 'bytes read').to.be.below(20_000_000)
    await server.close()
  })
})
