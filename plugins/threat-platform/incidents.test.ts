import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import {
  loopbackEgress,
  runSkill,
  type Failure,
  type SandboxReply,
  type ServedSandbox,
} from 'tocsin/plugin/testing'
import sandbox, { sandboxWith } from './sandbox.ts'
import { threatFaults } from './sandbox/faults.ts'
import { threatFixture } from './sandbox/fixture.ts'
import { apiToken, revokedToken } from './sandbox/tokens.ts'
import { fetchIncidents } from './skills/fetch-incidents.ts'

type Input = Parameters<typeof fetchIncidents.run>[0]

const settings = { company_id: '330', api_token: 'a-token', base_url: 'https://threat.example.com' }
const vendorSettings = { ...settings, contract: 'vendor' }

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it was not rejected'),
    (error: unknown) => error,
  )

describe('threat_platform.fetch_incidents', () => {
  let running: ServedSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const fetch = async (input: Input, more: object = {}) =>
    (
      await runSkill(fetchIncidents, input, {
        settings: { ...running.settings, ...more },
        egress: loopbackEgress,
      })
    ).output

  it('requests alerts without parameters, because none are documented', async () => {
    const output = await fetch({ status: ['Open'], start_date: '2026-01-01T00:00:00Z', limit: 5 })
    expect(running.requests.map(({ path }) => path)).to.deep.equal(['/api/v1/alerts'])
    expect(output.partial).to.equal(false)
  })

  it('skips an unreadable alert and says why', async () => {
    running.failNext({ json: { alerts: [{ title: 'x' }, { id: 'a' }], total: 2 } })
    expect(await fetch({})).to.deep.include({
      partial: true,
      counts: { returned: 1, read: 2, total: 2 },
      unreadable: 1,
      unreadable_why: ["the platform returned an incident without 'id'"],
    })
  })

  it('returns every alert with all of its fields', async () => {
    const output = await fetch({})
    expect(output.incidents.map(({ raw }) => raw)).to.have.deep.members(
      valueAt(threatFixture('seed-alerts-list'), 'alerts') as object[],
    )
    expect(output.incidents[0]).to.deep.include({
      id: 'alert_124',
      title: 'Leaked credential on a dark-web market',
      severity: 'Medium',
      status: 'In Progress',
      created_at: '2026-01-12T11:20:30.000Z',
    })
    expect(output.counts).to.deep.equal({ returned: 2, read: 2, total: 2 })
  })

  const questions: readonly (readonly [Input, ids: readonly string[]])[] = [
    [{ status: ['in_progress'] }, ['alert_124']],
    [{ status: ['OPEN', 'In Progress'], severities: ['medium'] }, ['alert_124']],
    [{ severities: ['Low'] }, []],
    [{ start_date: '2026-01-12T11:15:01+01:00' }, ['alert_124']],
    [{ start_date: '2026-01-12T10:15:00Z', end_date: '2026-01-12T10:15:00Z' }, ['alert_123']],
    [{ end_date: '2026-01-12T10:14:59Z' }, []],
  ]
  for (const [input, ids] of questions) {
    it(`finds ${ids.length} for ${JSON.stringify(input)}`, async () => {
      const output = await fetch(input)
      expect(output.incidents.map(({ id }) => id)).to.deep.equal(ids)
      expect(output).to.deep.include({
        counts: { returned: ids.length, read: 2, total: 2 },
        partial: false,
      })
    })
  }

  it("returns the newest, each once, regardless of the platform's order", async () => {
    const at = (id: string, day: number) => ({ id, created_at: `2026-01-${day}T08:00:00Z` })
    const alerts = [at('old', 11), { id: 'undated' }, at('new', 14), at('new', 14), at('middle', 13)]
    const replies = [{ json: { alerts, total: 5 } }]
    const { output } = await runSkill(fetchIncidents, { limit: 3 }, { settings, replies })
    expect(output.incidents.map(({ id }) => id)).to.deep.equal(['new', 'middle', 'old'])
    expect(output).to.deep.include({ counts: { returned: 3, read: 5, total: 5 }, partial: true })
  })

  it('is partial if a duplicate replaces another incident', async () => {
    const replies = [{ json: { alerts: [{ id: 'a' }, { id: 'b' }, { id: 'b' }], total: 3 } }]
    const { output } = await runSkill(fetchIncidents, {}, { settings, replies })
    expect(output).to.deep.include({ counts: { returned: 2, read: 3, total: 3 }, partial: true })
  })

  describe('compares limit and total, and', () => {
    const alerts = [{ id: 'a' }, { id: 'b' }]
    const rows: readonly (readonly [
      about: string,
      body: object,
      limit: number,
      partial: boolean,
      read: number,
    ])[] = [
      ['the total is greater than the returned list', { alerts, total: 7 }, 100, true, 2],
      ['the limit is smaller than the total', { alerts, total: 2 }, 1, true, 2],
      ['the total is missing', { alerts }, 100, true, 2],
      ['the limit equals the total', { alerts, total: 2 }, 2, false, 2],
      ['the list is empty', { alerts: [], total: 0 }, 1, false, 0],
    ]
    for (const [about, json, limit, partial, read] of rows) {
      it(`is ${partial ? 'partial' : 'complete'} if ${about}`, async () => {
        const { output } = await runSkill(fetchIncidents, { limit }, { settings, replies: [{ json }] })
        expect(output.partial).to.equal(partial)
        expect(output.counts).to.deep.equal({
          returned: Math.min(read, limit),
          read,
          total: valueAt(json, 'total') ?? null,
        })
      })
    }
  })

  it('accepts numeric ids and keeps unknown fields', async () => {
    const alerts = [{ id: 9_007_199_254_740_993n, created_at: 'soon', severity: null, extra: { deep: [1] } }]
    const { output } = await runSkill(
      fetchIncidents,
      { start_date: '2030-01-01T00:00:00Z' },
      {
        settings,
        replies: [
          {
            text: '{"alerts":[{"id":9007199254740993,"created_at":"soon","severity":null,"extra":{"deep":[1]}}],"total":1}',
          },
        ],
      },
    )
    expect(output.incidents).to.deep.equal([
      { id: '9007199254740993', title: null, severity: null, status: null, created_at: null, raw: alerts[0] },
    ])
  })

  describe('fails', () => {
    const rows: readonly (readonly [
      how: SandboxReply | Failure,
      error: Readonly<Record<string, unknown>>,
    ])[] = [
      [
        { status: 401, text: '' },
        { name: 'ConnectionError', code: 'http_401' },
      ],
      [
        { status: 403, text: '<html>' },
        { name: 'ConnectionError', code: 'http_403' },
      ],
      [threatFaults.wrongAddress, { name: 'SkillError', code: 'http_404' }],
      [threatFaults.rateLimited, { name: 'RetryableError', code: 'http_429', retryAfterMs: 3000 }],
      [threatFaults.outage, { name: 'RetryableError', code: 'http_500' }],
      ['reset', { name: 'RetryableError', code: 'network_error' }],
      [threatFaults.signInPage, { name: 'SkillError', code: 'bad_response' }],
      [threatFaults.truncatedBody, { name: 'SkillError', code: 'bad_response' }],
      [{ json: { alerts: null, total: 0 } }, { name: 'SkillError', code: 'bad_response' }],
      [{ json: { alerts: ['a'], total: 1 } }, { name: 'SkillError', code: 'bad_response' }],
      [{ json: { alerts: [{ title: 'no id' }], total: 1 } }, { name: 'SkillError', code: 'bad_response' }],
    ]
    for (const [how, error] of rows) {
      it(`as ${String(error['code'])} on ${JSON.stringify(how).slice(0, 70)}`, async () => {
        running.failNext(how)
        expect(await caught(fetch({}))).to.include(error)
      })
    }

    it('with a message for the operator that never contains the token', async () => {
      const hints: readonly (readonly [number, RegExp])[] = [
        [401, /incorrect, or its permissions do not match the endpoint/],
        [403, /lacks the permission/],
        [404, /endpoint URL is wrong/],
      ]
      for (const [status, hint] of hints) {
        running.failNext({ status, json: { message: `bad token ${apiToken}` } })
        const error = await caught(fetch({}))
        expect(valueAt(error, 'hint')).to.match(hint)
        expect(JSON.stringify([error, valueAt(error, 'message'), valueAt(error, 'stack')])).to.not.include(
          apiToken,
        )
      }
    })
  })
})

describe('threat_platform.fetch_incidents with the vendor contract', () => {
  let running: ServedSandbox
  beforeEach(async () => {
    running = await sandboxWith('vendor').start()
  })
  afterEach(() => running.close())

  const fetch = async (input: Input) =>
    (await runSkill(fetchIncidents, input, { settings: running.settings, egress: loopbackEgress })).output
  const sentQuery = (index = 0) => new URL(running.requests[index]?.path ?? '', 'http://sandbox').searchParams

  it('returns the recorded alarms, newest first, in the same shape as the other contract', async () => {
    const output = await fetch({})
    expect(output).to.deep.include({ counts: { returned: 9, read: 9, total: 9 }, partial: false })
    expect(output.incidents.map(({ id, severity }) => `${id} ${severity}`)).to.deep.equal([
      '87638015 Medium',
      '87637977 Info',
      '93001001 Critical',
      '94012012 Low',
      '93002002 High',
      '90000001 Medium',
      '90000002 Medium',
      '90000003 Medium',
      '90000004 Medium',
    ])
    expect(output.incidents[2]).to.deep.include({
      title: 'Detected stolen credentials from infected system. Employee credentials found in stealer logs.',
      status: 'Open',
      created_at: '2026-03-19T09:00:00.000Z',
    })
    expect(output.incidents[2]?.raw).to.deep.equal(threatFixture('vendor-alarm-critical-stealer-logs'))
  })

  it('uses the generic title if there is one', async () => {
    const alarm = { ...(threatFixture('vendor-alarm-details') as object), status: 'ON_HOLD' }
    const { output } = await runSkill(
      fetchIncidents,
      {},
      { settings: vendorSettings, replies: [{ json: { data: [alarm], is_success: true } }] },
    )
    expect(output.incidents[0]).to.deep.include({
      id: '95122156',
      title: 'Compromised Customer Credential',
      severity: 'High',
      status: 'On Hold',
      created_at: '2026-05-26T12:17:00.000Z',
    })
    expect(output.partial).to.equal(false)
  })

  it("passes the filters on in the platform's terms", async () => {
    const output = await fetch({
      severities: ['High', 'critical'],
      start_date: '2026-03-19T01:30:00.500Z',
      end_date: '2026-03-19T08:59:59.001Z',
    })
    expect(Object.fromEntries(sentQuery())).to.include({
      start_date: '1773883800',
      end_date: '1773910800',
      page: '1',
    })
    expect(sentQuery().getAll('status')).to.deep.equal([])
    expect(sentQuery().getAll('severities')).to.deep.equal(['HIGH', 'CRITICAL'])
    expect(output.incidents.map(({ id }) => id)).to.deep.equal(['93001001', '93002002'])
  })

  const statusQuestions: readonly (readonly [status: string[], sent: (string | null)[], ids: string])[] = [
    [['open'], ['OPEN'], '87638015 87637977 93001001 94012012 93002002'],
    [['on hold'], ['ON_HOLD'], '90000001'],
    [['Closed'], ['CLOSED'], '90000002 90000003 90000004'],
    [['CLOSED', 'Resolved', 'On-Hold'], ['ON_HOLD', 'CLOSED'], '90000001 90000002 90000003 90000004'],
    [['Resolved', 'false positive'], ['CLOSED'], '90000002 90000003'],
    [['INVESTIGATING'], ['ON_HOLD'], '90000001'],
    [['Legal Review', 'mitigated'], ['CLOSED', null], '90000004'],
  ]
  for (const [status, sent, ids] of statusQuestions) {
    it(`finds the statuses ${status.join(', ')} with a call for each group`, async () => {
      const output = await fetch({ status })
      expect(output.incidents.map(({ id }) => id).join(' ')).to.equal(ids)
      expect(output.partial).to.equal(false)
      expect(running.requests.map((_, index) => sentQuery(index).get('status'))).to.deep.equal(sent)
    })
  }

  it('returns the newest of all groups and the sum of their totals', async () => {
    const output = await fetch({ status: ['On Hold', 'Closed', 'Open'], limit: 6 })
    expect(output.incidents.at(-1)?.id).to.equal('90000001')
    expect(output).to.deep.include({ counts: { returned: 6, read: 9, total: 9 }, partial: true })
  })

  it('uses the later status of an incident that changed groups between calls', async () => {
    const answer = (status: string) => ({
      json: { data: [{ alarm_id: 7, status, date: '2026-01-12 08:00:00' }], is_success: true },
    })
    const { output } = await runSkill(
      fetchIncidents,
      { status: ['Closed', 'Open'] },
      { settings: vendorSettings, replies: [answer('OPEN'), answer('RESOLVED')] },
    )
    expect(output.incidents.map(({ id, status }) => `${id} ${status}`)).to.deep.equal(['7 Resolved'])
  })

  it('is partial if one of the groups has more', async () => {
    const { output } = await runSkill(
      fetchIncidents,
      { status: ['Open', 'Closed'], limit: 100 },
      {
        settings: vendorSettings,
        replies: ({ url }) => {
          const query = new URL(url).searchParams
          return { json: query.get('status') === 'OPEN' ? manyAlarms(query, 604) : { data: [] } }
        },
      },
    )
    expect(output).to.deep.include({ counts: { returned: 100, read: 100, total: null }, partial: true })
  })

  it('filters severities again in case the platform does not', async () => {
    const { output } = await runSkill(
      fetchIncidents,
      { severities: ['High'] },
      {
        settings: vendorSettings,
        replies: [{ json: threatFixture('vendor-incidents-v4-page') }, { json: { data: [] } }],
      },
    )
    expect(output.incidents.map(({ id }) => id)).to.deep.equal(['93002002'])
    expect(output.counts).to.deep.equal({ returned: 1, read: 3, total: 5 })
    expect(output.partial, 'an empty page came before the announced end').to.equal(true)
  })

  it('accepts an empty list', async () => {
    const output = await fetch({ severities: ['High'], end_date: '2020-01-01T00:00:00Z' })
    expect(output).to.deep.equal({
      incidents: [],
      counts: { returned: 0, read: 0, total: null },
      partial: false,
    })
  })

  it('reads pages up to the limit if the platform counts pages differently', async () => {
    const { output, requests } = await runSkill(
      fetchIncidents,
      { limit: 250 },
      {
        settings: vendorSettings,
        replies: ({ url }) => ({ json: manyAlarms(new URL(url).searchParams, 604) }),
      },
    )
    expect(new Set(output.incidents.map(({ id }) => id)).size).to.equal(250)
    expect(output).to.deep.include({ counts: { returned: 250, read: 300, total: 604 }, partial: true })
    expect(requests.map(({ url }) => new URL(url).searchParams.get('page'))).to.deep.equal(['1', '2', '3'])
  })

  it('ends with the last page, even without a total', async () => {
    for (const counted of [true, false]) {
      const { output, requests } = await runSkill(
        fetchIncidents,
        { limit: 1000 },
        {
          settings: vendorSettings,
          replies: ({ url }) => ({ json: manyAlarms(new URL(url).searchParams, 230, counted) }),
        },
      )
      expect(output.incidents).to.have.length(230)
      expect(output.partial).to.equal(false)
      expect(requests).to.have.length(3)
    }
  })

  it('continues after short pages', async () => {
    const { output } = await runSkill(
      fetchIncidents,
      { limit: 1000 },
      {
        settings: vendorSettings,
        replies: ({ url }) => {
          const page = new URL(url).searchParams.get('page') ?? ''
          return { json: manyAlarms(new URLSearchParams({ page, limit: '50' }), 120) }
        },
      },
    )
    expect(output).to.deep.include({ counts: { returned: 120, read: 120, total: 120 }, partial: false })
  })

  it('ends if the platform repeats its first page, and reports a partial list', async () => {
    const { output, requests } = await runSkill(
      fetchIncidents,
      { limit: 1000 },
      {
        settings: vendorSettings,
        replies: () => ({ json: manyAlarms(new URLSearchParams({ page: '1', limit: '100' }), 5000) }),
      },
    )
    expect(output).to.deep.include({ counts: { returned: 100, read: 200, total: 5000 }, partial: true })
    expect(requests).to.have.length(2)
  })

  describe('recognizes an error with status 200', () => {
    const rows: readonly (readonly [body: object, error: object])[] = [
      [{ response_code: 401 }, { name: 'ConnectionError', code: 'http_401' }],
      [{ response_code: 403 }, { name: 'ConnectionError', code: 'http_403' }],
      [{ response_code: 404 }, { name: 'SkillError', code: 'http_404' }],
      [{ response_code: 429 }, { name: 'RetryableError', code: 'http_429' }],
      [{ response_code: 503 }, { name: 'RetryableError', code: 'http_503' }],
      [{ response_code: '403' }, { name: 'ConnectionError', code: 'http_403' }],
      [{ response_code: ' 503 ' }, { name: 'RetryableError', code: 'http_503' }],
      [{ response_code: 'E403' }, { name: 'SkillError', code: 'not_successful' }],
      [{ response_code: 200 }, { name: 'SkillError', code: 'not_successful' }],
      [{ message: 'no code' }, { name: 'SkillError', code: 'not_successful' }],
    ]
    for (const [body, error] of rows) {
      it(JSON.stringify(body), async () => {
        running.failNext({ json: { is_success: false, ...body } })
        expect(await caught(fetch({}))).to.include(error)
      })
    }

    it('from either of the two fields', async () => {
      for (const said of [{ success: false }, { is_success: true, success: false }, { is_success: false }]) {
        running.failNext({ json: { data: [], response_code: 403, ...said } })
        expect(await caught(fetch({}))).to.include({ name: 'ConnectionError', code: 'http_403' })
      }
    })

    it("with the platform's message but without the token", async () => {
      running.failNext({ json: { is_success: false, message: `no: ${apiToken}`, response_code: 401 } })
      const error = await caught(fetch({}))
      expect(valueAt(error, 'message')).to.equal('the platform reported an error: no: [redacted]')
      expect(valueAt(error, 'hint')).to.match(/^The API token is incorrect/)
    })
  })

  it('skips an unreadable alarm and says why', async () => {
    const alarms = [{ alarm_id: 1 }, { alarm_text: 'x' }, null]
    running.failNext({ json: { is_success: true, data: { alarms, total_records: 3 } } })
    expect(await fetch({})).to.deep.include({
      partial: true,
      counts: { returned: 1, read: 3, total: 3 },
      unreadable: 2,
      unreadable_why: [
        "the platform returned an incident without 'alarm_id'",
        'a record of the list is not an object',
      ],
    })
  })

  it('skips an unreadable group, and fails if all are unreadable', async () => {
    const answer = (alarms: readonly unknown[]) => ({
      json: { is_success: true, data: alarms.length === 0 ? [] : { alarms, total_records: alarms.length } },
    })
    const closed = answer([{ alarm_text: 'x' }, null])
    const ask = (...replies: readonly ReturnType<typeof answer>[]) =>
      runSkill(fetchIncidents, { status: ['Open', 'Closed'] }, { settings: vendorSettings, replies })
    for (const replies of [
      [answer([{ alarm_id: 1, status: 'OPEN' }]), closed],
      [closed, answer([{ alarm_id: 1, status: 'RESOLVED' }])],
    ]) {
      const { output } = await ask(...replies)
      expect(output.incidents.map(({ id }) => id)).to.deep.equal(['1'])
      expect(output).to.deep.include({
        partial: true,
        counts: { returned: 1, read: 3, total: 3 },
        unreadable: 2,
        unreadable_why: [
          "the platform returned an incident without 'alarm_id'",
          'a record of the list is not an object',
        ],
      })
    }
    for (const replies of [
      [answer([]), closed],
      [closed, closed],
    ])
      expect(await caught(ask(...replies))).to.include({ code: 'bad_response' })
    const sick = { status: 500, text: '' }
    const work = runSkill(
      fetchIncidents,
      { status: ['Open', 'Closed'] },
      { settings: vendorSettings, replies: [closed, sick] },
    )
    expect(await caught(work), 'what was not read at all is not left out').to.include({ code: 'http_500' })
  })

  it('fails on a revoked token, a malformed body, and alarms without an id', async () => {
    const other = { ...running.settings, api_token: revokedToken }
    expect(
      await caught(runSkill(fetchIncidents, {}, { settings: other, egress: loopbackEgress })),
    ).to.include({ name: 'ConnectionError', code: 'http_401' })
    for (const reply of [
      threatFaults.signInPage,
      { json: { is_success: true, data: null } },
      { json: { is_success: true, data: { alarms: [null] } } },
      { json: { is_success: true, data: [{ alarm_text: 'x' }] } },
    ]) {
      running.failNext(reply)
      expect(await caught(fetch({}))).to.include({ code: 'bad_response' })
    }
  })

  it('logs no incident content', async () => {
    const { logs } = await runSkill(
      fetchIncidents,
      {},
      { settings: running.settings, egress: loopbackEgress },
    )
    expect(logs).to.deep.equal([])
  })
})

/** One page of a platform that has `total` alarms; its number of pages assumes 20 per page. */
function manyAlarms(query: URLSearchParams, total: number, counted = true) {
  const limit = Number(query.get('limit'))
  const from = (Number(query.get('page')) - 1) * limit
  expect(limit).to.be.at.most(100)
  const alarms = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, index) => ({
    alarm_id: from + index,
  }))
  const counts = counted ? { total_pages: Math.ceil(total / 20), total_records: total } : {}
  return { data: { alarms, ...counts }, is_success: true }
}
