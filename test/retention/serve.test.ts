import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { eventually } from '../support/eventually.ts'

const file = (path: string) => `--import=${new URL(path, import.meta.url).href}`
const day = 86_400_000

describe('tocsin serve with TOCSIN_KEEP_RUNS_DAYS and TOCSIN_KEEP_ALERTS_DAYS', function () {
  this.timeout(60_000)
  let house: TestTocsin

  beforeEach(async () => {
    house = await makeTestTocsin()
    await house.addPlaybook(
      't',
      '  - id: a\n    set: { x: "${{ alert.type }}" }\noutputs: { x: "${{ a.x }}" }',
    )
    await house.start()
    for (let n = 0; n < 2; n++) await house.post('t')
    for (const { run_uuid, case_id } of await house.endedRuns(2)) {
      expect((await house.server.call(`/runs/${run_uuid}`)).body.steps).to.not.have.length(0)
      await house.server.call(`/cases/${case_id}`, { method: 'PATCH', body: { status: 'closed' } })
    }
    await house.server.call('/alerts?q=x')
    await house.server.stop()
  })
  afterEach(() => house.close())

  /** Starts the server this many days later. */
  const startAfter = (days: number, env: Readonly<Record<string, string>>) =>
    house.start({
      env: {
        ...env,
        NODE_OPTIONS: [file('../faults/children/shifted-clock.ts'), file('children/no-first-rest.ts')].join(
          ' ',
        ),
        TOCSIN_TEST_CLOCK_OFFSET: String(days * day + 60_000),
      },
    })

  it('prunes runs and marks each as pruned', async () => {
    const server = await startAfter(30, { TOCSIN_KEEP_RUNS_DAYS: '30' })
    const [first] = (await server.call('/runs')).body.data
    const pruned = await eventually('the pruner', async () => {
      const { body } = await server.call(`/runs/${first.run_uuid}`)
      return body.pruned_at === null ? undefined : body
    })
    expect(pruned).to.deep.include({ status: 'completed', steps: [], inputs: {}, output: null })
    expect((await server.call('/alerts')).body.data).to.have.length(2)
    const refused = await server.call(`/runs/${first.run_uuid}/retry`, { body: { playbook: 'newest' } })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'run_pruned'])
    const entry = await eventually(
      'the audit log',
      async () => (await server.call('/audit?action=data.pruned')).body.data[0],
    )
    expect([entry.actor.kind, entry.organization_code]).to.deep.equal(['server', 'main'])
    expect(entry.details).to.deep.include({ runs: 2, alerts: 0, setting: 'TOCSIN_KEEP_RUNS_DAYS=30' })
    const numbers = (await server.call('/audit?limit=200')).body.data.flatMap((each: { details: object }) =>
      Object.values(each.details).filter((value) => typeof value === 'number'),
    )
    expect(numbers).to.include(entry.details.before)
    expect(numbers.filter((number: number) => !Number.isInteger(number))).to.deep.equal([])
  })

  it('deletes alerts with their runs, and answers 410 for a deleted id and 404 for an unknown one', async () => {
    const server = await startAfter(60, { TOCSIN_KEEP_ALERTS_DAYS: '60' })
    const [gone, stays] = ['main-custom-1', 'main-custom-2']
    const { body } = await eventually('the pruner', async () => {
      const reply = await server.call(`/alerts/${gone}`)
      return reply.status === 410 ? reply : undefined
    })
    expect(body).to.include({ status: 410, code: 'alert_deleted' })
    expect((await server.call(`/alerts/${stays}`)).status, 'the newest').to.equal(200)
    expect((await server.call('/alerts/main-custom-3')).status).to.equal(404)
    expect((await server.call('/runs')).body.data).to.have.length(1)
    expect((await server.call('/cases')).body.data).to.have.length(2)
    expect((await house.post('t')).body.alert_id).to.equal('main-custom-3')
  })
})
