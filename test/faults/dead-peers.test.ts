import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { RunningServer } from '../support/server/start-server.ts'
import { serveSocket, type TestServer } from '../egress/servers.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { peakMemory } from './support/peak-memory.ts'

const chunk = Buffer.alloc(65_536, 'x')
const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))

/** Concurrent runs for each failure. */
const together = 4
/** Number of retries; one attempt more in total. */
const retries = 2

/** A failure of the other system, the error of the step, and the minimum number of attempts. */
const troubles: Readonly<Record<string, { talk: (socket: Socket) => void; code: string; tries: number }>> = {
  hang: { talk: () => {}, code: 'step_timeout', tries: 1 + retries },
  drip: { talk: (socket) => drip(socket), code: 'step_timeout', tries: 1 + retries },
  reset: { talk: (socket) => socket.resetAndDestroy(), code: 'network_error', tries: 1 + retries },
  half: {
    talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it'),
    code: 'network_error',
    tries: 1 + retries,
  },
  garbage: {
    talk: (socket) => socket.end('\u0000\u0001 no HTTP\r\n\r\n'),
    code: 'network_error',
    tries: 1 + retries,
  },
  huge: { talk: (socket) => flood(socket), code: 'response_too_large', tries: 1 },
  bomb: {
    talk: (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
      )
      socket.end(bomb)
    },
    code: 'response_too_large',
    tries: 1,
  },
  busy: {
    talk: (socket) =>
      socket.end(
        'HTTP/1.1 429 Slow down\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
      ),
    code: 'http_429',
    tries: 1 + retries,
  },
  broken: {
    talk: (socket) => socket.end('HTTP/1.1 503 Broken\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    code: 'http_503',
    tries: 1 + retries,
  },
}

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
  const timer = setInterval(() => socket.write('x'), 50)
  socket.on('close', () => clearInterval(timer))
}

function flood(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

describe('runs with failing other systems', function () {
  this.timeout(90_000)
  let house: TestTocsin
  let peers: ReadonlyMap<string, TestServer>
  let server: RunningServer

  before(async () => {
    house = await makeTestTocsin({ env: { TOCSIN_WORKERS: '1' } })
    peers = new Map(
      await Promise.all(
        Object.entries(troubles).map(async ([name, { talk }]) => [name, await serveSocket(talk)] as const),
      ),
    )
    for (const name of peers.keys()) await house.addPlaybook(name, steps(name))
    const hosts = [...peers.values()].map(({ port }) => `127.0.0.1:${port}`)
    const env = { TOCSIN_ALLOW_PRIVATE_EGRESS: hosts.join(',') }
    server = await house.start({ env })
    for (const [name, { url }] of peers) await house.connect(name, url)
  })
  after(async () => {
    for (const peer of peers?.values() ?? []) await peer.close()
    await house?.close()
  })

  it('end with their own errors after the allowed attempts, within bounded memory', async () => {
    const before = await peakMemory(server)
    const names = Object.keys(troubles)
    const posted = names.flatMap((type) => Array.from({ length: together }, () => house.post(type)))
    for (const { status } of await Promise.all(posted)) expect(status).to.equal(201)
    const runs = await house.endedRuns(posted.length)
    for (const [name, { code, tries }] of Object.entries(troubles)) {
      const own = runs.filter((run) => run.playbook === name)
      expect(own, name).to.have.length(together)
      for (const { run_uuid } of own) {
        const { body } = await server.call(`/runs/${run_uuid}`)
        const [step] = body.steps
        const what = `${name}: ${JSON.stringify(step.error)}`
        expect(step.error?.code, what).to.equal(code)
        // A step without retries may first have used a connection that was just being closed.
        expect(step.attempt, what).to.be.within(tries, 1 + retries)
      }
    }
    if (before !== undefined) expect((await peakMemory(server))! - before, 'MB more').to.be.lessThan(300)
  })

  it('do not affect other runs', async () => {
    expect((await fetch(`${server.url}/readyz`)).status).to.equal(200)
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })
})

const steps = (name: string) => `
  - uses: http.get
    connection: ${name}
    with: { path: / }
    timeout: ${troubles[name]!.code === 'step_timeout' ? '1s' : '30s'}
    retry: { max: ${retries}, backoff: 50ms }`
