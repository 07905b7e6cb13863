import { expect } from 'chai'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const tap = await openDeclaredPlugin(import.meta.dirname, {
  principal: 'a-principal',
  secret: 'a-secret-of-tap',
})

const events = (fields: object) => [{ json: { queryEndTime: '2026-11-20T12:00:00Z', ...fields } }]

describe('proofpoint_tap', () => {
  for (const [what, reply, kind, text] of [
    ['wrong credentials', { status: 401, text: '' }, 'ConnectionError', /Connected Applications/],
    ['data of another customer', { status: 403, text: '' }, 'ConnectionError', /do not replace them/],
    [
      'a quota that is used up',
      { status: 429, text: 'Too many' },
      'SkillError',
      /quota of the last 24 hours/,
    ],
    [
      'a limit of a gateway',
      { status: 429, headers: { 'retry-after': '3' }, text: '' },
      'RetryableError',
      /429/,
    ],
    [
      'a time range that is too short',
      { status: 400, text: 'The requested interval is too short.' },
      'SkillError',
      /interval is too short.*30 seconds/,
    ],
    [
      'a time that is too early',
      { status: 400, text: 'The requested start time is too far into the past.' },
      'SkillError',
      /7 days/,
    ],
    ['a page', { status: 502, text: '<html><h1>Bad Gateway</h1>' }, 'RetryableError', /Bad Gateway/],
    ['a page with a good status', { text: '<html><h1>Sign in</h1>' }, 'SkillError', /not valid JSON/],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await tap.failureOf('list_events', {}, { replies: [reply] })
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('accepts credentials although the campaign of the check does not exist', async () => {
    expect(await tap.check([{ status: 404, text: 'Not found' }])).to.include({ account: 'a-principal' })
    expect(await tap.checkFailureOf([{ status: 401, text: '' }])).to.include({ kind: 'ConnectionError' })
  })

  it('asks for JSON, and for one kind of time range', async () => {
    const query = async (input: object) => {
      const { requests } = await tap.run('list_events', input, { replies: events({}) })
      return [...new URL(requests[0]!.url).searchParams].map((pair) => pair.join('='))
    }
    const statuses = ['threatStatus=active', 'threatStatus=cleared']
    expect(await query({ minutes: 5 })).to.deep.equal(['format=json', 'sinceSeconds=300', ...statuses])
    expect(await query({ since: '2026-11-20T08:00:00Z' })).to.deep.equal([
      'format=json',
      'interval=2026-11-20T08:00:00Z/PT60M',
      ...statuses,
    ])
  })

  it('reads events without an answer, without lists, and with other spellings', async () => {
    for (const reply of [{ status: 204, text: '' }, { json: { messagesDelivered: null } }])
      expect((await tap.run('list_events', {}, { replies: [reply] })).output).to.deep.equal({
        events: [],
        complete: true,
      })
    const message = {
      GUID: 'g',
      recipient: 'a@example.com',
      fromAddress: ['b@example.net'],
      subject: null,
      messageParts: null,
      extra: {},
      threatsInfoMap: [{ threatID: 't', classification: 'NEW', campaignID: null }],
    }
    const click = {
      id: 'i',
      GUID: 'g',
      recipient: null,
      threatId: 'u',
      threatUrl: 'https://x',
      campaignId: 'c',
    }
    const { output } = await tap.run(
      'list_events',
      { kind: 'all' },
      { replies: events({ messagesBlocked: [message], clicksBlocked: [click] }) },
    )
    expect(output.events).to.deep.equal([
      {
        kind: 'message',
        passed: false,
        id: 'g',
        recipients: ['a@example.com'],
        from: 'b@example.net',
        threats: [{ id: 't', classification: 'NEW' }],
        files: [],
      },
      {
        kind: 'click',
        passed: false,
        id: 'i',
        recipients: [],
        threats: [{ id: 'u', threat: 'https://x', campaign_id: 'c' }],
        files: [],
      },
    ])
  })

  it('finds the events of a recipient among 10,000, up to the limit', async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      GUID: `g${at}`,
      recipient: [at % 10 === 0 ? 'Kim@example.com' : 'x@example.com'],
    }))
    const { output } = await tap.run(
      'list_events',
      { recipient: 'kim@example.com', limit: 500 },
      { replies: events({ messagesDelivered: messages }) },
    )
    expect(output.events).to.have.length(500)
    expect(output.complete).to.equal(false)
  })

  it('keeps ids within the path and the query', async () => {
    const { requests } = await tap.run('get_threat', { id: 'a/../x?y' }, { replies: [{ status: 404 }] })
    expect(requests[0]?.path).to.equal('/v2/threat/summary/a%2F..%2Fx%3Fy')
    const { requests: asked } = await tap.run(
      'get_forensics',
      { kind: 'campaign', id: 'a&threatId=b' },
      { replies: [{ json: { reports: [] } }] },
    )
    expect([...new URL(asked[0]!.url).searchParams]).to.deep.equal([['campaignId', 'a&threatId=b']])
  })

  it('reads forensics with unknown types, and leaves out harmless ones', async () => {
    const forensics = [
      { type: 'new', malicious: true, what: { blacklisted: 0 } },
      { type: 'dns', malicious: null },
      {},
    ]
    const replies = [{ json: { reports: [{ forensics }] } }]
    expect((await tap.run('get_forensics', { id: 't' }, { replies })).output).to.deep.equal({
      found: true,
      evidence: [{ type: 'new', malicious: true, what: { blacklisted: 0 } }],
    })
    expect(
      (await tap.run('get_forensics', { id: 't', malicious_only: false }, { replies })).output.evidence,
    ).to.have.length(3)
  })

  it('reads campaigns page after page', async () => {
    const page = (from: number, count: number) => ({
      json: { campaigns: Array.from({ length: count }, (_, at) => ({ id: `c${from + at}` })) },
    })
    const { output, requests } = await tap.run(
      'list_campaigns',
      { since: '2026-11-19T12:00:00Z', limit: 1_000 },
      { replies: [page(0, 200), page(200, 3)] },
    )
    expect(output.campaigns).to.have.length(203)
    expect(output.complete).to.equal(true)
    expect(new URL(requests[1]!.url).searchParams.get('page')).to.equal('2')
  })
})
