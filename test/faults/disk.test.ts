import { expect } from 'chai'
import type { Reply } from '../support/server/start-server.ts'
import { eventually } from '../support/eventually.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { canTrace, failing } from './support/strace.ts'

/**
 * The calls of the process that fail, counted from its start: long after it, and for long enough to be
 * noticed.
 */
const faults = [
  { name: 'fsync fails', injection: 'fsync,fdatasync:error=EIO:when=120..220' },
  { name: 'the disk is full', injection: 'pwrite64,ftruncate:error=ENOSPC:when=1200..1500' },
  { name: 'the disk fails to write', injection: 'pwrite64:error=EIO:when=1200..1500' },
] as const

describe('tocsin serve with a temporary disk failure', function () {
  this.timeout(90_000)
  let house: TestTocsin

  before(function () {
    if (!canTrace) this.skip()
  })
  beforeEach(async () => {
    house = await makeTestTocsin()
  })
  afterEach(() => house?.close())

  for (const { name, injection } of faults) {
    it(`acknowledges only what it stores, serves reads, reports the failure, and recovers: ${name}`, async () => {
      const server = await house.start({ under: failing(injection) })
      const accepted = new Set<string>()
      const refused: Reply[] = []
      let reads = 0
      let unready = 0
      // Senders that follow the protocol: they retry until they receive 201.
      for (let n = 0; n < 4000 && (refused.length === 0 || accepted.size < 150); n++) {
        const reply = await house.post('t', `alert ${accepted.size}`)
        if (reply.status === 201) accepted.add(reply.body.alert_id)
        else {
          refused.push(reply)
          if ((await server.call('/alerts?limit=1')).status === 200) reads++
          if ((await fetch(`${server.url}/readyz`)).status === 503) unready++
        }
      }
      expect(refused.length, 'refused').to.be.greaterThan(0)
      for (const { status, body } of refused)
        expect([status, body.code], JSON.stringify(body)).to.deep.equal([503, 'store_unavailable'])
      expect(reads, 'reads that were answered while writes were refused').to.equal(refused.length)
      expect(unready, 'probes that said so').to.be.greaterThan(0)

      const alerts = await house.investigatedAlerts()
      const ids = new Set(alerts.map((alert) => alert.alert_id))
      expect([...accepted].filter((id) => !ids.has(id))).to.deep.equal([])
      expect(ids.size, 'nothing that was refused is there').to.equal(accepted.size)
      const statuses = new Set(alerts.map((alert) => alert.investigation_status))
      expect([...statuses], 'each was investigated all the same').to.deep.equal([15])
      // A result is reused for a second.
      await eventually(
        'to be ready',
        async () => (await fetch(`${server.url}/readyz`)).status === 200 || undefined,
      )
      expect(await server.stop()).to.include({ code: 0, signal: null })
    })
  }
})
