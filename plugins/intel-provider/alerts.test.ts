import { expect } from 'chai'
import { isObject, objectsAt, valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill, serveSandbox, type ServedSandbox } from 'tocsin/plugin/testing'
import { decodeAlertRecord } from './alert-record.ts'
import sandbox from './sandbox.ts'
import { intelFixture } from './sandbox/fixture.ts'
import { getPlaybookAlerts } from './skills/get-playbook-alerts.ts'
import { listIntelAlerts } from './skills/list-alerts.ts'

type ListInput = Parameters<typeof listIntelAlerts.run>[0]
type SearchInput = Parameters<typeof getPlaybookAlerts.run>[0]

const settings = { api_key: 'a-key' }

describe('intel_provider.list_alerts', () => {
  let running: ServedSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const list = async (input: ListInput) =>
    (await runSkill(listIntelAlerts, input, { settings: running.settings, egress: loopbackEgress })).output
  const ids = async (input: ListInput) => (await list(input)).alerts.map((alert) => alert.id)
  const sentQuery = () => new URL(running.requests[0]?.path ?? '', 'http://sandbox').searchParams

  it('lists all alerts, newest first, with only the blocks it needs', async () => {
    const output = await list({})
    expect(output).to.deep.include({ counts: { returned: 2, total: 2 }, truncated: false, incomplete: false })
    expect(output.alerts[0]).to.deep.include({ status: 'New', type: 'EVENT', entities: [] })
    expect(output.alerts[0]?.raw).to.have.all.keys('id', 'log', 'title', 'rule', 'review', 'type', 'url')
    expect(sentQuery().get('fields')).to.equal('review,type,url')
  })

  it('filters by status', async () => {
    expect(await ids({ status: 'Pending' })).to.deep.equal(['wkXmzS'])
    expect(sentQuery().get('statusInPortal')).to.equal('Pending')
  })

  it('passes a text search on to the provider', async () => {
    expect(await ids({ freetext: 'Certificate LOGIN-example' })).to.deep.equal(['wkXmzR'])
    expect(sentQuery().get('freetext')).to.equal('Certificate LOGIN-example')
    expect(await ids({ freetext: 'leaked' })).to.deep.equal(['wkXmzS'])
    expect(await ids({ freetext: 'certificate leaked' })).to.deep.equal([])
  })

  it('writes a time range as [from,to], percent-encoded', async () => {
    const range = { triggered_from: '2026-01-12T10:15:30Z', triggered_to: '2026-01-12T10:15:30+00:00' }
    expect(await ids(range)).to.deep.equal(['wkXmzR'])
    expect(sentQuery().get('triggered')).to.equal('[2026-01-12T10:15:30.000Z,2026-01-12T10:15:30.000Z]')
    expect(running.requests[0]?.path).to.include('triggered=%5B2026-01-12T10%3A15%3A30.000Z%2C')
    expect(await ids({ triggered_from: '2030-01-01T00:00:00Z' })).to.deep.equal([])
  })

  it('accepts times relative to now', async () => {
    expect(await ids({ triggered_from: '-200y', triggered_to: '-1s' })).to.have.length(2)
    expect(await ids({ triggered_from: '-1s' })).to.deep.equal([])
    expect(await ids({ triggered_to: '-50y' })).to.deep.equal([])
    expect(sentQuery().get('triggered')).to.equal('[-200y,-1s]')
  })

  for (const entity of ['login-example.com', 'idn:LOGIN-example.com', 'Example Corp']) {
    it(`finds alerts that name the entity ${entity}`, async () => {
      const output = await list({ entity })
      expect(output.alerts.map((alert) => alert.id)).to.include('wkXmzR')
      expect(output.alerts[0]?.entities).to.deep.include({
        id: 'Cq_xI',
        name: 'Example Corp',
        type: 'Company',
      })
      expect(output).to.include({ truncated: false, incomplete: false })
    })
  }

  it('finds nothing for an unknown entity and reports a complete search', async () => {
    expect(await list({ entity: 'login-example.co' })).to.deep.include({ alerts: [], incomplete: false })
  })

  it('reports an incomplete search by entity', async () => {
    const { output, requests } = await runSkill(
      listIntelAlerts,
      { entity: 'nobody' },
      { settings, replies: ({ url }) => ({ json: manyAlerts(new URL(url).searchParams, 1200) }) },
    )
    expect(output).to.deep.equal({
      alerts: [],
      counts: { returned: 0, total: 1200 },
      truncated: true,
      incomplete: true,
    })
    expect(requests).to.have.length(40)
  })

  it('reads pages up to the limit and reports more', async () => {
    const { output, requests } = await runSkill(
      listIntelAlerts,
      { limit: 250 },
      { settings, replies: ({ url }) => ({ json: manyAlerts(new URL(url).searchParams, 604) }) },
    )
    expect(output.alerts).to.have.length(250)
    expect(new Set(output.alerts.map((alert) => alert.id)).size).to.equal(250)
    expect(output).to.deep.include({ truncated: true, incomplete: false })
    expect(requests.map(({ url }) => new URL(url).searchParams.get('from'))).to.deep.equal([
      '0',
      '100',
      '200',
    ])
    expect(new URL(requests[2]?.url ?? '').searchParams.get('limit')).to.equal('100')
  })

  it('refuses a priority with a hint at the right skill, and sends nothing', async () => {
    const error = await caught(list({ priority: 'High' }))
    expect(valueAt(error, 'code')).to.equal('priority_not_supported')
    expect(valueAt(error, 'hint')).to.match(/get_playbook_alerts/)
    expect(running.requests).to.have.length(0)
  })

  for (const name of ['v3-alert-page-event', 'v3-alert-page-minimal-fields', 'v3-alert-page-empty']) {
    it(`reads every field of the recorded page ${name}`, async () => {
      const body = intelFixture(name)
      const { output } = await runSkill(
        listIntelAlerts,
        {},
        { settings, replies: () => ({ json: onePage(body) }) },
      )
      expect(output.alerts.map((alert) => alert.raw)).to.deep.equal(valueAt(body, 'data'))
    })
  }

  it('skips unreadable alerts, says why, and warns that one may name the entity', async () => {
    const [good] = objectsAt(intelFixture('v3-alert-page-event'), 'data')
    const data = [{ title: 'without an id' }, good, null, { id: '' }]
    const replies = [{ json: { data, counts: { returned: 4, total: 4 } } }]
    const { output } = await runSkill(listIntelAlerts, { entity: 'Example Corp' }, { settings, replies })
    expect(output.alerts).to.have.length(1)
    expect(output).to.deep.include({
      truncated: false,
      incomplete: true,
      unreadable: 3,
      unreadable_why: [
        'the provider returned an alert without an id',
        'a record of the list is not an object',
      ],
    })
  })

  it('fails if no alert can be read', async () => {
    const replies = [{ json: { data: [{ name: 'x' }], counts: { returned: 1, total: 1 } } }]
    expect(await caught(runSkill(listIntelAlerts, {}, { settings, replies }))).to.include({
      code: 'bad_response',
    })
  })

  it('reads the recorded single alert', () => {
    const data = valueAt(intelFixture('v3-alert-single'), 'data')
    if (!isObject(data)) throw new Error('the fixture has no data')
    const read = decodeAlertRecord(data)
    expect(read).to.include({ id: 'wkXmzR', status: 'New', triggered: '2026-01-12T10:15:30.123Z' })
    expect(read.entities.map(({ id }) => id)).to.deep.equal(['idn:login-example.com', 'Cq_xI'])
  })

  it('reads an alert whose blocks are all null', () => {
    const blocks = [
      'review',
      'rule',
      'url',
      'log',
      'hits',
      'triggered_by',
      'enriched_entities',
      'title',
      'type',
    ]
    const read = decodeAlertRecord({ id: 'a', ...Object.fromEntries(blocks.map((name) => [name, null])) })
    expect(read).to.deep.include({
      id: 'a',
      title: null,
      status: null,
      rule: { id: null, name: null },
      entities: [],
    })
  })
})

describe('intel_provider.get_playbook_alerts', () => {
  let running: ServedSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const search = async (input: SearchInput) =>
    (await runSkill(getPlaybookAlerts, input, { settings: running.settings, egress: loopbackEgress })).output

  const questions: readonly (readonly [SearchInput, titles: readonly string[]])[] = [
    [{}, ['login-example.com', 'CVE-2026-0001', 'ana@example.com']],
    [{ priority: ['High'] }, ['login-example.com']],
    [{ statuses: ['InProgress', 'Resolved'] }, ['CVE-2026-0001', 'ana@example.com']],
    [{ category: ['identity_novel_exposures'] }, ['ana@example.com']],
    [{ assignee: ['uhash:5'] }, ['CVE-2026-0001']],
    [{ created_from: '2026-01-10T08:00:01Z' }, []],
    [{ updated_until: '2026-01-11T09:00:00+01:00', limit: 1 }, ['login-example.com']],
  ]
  for (const [input, titles] of questions) {
    it(`finds ${titles.length} for ${JSON.stringify(input)}`, async () => {
      const output = await search(input)
      expect(output.alerts.map((alert) => alert.title)).to.deep.equal(titles)
      expect(output.alerts.every((alert) => alert.details === null)).to.equal(true)
      expect(output.truncated).to.equal(titles.length < (output.counts.total ?? 0))
    })
  }

  it('fetches details by category, with the colon of the id encoded', async () => {
    const output = await search({ details: true })
    expect(running.requests.slice(1).map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /playbook-alert/domain_abuse/task%3A00000001-4444-4444-8444-000000000001',
      'POST /playbook-alert/vulnerability/task%3A00000002-4444-4444-8444-000000000002',
      'POST /playbook-alert/identity_novel_exposures/task%3A00000003-4444-4444-8444-000000000003',
    ])
    const targets = output.alerts.map((alert) => valueAt(valueAt(alert.details, 'panel_status'), 'targets'))
    expect(targets[0]).to.deep.equal(['idn:kiteca.com'])
    expect(targets[2]).to.deep.equal([{ name: 'str' }, { name: 'str' }])
  })

  it('fetches the common details of an unknown category and skips deleted alerts', async () => {
    const found = objectsAt(intelFixture('playbook-alert-search-page'), 'data').slice(0, 2)
    const data = found.map((alert) => Object.assign({}, alert, { category: 'brand_new' }))
    const { output, requests } = await runSkill(
      getPlaybookAlerts,
      { details: true },
      {
        settings,
        replies: [
          { json: { data, counts: { returned: 2, total: 2 } } },
          { json: intelFixture('playbook-alert-common') },
          { status: 404, text: '' },
        ],
      },
    )
    expect(requests[1]).to.include({ method: 'GET', body: '' })
    expect(requests[1]?.path).to.match(/^\/playbook-alert\/common\/task%3A/)
    expect(output.alerts.map((alert) => alert.details === null)).to.deep.equal([false, true])
    expect(output.without_details).to.equal(1)
  })

  it('skips an unreadable alert, or only its unreadable details', async () => {
    const found = objectsAt(intelFixture('playbook-alert-search-page'), 'data').slice(0, 2)
    const data = [...found, { title: 'without an id' }]
    const { output } = await runSkill(
      getPlaybookAlerts,
      { details: true },
      {
        settings,
        replies: [
          { json: { data, counts: { returned: 3, total: 3 } } },
          { json: { data: { panel: 1 } } },
          { json: { data: 'gone' } },
        ],
      },
    )
    expect(output.alerts.map(({ details }) => details)).to.deep.equal([{ panel: 1 }, null])
    expect(output).to.deep.include({
      unreadable: 1,
      unreadable_why: ['the provider returned a playbook alert without an id'],
      without_details: 1,
    })
  })

  it('skips refused details, and fails if all are refused', async () => {
    const found = objectsAt(intelFixture('playbook-alert-search-page'), 'data').slice(0, 3)
    const ask = (
      ...details: readonly { readonly status?: number; readonly json?: unknown; readonly text?: string }[]
    ) =>
      runSkill(
        getPlaybookAlerts,
        { details: true },
        { settings, replies: [{ json: { data: found, counts: { returned: 3, total: 3 } } }, ...details] },
      )
    const refused = { status: 403, json: intelFixture('error-403') }
    const { output } = await ask(refused, { json: { data: { panel: 1 } } }, { status: 404, text: '' })
    expect(output.alerts.map(({ details }) => details)).to.deep.equal([null, { panel: 1 }, null])
    expect(output).to.deep.include({
      without_details: 2,
      without_details_why: ['the key has no access to those of domain_abuse (403)', 'they were deleted'],
    })
    expect((await ask(refused, refused, { status: 404, text: '' })).output.without_details).to.equal(3)
    const all: unknown = await ask(refused, refused, refused).catch((error: unknown) => error)
    expect(all).to.include({ name: 'ConnectionError', code: 'http_403' })
    const revoked: unknown = await ask(refused, { status: 401, text: '' }, refused).catch((e: unknown) => e)
    expect(revoked, 'another refusal is about the key as a whole').to.include({ code: 'http_401' })
  })

  it('fetches many details concurrently and keeps their order', async () => {
    const data = Array.from({ length: 12 }, (_, index) => ({ playbook_alert_id: `task:${index}` }))
    let atOnce = 0
    let most = 0
    const search = { json: { data, counts: { returned: 12, total: 12 } } }
    const busy = serveSandbox(
      () => ({
        'POST /playbook-alert/search': () => search,
        'GET /playbook-alert/common/:id': async ({ params }) => {
          most = Math.max(most, ++atOnce)
          await new Promise((resolve) => setTimeout(resolve, 20))
          atOnce--
          return { json: { data: { id: params['id'] } } }
        },
      }),
      (url) => ({ api_key: 'a-key', base_url: url }),
    )
    const provider = await busy.start()
    const { output } = await runSkill(
      getPlaybookAlerts,
      { details: true, limit: 12 },
      { settings: provider.settings, egress: loopbackEgress },
    )
    await provider.close()
    expect(output.alerts.map(({ id, details }) => valueAt(details, 'id') === id)).to.deep.equal(
      Array(12).fill(true),
    )
    expect(most).to.be.within(2, 5)
  })

  for (const input of [
    { created_from: '-24h' },
    { updated_until: '-24h' },
    { created_from: '2027-01-01T00:00:00Z', created_until: '2026-01-01T00:00:00Z' },
    { updated_from: '2027-01-01T00:00:00Z', updated_until: '2026-01-01T00:00:00Z' },
  ]) {
    it(`refuses ${JSON.stringify(input)}, which would find nothing`, async () => {
      expect(valueAt(await caught(search(input)), 'code')).to.equal('invalid_time')
      expect(running.requests).to.have.length(0)
    })
  }

  it('refuses details of more alerts than fit into a step', async () => {
    const error = await caught(search({ details: true, limit: 51 }))
    expect(valueAt(error, 'code')).to.equal('too_many_details')
    expect(running.requests).to.have.length(0)
  })

  it('never logs alert content', async () => {
    const { logs } = await runSkill(
      getPlaybookAlerts,
      { details: true },
      { settings: running.settings, egress: loopbackEgress },
    )
    expect(logs).to.deep.equal([])
  })
})

/** One page of a provider that has `total` alerts. */
function manyAlerts(query: URLSearchParams, total: number) {
  const from = Number(query.get('from'))
  const limit = Number(query.get('limit'))
  expect(from + limit).to.be.at.most(1000)
  const data = Array.from({ length: Math.min(limit, total - from) }, (_, index) => ({
    id: `a-${from + index}`,
  }))
  return { data, counts: { returned: data.length, total } }
}

/** The recorded page as the only page. */
function onePage(body: unknown) {
  const data = objectsAt(body, 'data')
  return { data, counts: { returned: data.length, total: data.length } }
}

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it was not rejected'),
    (error: unknown) => error,
  )
}
