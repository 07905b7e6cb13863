import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { readEvents, type EventReader } from '../http/support/event-reader.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('run events of tocsin serve', function () {
  this.timeout(60_000)
  let house: TestTocsin
  const readers: EventReader[] = []

  beforeEach(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook(
      'asked',
      `  - { id: before, set: { n: 1 } }
  - id: question
    checkpoint: { via: operator, with: { message: Hm? }, answers: [yes], timeout: 1h, on_timeout: fail }
  - { id: pause, wait: 300ms }
  - { id: after, set: { n: 2 } }`,
    )
    await house.start()
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close()
    await house?.close()
  })

  async function follow(path: string, lastId?: string): Promise<EventReader> {
    const { url, adminKey } = house.server
    const reader = await readEvents(`${url}/api${path}`, { cookie: `Session=${adminKey}` }, lastId)
    readers.push(reader)
    return reader
  }
  async function startRun(): Promise<string> {
    await house.post('asked')
    return await eventually('the run', async () => {
      const { body } = await house.server.call('/runs?status=waiting')
      return body.data[0]?.run_uuid as string | undefined
    })
  }
  const said = ({ events }: EventReader) =>
    events.map(({ event, data }) =>
      event === 'step' ? `${data.path} ${data.state}` : `${event} ${data.status}`,
    )

  it('resume after kill -9 and a restart, with nothing lost or repeated', async () => {
    const uuid = await startRun()
    const first = await follow(`/runs/${uuid}/events`)
    await eventually('the question', () => said(first).includes('question started') || undefined)
    await house.server.stop('SIGKILL')
    await first.over()

    await house.start()
    const second = await follow(`/runs/${uuid}/events`, first.lastId())
    const { body } = await house.server.call('/checkpoints')
    await house.server.call(`/checkpoints/${body.data[0].checkpoint_id}/answer`, { body: { answer: 'yes' } })
    await second.over()
    expect(said(second).at(-1)).to.equal('end completed')

    // Together, both streams received the whole run, and no unchanged line twice.
    const told = [...first.events, ...second.events]
    const states = said(first).concat(said(second))
    expect(states.filter((state) => !state.startsWith('run '))).to.deep.equal([
      ...new Set(states.filter((state) => !state.startsWith('run '))),
    ])
    const last = new Map(told.filter(({ event }) => event === 'step').map(({ data }) => [data.path, data]))
    const { steps, steps_total: total, ...run } = (await house.server.call(`/runs/${uuid}`)).body
    expect([...last.values()]).to.deep.equal(steps)
    expect(total).to.equal(steps.length)
    expect(told.findLast(({ event }) => event === 'run')?.data).to.deep.equal(run)
    const over = await follow(`/runs/${uuid}/events`, second.lastId())
    expect(over.status).to.equal(204)
  })

  it('do not delay a stop, nor does the change stream', async () => {
    const uuid = await startRun()
    const open = [await follow(`/runs/${uuid}/events`), await follow('/events')]
    await Promise.all(open.map((reader) => reader.count(1)))
    expect(await house.server.stop()).to.include({ code: 0, signal: null })
    await Promise.all(open.map((reader) => reader.over()))
  })
})
