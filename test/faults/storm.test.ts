import { expect } from 'chai'
import type { Reply, RunningServer } from '../support/server/start-server.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { peakMemory } from './support/peak-memory.ts'

/** Number of alerts in the storm, and how many are sent concurrently. */
const storm = 1_500
const atOnce = 64
/** Maximum number of queued runs of one organization. */
const maxQueued = 60

describe('a storm of alerts', function () {
  this.timeout(90_000)
  let house: TestTocsin
  let server: RunningServer

  before(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook('slow', '  - wait: 30ms\n  - set: { ok: true }')
    const limits = { TOCSIN_MAX_QUEUED: String(maxQueued), TOCSIN_MAX_RUNS: '4' }
    server = await house.start({ env: limits })
    const made = await server.call('/organizations', { body: { code: 'calm', name: 'Calm' } })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
  })
  after(() => house?.close())

  it('is accepted up to the limit, refused beyond with Retry-After, and kept as far as accepted', async () => {
    const before = await peakMemory(server)
    const accepted: string[] = []
    const refused: Reply[] = []
    const post = (organization: string) =>
      server.call('/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: organization,
          alert_type: 'slow',
          alert_content: 'x'.repeat(2_000),
        },
      })
    let sent = 0
    const { promise: refusing, resolve: refuses } = Promise.withResolvers<void>()
    const sender = async () => {
      while (sent++ < storm) {
        const reply = await post('main')
        if (reply.status === 201) accepted.push(reply.body.alert_id)
        else refused.push(reply)
        if (reply.status !== 201) refuses()
      }
    }
    const raging = Promise.all(Array.from({ length: atOnce }, sender))
    // Another organization sends a few alerts during the storm.
    await Promise.race([refusing, raging])
    const calm = await Promise.all(Array.from({ length: 5 }, () => post('calm')))
    expect(calm.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
    await untilInvestigated('calm')
    let backlog = 0
    for (const status of unfinished) backlog += await withStatus('main', status)
    await raging

    expect(refused.length, 'refused').to.be.greaterThan(0)
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).to.deep.equal([503, 'investigations_full'])
      expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
    }
    expect(
      backlog,
      'alerts of the storm that waited still when the others had been investigated',
    ).to.be.greaterThan(0)

    await untilInvestigated('main')
    const { body } = await server.call('/alerts?organization=main&limit=1')
    expect(body.total, 'kept').to.equal(accepted.length)
    expect(new Set(accepted).size).to.equal(accepted.length)
    const failed = await server.call('/alerts?organization=main&status=20&limit=1')
    expect(failed.body.total).to.equal(0)
    if (before !== undefined) expect((await peakMemory(server))! - before, 'MB more').to.be.lessThan(200)
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })

  /** In the order in which an alert takes them: in another order, an alert that changes meanwhile could be missed. */
  const unfinished = [0, 5, 10]

  async function withStatus(organization: string, status: number): Promise<number> {
    const { body } = await server.call(`/alerts?organization=${organization}&status=${status}&limit=1`)
    return body.total
  }

  async function untilInvestigated(organization: string): Promise<void> {
    for (const status of unfinished)
      while ((await withStatus(organization, status)) > 0)
        await new Promise((resolve) => setTimeout(resolve, 50))
  }
})
