import { expect } from 'chai'
import { fileURLToPath } from 'node:url'
import { Secret, type CaseAccess, type RetryableError } from '../../core/plugin/index.ts'
import type { ConnectionPause } from '../../core/ports/nodes/signals.ts'
import { NodeShares } from '../../core/skill/http/node-share.ts'
import { createSkillPool, type SkillPool } from '../../server/workers/skill-pool.ts'
import { serveHttp, type TestServer } from '../egress/servers.ts'
import { failure, storedConnection } from '../skill/fixture.ts'

const wild = fileURLToPath(new URL('./fixtures/wild.ts', import.meta.url))
const uuid = '00000000-0000-7000-8000-000000000001'

describe('the rate limit of a connection in a skill thread', function () {
  let vendor: TestServer
  let pool: SkillPool
  let shares: NodeShares
  let pauses: ConnectionPause[]
  /** Those that the process knows. */
  let known: ConnectionPause[]
  let answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> }

  beforeEach(async () => {
    pauses = []
    known = []
    answer = { status: 200, headers: {} }
    vendor = await serveHttp((_, response) => response.writeHead(answer.status, answer.headers).end('yes'))
    // As of a node that has known the other one for a long time.
    shares = new NodeShares(() => performance.now())
    pool = createSkillPool({
      threads: 1,
      data: {
        plugins: { pluginsDir: '/nowhere', packages: [wild] },
        allowPrivate: { everyone: ['127.0.0.0/8'], organizations: new Map() },
      },
      memoryMb: 256,
      changes: () => false,
      codeOf: async () => 'DEMO',
      shares,
      pauses: () => known,
      onPause: (pause) => pauses.push(pause),
      onSecret: () => {},
      onRequest: () => {},
      onLost: (reason) => expect.fail(reason),
    })
  })
  afterEach(async () => {
    await pool.close()
    await vendor.close()
  })

  const call = (): Promise<unknown> =>
    pool.performTask(
      {
        purpose: 'run',
        skill: 'wild.limited',
        input: {},
        asked: undefined,
        connection: {
          connection: storedConnection('1', { plugin: 'wild', uuid, settings: { base_url: vendor.url } }),
          secrets: { key: new Secret('canary-0123456789') },
        },
        run: { id: 'r', organization: 'org' },
        idempotencyKey: 'k',
        deadlineMs: Infinity,
      },
      {
        signal: AbortSignal.timeout(30_000),
        onEffect: undefined,
        onSecret: undefined,
        cases: {} as CaseAccess,
        log: { info() {}, warn() {} },
      },
    )

  it('is divided as this node knows when the thread starts, and again when another node joins', async () => {
    shares.set({ nodes: 2, place: 0, isCounted: true })
    for (const _ of [1, 2]) expect(await call()).to.deep.equal({ seen: 'yes' })
    expect((await failure(call())).code).to.equal('rate_limited')
  })

  it('is divided from the moment another node joins', async () => {
    expect(await call()).to.deep.equal({ seen: 'yes' })
    shares.set({ nodes: 4, place: 0, isCounted: true })
    expect((await failure(call())).code).to.equal('rate_limited')
  })

  it('is paused on all nodes when the other system asks for that', async () => {
    answer = { status: 429, headers: { 'retry-after': '30' } }
    await failure(call())
    expect(pauses).to.deep.equal([{ connectionUuid: uuid, name: 'requests limited', forMs: 30_000 }])
  })

  it('is paused when another node was asked to', async () => {
    await pool.start()
    pool.pause({ connectionUuid: uuid, name: 'requests limited', forMs: 40_000 })
    await expectPaused()
  })

  it('is paused in a thread that starts meanwhile, such as after another one was lost', async () => {
    known = [{ connectionUuid: uuid, name: 'requests limited', forMs: 40_000 }]
    await expectPaused()
  })

  async function expectPaused() {
    const error = (await failure(call())) as RetryableError
    expect(error.code).to.equal('rate_limited')
    expect(error.retryAfterMs).to.be.within(20_000, 40_000)
  }
})
