import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { killCommands } from '../cli/support/run-tocsin.ts'
import { startServer, type RunningServer } from '../cli/support/start-server.ts'
import { serveSocket, type TestServer } from '../egress/servers.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const chunk = Buffer.alloc(65_536, 'x')
const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))

/** Runs of each trouble at the same time. */
const together = 4
/** Further tries, and with the first one all of them. */
const retries = 2

/** What the other system does instead of answering, the error in which the step ends, and how many tries that takes. */
const troubles: Readonly<
  Record<string, { talk: (socket: Socket) => void; code: string; tries: number; under?: RegExp }>
> = {
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
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.end(bomb)
    },
    code: 'response_too_large',
    tries: 1,
  },
  busy: {
    talk: (socket) => socket.end('HTTP/1.1 429 Slow down\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n'),
    code: 'http_429',
    tries: 1 + retries,
  },
  broken: {
    talk: (socket) => socket.end('HTTP/1.1 503 Broken\r\ncontent-length: 0\r\n\r\n'),
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

describe('runs whose other system is sick', function () {
  this.timeout(90_000)
  let folder: TemporaryFolder
  let peers: ReadonlyMap<string, TestServer>
  let server: RunningServer

  before(async () => {
    folder = await makeTemporaryFolder()
    peers = new Map(
      await Promise.all(
        Object.entries(troubles).map(async ([name, { talk }]) => [name, await serveSocket(talk)] as const),
      ),
    )
    const playbooks = join(folder.path, 'playbooks')
    await mkdir(playbooks)
    for (const [name, { url }] of peers) await writeFile(join(playbooks, `${name}.yaml`), playbook(name, url))
    const hosts = [...peers.values()].map(({ port }) => `127.0.0.1:${port}`)
    const env = { TOCSIN_ALLOW_PRIVATE_EGRESS: hosts.join(',') }
    server = await startServer({ cwd: folder.path, dataDir: 'data', env })
  })
  after(async () => {
    await killCommands()
    for (const peer of peers?.values() ?? []) await peer.close()
    await folder?.remove()
  })

  it('end, each for its own reason, after as many tries as they may, within bounded memory', async () => {
    const before = await peakMemory(server)
    const names = Object.keys(troubles)
    const posted = names.flatMap((type) => Array.from({ length: together }, () => post(server, type)))
    for (const { status } of await Promise.all(posted)) expect(status).to.equal(201)
    const runs = await ended(server, posted.length)
    for (const [name, { code, tries }] of Object.entries(troubles)) {
      const own = runs.filter((run) => run.playbook === name)
      expect(own, name).to.have.length(together)
      for (const { run_uuid } of own) {
        const { body } = await server.call(`/runs/${run_uuid}`)
        const [step] = body.steps
        expect([step.error?.code, step.attempt], `${name}: ${JSON.stringify(step.error)}`).to.deep.equal([
          code,
          tries,
        ])
      }
    }
    if (before !== undefined) expect((await peakMemory(server))! - before, 'MB more').to.be.lessThan(300)
  })

  it('leave the server fit for others', async () => {
    expect((await fetch(`${server.url}/readyz`)).status).to.equal(200)
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })
})

const playbook = (name: string, url: string) => `apiVersion: tocsin/v1
name: ${name}
on: { alert: { type: ${name} } }
steps:
  - uses: http.get
    with: { url: '${url}/' }
    timeout: 1s
    retry: { max: ${retries}, backoff: 50ms }
`

function post(server: RunningServer, type: string) {
  const body = { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: 'x' }
  return server.call('/alerts', { body })
}

async function ended(server: RunningServer, count: number): Promise<any[]> {
  for (let n = 0; n < 600; n++) {
    const { body } = await server.call('/runs?limit=200')
    const over = body.data.filter((run: any) => ['completed', 'failed', 'cancelled'].includes(run.status))
    if (over.length === count) return body.data
    await sleep(100)
  }
  throw new Error('some runs have not ended')
}

/** Of the process since its start, in MB; undefined where the system does not tell. */
async function peakMemory({ command }: RunningServer): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const status = await readFile(`/proc/${command.process.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
