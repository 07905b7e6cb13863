import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const looks = `apiVersion: tocsin/v1
name: looks
on: { alert: { type: looks } }
steps: [{ set: { a: 1 } }]
`

describe('a storm of one organization', function () {
  let tocsin: TestTocsin

  before(async () => {
    const env = { TOCSIN_MAX_RUNS: '5', TOCSIN_SHARE_PERCENT: '40', TOCSIN_MAX_QUEUED: '10' }
    tocsin = await startTestTocsin({ inProcess: true, playbooks: { looks }, env })
    await tocsin.call('/organizations', { body: { code: 'quiet', name: 'Quiet' } })
  })
  after(() => tocsin?.close())

  const post = (organization_code: string, n: number) =>
    tocsin.call('/alerts', {
      body: { alert_provider: 'custom', organization_code, alert_type: 'looks', alert_content: `alert ${n}` },
    })
  const rowsOf = async () => {
    const { organizations } = (await tocsin.call('/engine')).body
    return new Map<string, any>(organizations.map((row: any) => [row.organization_code, row]))
  }

  it('fills only its own queue, asks to retry later, and is reported', async () => {
    await tocsin.call('/engine/pause', { body: { reason: 'to let the line fill' } })
    let refused = 0
    let [taken, after] = [0, '']
    for (let n = 0; n < 30 && refused < 3; n++) {
      const { status, headers, body } = await post('main', n)
      if (status === 201) taken++
      else {
        expect([status, body.code]).to.deep.equal([503, 'investigations_full'])
        after = headers.get('retry-after') ?? ''
        refused++
      }
    }
    expect(refused).to.equal(3)
    expect(Number(after)).to.be.above(0)
    expect((await post('quiet', 0)).status).to.equal(201)
    // An alert is answered before its run is queued.
    const rows = await eventually('the run of the other organization', async () => {
      const now = await rowsOf()
      return now.get('quiet')?.queued === 1 ? now : undefined
    })
    expect(rows.get('main')).to.include({
      received_per_minute: taken,
      refused_per_minute: 3,
      max_queued: 10,
      working: 0,
      max_working: 2,
      storm: true,
    })
    expect(rows.get('main').queued).to.be.within(10, taken)
    expect(rows.get('quiet')).to.include({ refused_per_minute: 0, max_working: 2, storm: false })

    await tocsin.call('/engine/resume', { method: 'POST', body: {} })
    for (let n = 0; n < 1_000 && (await tocsin.call('/alerts?status=15')).body.total < taken + 1; n++);
    expect((await tocsin.call('/alerts?status=15')).body.total).to.equal(taken + 1)
    expect((await post('main', 99)).status).to.equal(201)
  })
})
