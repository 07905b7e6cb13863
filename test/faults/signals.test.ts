import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { times } from '../support/random.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/**
 * How long the process is stopped: longer than any wait and timeout in the playbook. A minute in the long
 * form.
 */
const stoppedMs = Math.min(times(3_000), 60_000)

describe('tocsin serve, stopped with SIGSTOP and continued,', function () {
  this.timeout(60_000 + stoppedMs)
  let house: TestTocsin
  let peer: TestServer
  /** Requests received by the other system. */
  let asked: string[]
  let onAsked: () => void

  beforeEach(async () => {
    house = await makeTestTocsin()
    asked = []
    peer = await serveHttp((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      onAsked()
      // Active requests get no answer while the process is stopped.
      if (request.url !== '/held') setTimeout(() => response.end('{}'), 100)
    })
  })
  afterEach(async () => {
    await house?.close()
    await peer?.close()
  })

  it('repeats nothing, loses nothing, and fires every timer once', async () => {
    const call = (path: string) =>
      `uses: http.send, connection: peer, with: { method: POST, path: '/${path}' }`
    await house.addPlaybook(
      'stopped',
      `  - { id: before, ${call('before')}, timeout: 1s, on_error: continue }
  - parallel:
      - { id: held, ${call('held')}, timeout: 1s, retry: { max: 2, backoff: 50ms }, on_interrupted: fail, on_error: continue }
      - { id: waited, wait: 500ms }
      - id: silent
        checkpoint: { via: operator, with: { message: Hm? }, answers: [yes], timeout: 700ms, on_timeout: none }
  - { id: after, ${call('after')}, timeout: 5s }`,
    )
    const server = await house.start({ env: { TOCSIN_ALLOW_PRIVATE_EGRESS: `127.0.0.1:${peer.port}` } })
    await house.connect('peer', peer.url)
    const { promise, resolve } = Promise.withResolvers<void>()
    onAsked = () => void (asked.at(-1) === 'POST /held' && resolve())
    expect((await house.post('stopped')).status).to.equal(201)
    await promise
    server.command.process.kill('SIGSTOP')
    await sleep(stoppedMs)
    server.command.process.kill('SIGCONT')

    const [run] = await house.endedRuns(1)
    expect(asked).to.deep.equal(['POST /before', 'POST /held', 'POST /after'])
    const { body } = await server.call(`/runs/${run.run_uuid}`)
    expect(body.status, JSON.stringify(body)).to.equal('completed')
    const paths = body.steps.map(({ path }: { path: string }) => path)
    expect(paths, 'each step once').to.deep.equal([...new Set(paths)])
    // The effect is unknown, so it is not retried.
    const held = body.steps.find(({ step_id }: { step_id: string }) => step_id === 'held')
    expect([held.state, held.error.details.effect]).to.deep.equal(['failed', 'unknown'])
    const silent = body.steps.find(({ step_id }: { step_id: string }) => step_id === 'silent')
    expect(silent.output.answer).to.equal('none')
    expect(body.steps.every(({ attempt }: { attempt: number }) => attempt === 1)).to.equal(true)
  })
})

describe('a second tocsin serve on the same data', function () {
  let house: TestTocsin
  beforeEach(async () => {
    house = await makeTestTocsin()
  })
  afterEach(() => house?.close())

  it('refuses to start, names the first, and leaves it alone', async () => {
    const first = await house.start()
    const error = await house.start().then(
      () => expect.fail('it started'),
      (reason: Error) => reason,
    )
    expect(error.message).to.contain(String(first.command.process.pid))
    expect((await fetch(`${first.url}/readyz`)).status).to.equal(200)
  })
})
