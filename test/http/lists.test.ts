import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const rows = 120

describe('lists of the API', () => {
  let api: Api
  let caseId: string

  /** One case with many alerts and runs, and a long timeline. */
  before(async () => {
    api = await startApi()
    const organizationUuid = api.organizations['acme'] ?? ''
    const alerts = []
    for (let count = 0; count < rows; count++) {
      const content = `content ${count} ${'x'.repeat(50_000)}`
      const alert = {
        content,
        provider: 'SIEM',
        organizationUuid,
        type: 't',
        createdAtSource: null,
        createdBy: organizationUuid,
      }
      alerts.push(await api.stores.alerts.create(alert))
    }
    const [first] = alerts
    for (let count = 0; count < rows; count++) {
      const run = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid: first?.uuid ?? '' }
      const { uuid } = await api.stores.runs.queue({ ...run, retry: count > 0 })
      caseId = (await api.stores.runs.start(uuid, { title: 'x' }))?.caseId ?? ''
      await api.stores.runs.end(uuid, { status: 'completed', output: 'x'.repeat(10_000), error: null })
    }
  })
  after(() => api.close())

  const get = async (path: string) => {
    const reply = await api.call('GET', `/api/${path}`)
    expect(reply.status, reply.text.slice(0, 500)).to.equal(200)
    return reply
  }

  it('of alerts have content only on request', async () => {
    const { json, text } = await get('alerts?limit=200')
    expect(json.data).to.have.length(rows)
    expect(text.length).to.be.below(200_000)
    for (const row of json.data) expect(row).to.not.have.property('alert_content')
    expect((await get('alerts?limit=1&content=false')).json.data[0]).to.not.have.property('alert_content')
    const whole = (await get('alerts?limit=1&content=true')).json.data[0]
    expect(whole.alert_content).to.match(/^content 119 x+$/)
    expect((await get(`alerts/${whole.alert_id}`)).json.alert_content).to.equal(whole.alert_content)
  })

  it('of alerts have a content preview on request', async () => {
    const { json, text } = await get('alerts?limit=200&content=preview')
    expect(text.length).to.be.below(200_000)
    expect(json.data).to.have.length(rows)
    for (const row of json.data) expect(row).to.not.have.property('alert_content')
    expect(json.data[0].content_preview)
      .to.match(/^content 119 x+$/)
      .and.have.length(200)
    expect((await get('alerts')).json.data[0]).to.not.have.property('content_preview')
  })

  it('of alerts with content end early and have a cursor', async () => {
    const seen: string[] = []
    let cursor = ''
    let pages = 0
    do {
      const { json, text } = await get(
        `alerts?limit=200&content=true${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      expect(text.length).to.be.below(1_200_000)
      seen.push(...json.data.map((row: { alert_id: string }) => row.alert_id))
      cursor = json.next_cursor ?? ''
      pages++
    } while (cursor !== '')
    expect(pages).to.equal(6)
    expect(new Set(seen).size).to.equal(rows)
  })

  it('of alerts sort and filter by the allowed fields only', async () => {
    const oldest = (await get('alerts?sort=created_at&limit=1')).json.data[0]
    expect(oldest.alert_id).to.equal('acme-SIEM-1')
    expect((await get(`alerts?created_after=${api.clock.time}`)).json.total).to.equal(rows)
    expect((await get(`alerts?created_before=${api.clock.time}`)).json.total).to.equal(0)
    for (const query of [
      'sort=alert_content',
      'sort=id;DROP TABLE alerts',
      'sort=--created_at',
      'sort=',
      'created_after=yesterday',
      'created_before=-1',
      'content=1',
    ]) {
      const reply = await api.call('GET', `/api/alerts?${query}`)
      expectProblem(reply, 400, 'query_invalid')
      expect(reply.json.errors[0].pointer).to.equal(`/${query.split('=')[0]}`)
    }
  })

  it('of alerts support full-text search', async () => {
    const { json } = await get(`alerts?q=${encodeURIComponent('CONTENT 117')}`)
    expect(json.data.map((row: { alert_id: string }) => row.alert_id)).to.include('acme-SIEM-118')
    expect((await get('alerts?q=nothing')).json.total).to.equal(0)
    expectProblem(await api.call('GET', '/api/alerts?q=---'), 400, 'query_invalid')
  })

  it('of runs filter by case', async () => {
    expect((await get(`runs?case=${caseId}`)).json.total).to.equal(rows)
    expect((await get('runs?case=acme-99')).json.total).to.equal(0)
  })

  it('within a case are bounded and need a constant number of queries', async () => {
    const { alerts, runs, cases } = api.stores
    let calls = 0
    const undo = [alerts, runs, cases].map((store) => {
      const list = store.list
      store.list = ((...given: never[]) => {
        calls++
        return (list as (...given: never[]) => unknown).call(store, ...given)
      }) as never
      return () => delete (store as { list?: unknown }).list
    })
    const { json, text } = await get(`cases/${caseId}`)
    for (const one of undo) one()
    expect(calls).to.equal(3)
    expect(json.alerts).to.have.length(1)
    expect(json.runs).to.have.length(50)
    expect(json.timeline).to.have.length(100)
    expect(json.timeline_total).to.equal(1 + 2 * rows)
    expect(json.timeline.at(-1).kind).to.equal('run_ended')
    expect(text).to.not.include('alert_content')
    const page = (await get(`cases/${caseId}/timeline?limit=200`)).json
    expect(page.total).to.equal(json.timeline_total)
    expect(page.data.slice(0, 100).toReversed()).to.deep.equal(json.timeline)
    const rest = (await get(`cases/${caseId}/timeline?limit=200&cursor=${page.next_cursor}`)).json
    expect(rest.data.at(-1).kind).to.equal('opened')
    const foreign = await api.call('GET', `/api/cases/${caseId}/timeline`, {
      key: await api.newKey('reader', ['globex']),
    })
    expectProblem(foreign, 404, 'case_not_found')
  })
})
