import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const settings = {
  api_token: 'an-api-key-of-pagerduty',
  from: 'kim@example.com',
  routing_key: 'R0123456789012345678901234567890',
  webhook_secret: 'a-secret-of-the-webhook',
  service: 'PIJ90N7',
}
const pagerduty = await openDeclaredPlugin(import.meta.dirname, settings)

const problem = (status: number, code: number, message: string, errors?: readonly string[]) => ({
  status,
  json: { error: { code, message, errors } },
})
const incident = (status: string, more: object = {}) => ({
  json: { incident: { id: 'Q1', status, ...more } },
})
const trigger = { summary: 's' }

describe('pagerduty', () => {
  for (const [what, reply, kind, text] of [
    ['a wrong key, in plain text', { status: 401, text: 'Access Denied' }, 'ConnectionError', /other region/],
    [
      'an unknown author',
      problem(400, 1008, 'Invalid', ['Requester User Not Found']),
      'ConnectionError',
      /must be that of a PagerDuty user/,
    ],
    ['a read-only key', problem(403, 2010, 'Access Denied'), 'ConnectionError', /not read-only/],
    [
      'a plan that is too small',
      problem(402, 2014, 'Required abilities are unavailable'),
      'SkillError',
      /plan/,
    ],
    ['nobody on call', problem(400, 1015, 'Unable to assign'), 'SkillError', /nobody is on call/],
    [
      'refused fields',
      problem(400, 2001, 'Invalid Input Provided', ["Title can't be blank"]),
      'SkillError',
      /Invalid Input Provided; Title can't be blank/,
    ],
    ['an unknown incident', problem(404, 2100, 'Not Found'), 'SkillError', /other region/],
    ['a limit without headers and body', { status: 429, text: '' }, 'RetryableError', /rate limit/],
    ['a page', { status: 503, text: '<html><h1>Unavailable</h1>' }, 'RetryableError', /Unavailable/],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await pagerduty.failureOf('add_note', { id: 'Q1', note: 'n' }, { replies: [reply] })
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('waits as long as PagerDuty says', async () => {
    const replies = [{ ...problem(429, 2020, 'Too many'), headers: { 'ratelimit-reset': '17' } }]
    expect(await pagerduty.failureOf('list_oncalls', {}, { replies })).to.include({ retryAfterMs: 17_000 })
  })

  it('explains a wrong integration key', async () => {
    const errors = ["Length of 'routing_key' is incorrect (should be 32 characters)"]
    const replies = [
      { status: 400, json: { status: 'invalid event', message: 'Event object is invalid', errors } },
    ]
    const failure = await pagerduty.failureOf('trigger_alert', trigger, { replies })
    expect(failure).to.include({ kind: 'ConnectionError' })
    expect(failure.text).to.match(/Event object is invalid.*Events API V2 integration/)
  })

  it('sends alerts without the API key, to the region of the account, with the same key in each attempt', async () => {
    const reply = { status: 202, json: { status: 'success', dedup_key: 'k' } }
    for (const [region, host] of [
      ['us', 'events.pagerduty.com'],
      ['eu', 'events.eu.pagerduty.com'],
    ] as const) {
      const { requests } = await pagerduty.run('trigger_alert', trigger, {
        settings: { ...settings, region },
        replies: [reply],
      })
      expect(requests[0]?.url).to.equal(`https://${host}/v2/enqueue`)
      expect(requests[0]?.headers).to.not.have.property('authorization')
      const { requests: again } = await pagerduty.run('trigger_alert', trigger, {
        settings: { ...settings, region },
        replies: [reply],
      })
      const [first, second] = [requests, again].map(
        ([sent]) => (JSON.parse(sent!.body) as { dedup_key: string }).dedup_key,
      )
      expect(first).to.match(/^[0-9a-f-]{36}$/)
      expect(first).to.equal(second)
    }
    const { requests } = await pagerduty.run(
      'list_oncalls',
      {},
      { settings: { ...settings, region: 'eu' }, replies: [{ json: { oncalls: [] } }] },
    )
    expect(requests[0]?.url).to.match(/^https:\/\/api\.eu\.pagerduty\.com\/oncalls\?/)
    expect(requests[0]?.headers).to.include({
      authorization: `Token token=${settings.api_token}`,
      from: 'kim@example.com',
    })
  })

  it('keeps identifiers within the path', async () => {
    const { requests } = await pagerduty.run(
      'add_note',
      { id: 'Q1/../x?', note: 'n' },
      { replies: [{ json: {} }] },
    )
    expect(requests[0]?.path).to.equal('/incidents/Q1%2F..%2Fx%3F/notes')
  })

  it('distinguishes an unknown incident from another 404', async () => {
    expect(
      (await pagerduty.run('get_incident', { id: 'Q1' }, { replies: [problem(404, 2100, 'Not Found')] }))
        .output,
    ).to.deep.equal({ found: false })
    const page = await pagerduty.failureOf(
      'get_incident',
      { id: 'Q1' },
      { replies: [{ status: 404, text: '<html>' }] },
    )
    expect(page.code).to.equal('bad_response')
  })

  it('reads unknown statuses, nulls and missing fields', async () => {
    const { output } = await pagerduty.run(
      'get_incident',
      { id: 'Q1' },
      { replies: [incident('snoozed', { assignments: null, service: null, priority: null, extra: [] })] },
    )
    expect(output).to.deep.equal({ found: true, id: 'Q1', status: 'snoozed', assignees: [] })
  })

  it('reads incidents up to the limit, with repeated parameters', async () => {
    const page = (from: number) => ({
      json: {
        incidents: Array.from({ length: 100 }, (_, at) => ({ id: `Q${from + at}` })),
        offset: from,
        more: true,
      },
    })
    const { output, requests } = await pagerduty.run(
      'list_incidents',
      { limit: 250 },
      { replies: [page(0), page(100), page(200)] },
    )
    expect(output.incidents).to.have.length(250)
    expect(output.complete).to.equal(false)
    expect(requests[0]?.path).to.match(/statuses%5B%5D=triggered&statuses%5B%5D=acknowledged/)
    expect(new URL(requests[2]!.url).searchParams.get('offset')).to.equal('200')
  })

  it('reads on after a short page', async () => {
    const page = (id: string, offset: number, more: boolean) => ({
      json: { incidents: [{ id }], offset, more },
    })
    const { output, requests } = await pagerduty.run(
      'list_incidents',
      {},
      { replies: [page('Q1', 0, true), page('Q2', 1, false)] },
    )
    expect(output.incidents).to.have.length(2)
    expect(output.complete).to.equal(true)
    expect(new URL(requests[1]!.url).searchParams.get('offset')).to.equal('1')
  })

  it('asks after an interruption whether the write took effect', async () => {
    const created = (key: (url: string) => string) =>
      pagerduty.run(
        'create_incident',
        { title: 't' },
        {
          purpose: 'verify',
          replies: ({ url }) => ({ json: { incidents: [{ id: 'Q1', incident_key: key(url) }] } }),
        },
      )
    expect((await created((url) => new URL(url).searchParams.get('incident_key')!)).output).to.deep.equal({
      id: 'Q1',
    })
    expect((await created(() => 'another')).output).to.equal(undefined)
    const noted = (content: string) =>
      pagerduty.run(
        'add_note',
        { id: 'Q1', note: 'n' },
        { purpose: 'verify', replies: [{ json: { notes: [{ content }] } }] },
      )
    expect((await noted('n')).output).to.deep.equal({ id: 'Q1' })
    expect((await noted('m')).output).to.equal(undefined)
  })

  it('does not resolve twice', async () => {
    const { output, requests } = await pagerduty.run(
      'update_incident',
      { id: 'Q1', status: 'resolved' },
      { replies: [incident('resolved')] },
    )
    expect(output).to.deep.equal({ status: 'resolved', changed: false })
    expect(requests).to.have.length(1)
  })

  it('receives signed events, also while a secret is replaced, and no pings', () => {
    const sign = (body: string) => createHmac('sha256', settings.webhook_secret).update(body).digest('hex')
    const receive = (type: string, signature = sign) => {
      const body = JSON.stringify({ event: { id: 'e1', event_type: type, data: {} } })
      return (
        pagerduty.receive('events', body, {
          headers: { 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${signature(body)}` },
        }).alerts ?? []
      )
    }
    expect(receive('incident.priority_updated')[0]).to.include({
      provider: 'pagerduty',
      type: 'pagerduty_incident_priority_updated',
      dedupeKey: 'e1',
    })
    expect(receive('pagey.ping')).to.deep.equal([])
    expect(() => receive('incident.triggered', () => 'f'.repeat(64))).to.throw()
  })
})
