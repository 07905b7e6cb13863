import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import type { RunningServer } from '../support/server/start-server.ts'
import { eventually } from '../support/eventually.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { canMount, onSmallDisk } from './support/small-disk.ts'

/** The health reported to the supervisor of the process and to alert senders. */
async function health(server: RunningServer) {
  const [alive, ready] = await Promise.all(
    ['/healthz', '/readyz'].map((path) => fetch(`${server.url}${path}`)),
  )
  return [alive?.status, ready?.status]
}
const well = [200, 200]

/** Polls until the condition holds; a result is reused for a second. */
const isReady = (server: RunningServer, expected: boolean) =>
  eventually(expected ? 'to be ready' : 'not to be ready', async () => {
    const [alive, ready] = await health(server)
    expect(alive).to.equal(200)
    return ready === (expected ? 200 : 503) || undefined
  })

describe('the health checks of tocsin serve', function () {
  this.timeout(60_000)
  let house: TestTocsin
  const path = () => join(house.folder, 'data/tocsin.db')

  beforeEach(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook('t', '  - id: a\n    set: { x: "${{ alert.type }}" }')
  })
  afterEach(() => house?.close())

  it('pass once it listens, and while runs are paused, because alerts are accepted', async () => {
    const server = await house.start()
    expect(await health(server)).to.deep.equal(well)
    await server.call('/engine/pause', { body: { reason: 'x' } })
    expect(await health(server)).to.deep.equal(well)
    expect((await house.post('t')).status).to.equal(201)
  })

  it('pass while runs are watched after crashes, because alerts are accepted', async () => {
    const server = await house.start()
    await server.call('/engine/pause', { body: { reason: 'x' } })
    await house.post('t')
    await eventually(
      'the run of the alert',
      async () => (await server.call('/runs')).body.total === 1 || undefined,
    )
    await server.stop('SIGKILL')
    // The state of a run that was active in two crashes.
    const database = new SqliteConnection(path())
    database.run('UPDATE runs SET wake_at = NULL, crashes = 1')
    database.close()
    const next = await house.start()
    expect((await next.call('/engine')).body.recovering).to.equal(1)
    expect(await health(next)).to.deep.equal(well)
    expect((await house.post('t')).status).to.equal(201)
  })

  it('fail while another program locks the database, and pass afterwards', async () => {
    const server = await house.start()
    const other = new SqliteConnection(path())
    other.run('BEGIN IMMEDIATE')
    await isReady(server, false)
    const refused = await house.post('t')
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable'])
    other.run('ROLLBACK')
    other.close()
    await isReady(server, true)
    expect((await house.post('t')).status).to.equal(201)
  })

  it('fail if the data directory is gone, and pass when it is back', async () => {
    const server = await house.start()
    await rename(join(house.folder, 'data'), join(house.folder, 'elsewhere'))
    await isReady(server, false)
    expect((await house.post('t')).status).to.equal(503)
    await rename(join(house.folder, 'elsewhere'), join(house.folder, 'data'))
    await isReady(server, true)
    expect((await house.post('t')).status).to.equal(201)
  })

  it('fail on a disk without room for an alert', async function () {
    if (!canMount) return this.skip()
    const server = await house.start({ under: onSmallDisk('data', 12) })
    expect(await health(server)).to.deep.equal(well)
    let reply = await house.post('t', 'x'.repeat(500_000))
    for (let n = 0; n < 100 && reply.status === 201; n++) reply = await house.post('t', 'x'.repeat(500_000))
    expect(reply.status).to.equal(503)
    await isReady(server, false)
    expect((await server.call('/alerts?limit=1')).status, 'reads go on').to.equal(200)
  })

  it('get no connection while the server finishes running work', async () => {
    const server = await house.start()
    const { hostname, port } = new URL(server.url)
    const slow = connect(Number(port), hostname)
    slow.on('error', () => undefined)
    slow.write(
      'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    )
    // An active request blocks the answers of pipelined requests after it.
    await house.post('t')
    server.command.process.kill('SIGTERM')
    await eventually('the end of listening', () =>
      health(server).then(
        () => undefined,
        () => true,
      ),
    )
    expect(server.command.process.exitCode, 'it is still there').to.equal(null)
    slow.write('"a": 1}')
    await once(slow, 'close')
    expect((await server.command.ended).code).to.equal(0)
  })
})
