import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { besiegeWithStreams } from './siege-with-streams.ts'

describe('event streams with stalled readers', function () {
  this.timeout(90_000)
  let house: TestTocsin
  before(async () => {
    house = await makeTestTocsin()
  })
  after(() => house?.close())

  it('use bounded memory and delay nothing', async function () {
    if (process.platform !== 'linux') this.skip()
    const { before, peak } = await besiegeWithStreams(house, { streams: 100, alerts: 500 })
    expect(peak - before, 'MB more').to.be.below(300)
    expect(await house.server.stop()).to.include({ code: 0, signal: null })
  })
})
