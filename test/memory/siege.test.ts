import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { besiege } from './siege.ts'

describe('slow sockets and a storm of alerts', function () {
  this.timeout(90_000)
  let house: TestTocsin
  before(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook('storm', '  - set: { ok: true }')
    await house.start()
  })
  after(() => house?.close())

  it('use bounded memory and lose no alert', async function () {
    if (process.platform !== 'linux') this.skip()
    const { before, peak, closed } = await besiege(house, { sockets: 80, alerts: 1_000, characters: 1_000 })
    expect(closed, 'sockets that the server closed').to.be.above(0)
    expect(peak - before, 'MB more').to.be.below(300)
    expect(await house.server.stop()).to.include({ code: 0, signal: null })
  })
})
