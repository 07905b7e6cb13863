import { expect } from 'chai'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'
import { PostgresChannel } from '../../server/postgres/driver/channel.ts'
import { defaultSettings } from '../../server/postgres/driver/connection.ts'
import { Connector } from '../../server/postgres/driver/connector.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { startProxy, type CuttingProxy } from './support/cutting-proxy.ts'

describePostgres('the channel of PostgreSQL between nodes', () => {
  let database: TestDatabase
  let proxy: CuttingProxy
  let channels: PostgresChannel[] = []

  before(async () => {
    database = await createDatabase()
    proxy = await startProxy(database.tcpAddress)
  })

  afterEach(async () => {
    await Promise.all(channels.map((channel) => channel.close()))
    channels = []
  })

  after(async () => {
    await proxy.close()
    await database.drop()
  })

  function open(address: string): { channel: PostgresChannel; heard: string[] } {
    const channel = new PostgresChannel(new Connector(parsePostgresAddress(address), defaultSettings))
    channels.push(channel)
    const heard: string[] = []
    channel.listen(
      (payload) => heard.push(payload),
      () => heard.push('gap'),
    )
    return { channel, heard }
  }
  const hears = (heard: readonly string[], payload: string): Promise<true> =>
    eventually(payload, () => (heard.includes(payload) ? true : undefined))

  it('brings texts to all nodes, also to the sender, in order', async () => {
    const [one, other] = [open(database.address), open(database.address)]
    await Promise.all([hears(one.heard, 'gap'), hears(other.heard, 'gap')])
    const long = 'ü'.repeat(3900)
    for (const payload of ['{"a":1}', `it's`, long]) await one.channel.notify(payload)
    await Promise.all([hears(one.heard, long), hears(other.heard, long)])
    expect(one.heard).to.deep.equal(['gap', '{"a":1}', `it's`, long])
    expect(other.heard).to.deep.equal(one.heard)
  })

  it('reports a gap after each reconnect, and refuses texts meanwhile', async () => {
    const [one, other] = [open(proxy.address), open(database.address)]
    await Promise.all([hears(one.heard, 'gap'), hears(other.heard, 'gap')])
    proxy.refuses = true
    proxy.cutAll()
    await eventually('the loss', () =>
      one.channel.notify('lost').then(
        () => undefined,
        () => true,
      ),
    )
    proxy.refuses = false
    await eventually('the second gap', () => (one.heard.length > 1 ? true : undefined))
    await other.channel.notify('after')
    await hears(one.heard, 'after')
    expect(one.heard).to.deep.equal(['gap', 'gap', 'after'])
  })

  it('ends while it connects', async () => {
    proxy.refuses = true
    const { channel } = open(proxy.address)
    await channel.close()
    proxy.refuses = false
    const error = await channel.notify('late').catch((failure: Error) => failure.message)
    expect(error).to.include('no connection')
  })
})
