import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const signIn = `apiVersion: tocsin/v1
name: sign-in
on:
  alert:
    type: sign_in
    group: { by: [alert.data.user], within: 30m }
steps:
  - uses: case.comment
    with: { text: looked at }
`
const asks = `apiVersion: tocsin/v1
name: asks
on: { alert: { type: asks } }
steps: [{ id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }]
`
const apart = `apiVersion: tocsin/v1
name: apart
on: { alert: { type: apart, group: false } }
steps: [{ return: 1 }]
`

describe('repeats of an alert over HTTP', function () {
  let tocsin: TestTocsin

  before(async () => {
    const env = { TOCSIN_GROUP_MINUTES: '60', TOCSIN_STORM_PER_MINUTE: '30', TOCSIN_MAX_QUEUED: '100' }
    tocsin = await startTestTocsin({ inProcess: true, playbooks: { 'sign-in': signIn, asks, apart }, env })
  })
  after(() => tocsin?.close())

  const investigate = async (type: string, content: unknown) =>
    (
      await tocsin.investigate({
        type,
        content: typeof content === 'string' ? content : JSON.stringify(content),
      })
    ).body
  const get = async (path: string) => (await tocsin.call(path)).body

  it('are stored and answered, and join the case of the first, which gives the reason', async () => {
    const first = await investigate('sign_in', { user: 'kim', at: 1 })
    expect(first).to.include({ investigation_status: 15, grouped_with: null, grouped_because: null })
    const again = await investigate('sign_in', { user: 'kim', at: 2 })
    const because = 'provider, type, alert.data.user (kim) are the same, and it came within 30m'
    expect(again).to.include({
      investigation_status: 15,
      case_id: first.case_id,
      investigator: 'sign-in',
      grouped_with: first.alert_id,
      grouped_because: because,
      alert_content: '{"user":"kim","at":2}',
    })
    expect(again.completed_at).to.be.a('number')
    expect(again.runs).to.deep.equal(first.runs)
    const found = await get(`/cases/${first.case_id}`)
    expect(found.alerts.map((alert: { alert_id: string }) => alert.alert_id)).to.deep.equal([
      again.alert_id,
      first.alert_id,
    ])
    expect(found.runs).to.have.length(1)
    expect(found.timeline.at(-1).text).to.equal(
      `Alert ${again.alert_id} was grouped with ${first.alert_id} because ${because}.`,
    )
    const other = await investigate('sign_in', { user: 'eve', at: 2 })
    expect(other.case_id).to.not.equal(first.case_id)
  })

  it('are alerts with the same content by default', async () => {
    const [first, again, other] = [
      await investigate('odd', 'x'),
      await investigate('odd', 'x'),
      await investigate('odd', 'y'),
    ]
    expect(again).to.include({ case_id: first.case_id, grouped_with: first.alert_id })
    expect(other).to.include({ grouped_with: null })
  })

  it('are disabled if the playbook says so', async () => {
    const [first, again] = [await investigate('apart', 'x'), await investigate('apart', 'x')]
    expect(again.case_id).to.not.equal(first.case_id)
  })

  it('wait for the investigation of the first, also across a restart', async () => {
    const post = () =>
      tocsin.call('/alerts', {
        body: { alert_provider: 'custom', organization_code: 'main', alert_type: 'asks', alert_content: 'x' },
      })
    const [{ body: first }, { body: again }] = [await post(), await post()]
    const question = async () => (await get('/checkpoints')).data[0]?.checkpoint_id as string | undefined
    for (let n = 0; n < 500 && (await question()) === undefined; n++);
    expect(await get(`/alerts/${again.alert_id}`)).to.include({
      investigation_status: 5,
      grouped_with: first.alert_id,
    })
    await tocsin.restart()
    const third = tocsin.investigate({ type: 'asks', content: 'x' })
    const isThere = async () => (await get(`/alerts?type=asks`)).total === 3
    for (let n = 0; n < 500 && !(await isThere()); n++);
    await tocsin.call(`/checkpoints/${await question()}/answer`, { body: { answer: 'yes' } })
    expect((await third).body).to.include({ investigation_status: 15, grouped_with: first.alert_id })
    for (const { alert_id } of [first, again])
      expect(await get(`/alerts/${alert_id}`)).to.include({ investigation_status: 15 })
    expect(
      (await get('/runs')).data.filter((run: { playbook: string }) => run.playbook === 'asks'),
    ).to.have.length(1)
  })

  it('are reported as a storm with rate, grouped share and groups', async () => {
    const first = await investigate('flood', 'the same')
    const before = await get('/engine')
    expect(before).to.include({ storm: false })
    const post = () =>
      tocsin.call('/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: 'main',
          alert_type: 'flood',
          alert_content: 'the same',
        },
      })
    await Promise.all(Array.from({ length: 40 }, post))
    // A repeat is processed after its answer.
    for (let n = 0; n < 500 && (await get('/alerts?type=flood&status=15')).total < 41; n++);
    const engine = await get('/engine')
    expect(engine).to.include({ storm: true, queued: 0 })
    const [row] = engine.organizations
    expect(row).to.include({ organization_code: 'main', storm: true, queued: 0, max_queued: 100 })
    expect(row.received_per_minute - before.organizations[0].received_per_minute).to.equal(40)
    expect(row.grouped_per_minute - before.organizations[0].grouped_per_minute).to.equal(40)
    expect(row.ended_per_minute).to.equal(before.organizations[0].ended_per_minute)
    expect(engine.groups[0]).to.include({
      organization_code: 'main',
      alert_id: first.alert_id,
      case_id: first.case_id,
      alert_type: 'flood',
      alerts: 41,
    })
    expect(engine.groups[0].grouped_because).to.match(/ are the same, and it came within /)
    const metrics = await (await tocsin.fetch('/metrics')).text()
    expect(metrics).to.include('\ntocsin_organizations_in_storm 1\n')
    expect(Number(/^tocsin_alerts_grouped_total (\d+)$/m.exec(metrics)?.[1])).to.be.at.least(40)

    await tocsin.call('/organizations', { body: { code: 'calm', name: 'Calm' } })
    const made = await tocsin.call('/keys', {
      body: { name: 'k', role: 'reader', organization_codes: ['calm'] },
    })
    const seen = (await tocsin.call('/engine', { key: made.body.key })).body
    expect(seen).to.deep.include({ storm: false, organizations: [], groups: [], destructive: [] })
  })
})
