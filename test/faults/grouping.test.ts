import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const env = { TOCSIN_GROUP_MINUTES: '60' }

describe('repeats of an alert on a killed server', function () {
  this.timeout(60_000)
  let house: TestTocsin
  beforeEach(async () => {
    house = await makeTestTocsin()
  })
  afterEach(() => house?.close())

  it('are all kept in one case with one run, and end with it', async () => {
    await house.addPlaybook('slow', '  - wait: 1500ms\n  - set: { ok: true }')
    const acknowledged: string[] = []
    let server = await house.start({ env })
    for (let killed = 0; killed < 3; killed++) {
      const senders = Array.from({ length: 8 }, async () => {
        for (;;) {
          const { status, body } = await house.post('slow')
          if (status === 201) acknowledged.push(body.alert_id)
        }
      })
      const cutOff = Promise.allSettled(senders)
      const enough = acknowledged.length + 60
      while (acknowledged.length < enough) await sleep(20)
      expect(await server.stop('SIGKILL')).to.include({ signal: 'SIGKILL' })
      await cutOff
      server = await house.start({ env })
    }
    await house.endedRuns(1)
    // In the order in which an alert takes them: in another order, an alert that changes meanwhile could be missed.
    for (const status of [0, 5, 10, 20])
      while ((await server.call(`/alerts?status=${status}&limit=1`)).body.total > 0) await sleep(20)
    const alerts = await server.call('/alerts?limit=200')
    expect(alerts.body.total).to.be.at.least(acknowledged.length)
    const cases = await server.call('/cases')
    expect(cases.body.total).to.equal(1)
    const [found] = cases.body.data
    for (const id of acknowledged.filter((_, index) => index % 20 === 0)) {
      const { body } = await server.call(`/alerts/${id}`)
      expect(body).to.include({ investigation_status: 15, case_id: found.case_id })
      expect(body.completed_at, id).to.be.a('number')
    }
  })
})
