import { expect } from 'chai'
import { killCommands } from '../support/server/run-tocsin.ts'
import { openHouse, until, type House } from './support/doorbell-house.ts'

/** The handler runs in a thread of the server process, and the process is killed before it answers. */
describe('alerts of a webhook, with a crash', function () {
  this.timeout(60_000)
  let house: House
  before(async () => {
    house = await openHouse()
    const made = await house.call('/providers', { body: { code: 'doors', name: 'Doors' } })
    expect(made.status).to.equal(201)
  })
  after(async () => {
    await house.close()
    await killCommands()
  })

  const contents = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await house.call(`/alerts?content=true&limit=200${cursor}`)
      found.push(...body.data.map((one: { alert_content: string }) => one.alert_content))
      if (body.next_cursor === null) return found
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }

  it('are stored once each when the vendor sends the request again', async () => {
    const event = { type: 'alarms', count: 300 } as const
    const lost = house.send(event).then(
      ({ status }) => status,
      () => 'no answer',
    )
    await until(async () => ((await contents()).length > 0 ? true : undefined))
    await house.restart('SIGKILL')
    expect(await lost).to.be.oneOf([200, 'no answer'])
    expect((await house.send(event)).status).to.equal(200)
    const all = await contents()
    expect([all.length, new Set(all).size]).to.deep.equal([300, 300])
  })
})
