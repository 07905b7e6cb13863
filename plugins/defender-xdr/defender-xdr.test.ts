import { expect } from 'chai'
import { openDeclaredPlugin, type CannedReply, type FailureSeen } from 'tocsin/plugin/testing'

const settings = {
  tenant_id: 'example.com',
  client_id: '00000000-0000-4000-8000-000000000001',
  client_secret: 'a-client-secret',
}
const defender = await openDeclaredPlugin(import.meta.dirname, settings)

const refused = (status: number, code: string, message = 'no') => ({
  status,
  json: { error: { code, message, innerError: { date: null } } },
})
const list = (value: unknown, more: object = {}): CannedReply => ({ json: { value, ...more } })
const rows = (results: unknown): CannedReply => ({ json: { Schema: [], results } })
const bodyOf = (text = '{}') => JSON.parse(text) as Record<string, unknown>

describe('defender_xdr', () => {
  describe('reports errors with a hint for the operator', () => {
    const answers: readonly (readonly [string, CannedReply, Partial<FailureSeen>, RegExp])[] = [
      [
        'a table without licence',
        refused(400, 'BadRequest', "Failed to resolve table or column expression named 'EmailEvents'"),
        { kind: 'SkillError', effect: 'none' },
        /'EmailEvents'.*no licence for it/,
      ],
      [
        'a result that is too large',
        refused(400, 'BadRequest', 'Query execution has exceeded the allowed result size.'),
        { kind: 'SkillError' },
        /project fewer columns/,
      ],
      [
        'a wrong query',
        refused(400, 'BadRequest', 'Syntax error at |'),
        { kind: 'SkillError' },
        /Syntax error at/,
      ],
      [
        'a missing permission',
        refused(403, 'Forbidden'),
        { kind: 'ConnectionError' },
        /admin consent.*licence/,
      ],
      [
        'a used-up allowance',
        { ...refused(429, 'TooManyRequests', 'CPU quota exceeded'), headers: { 'retry-after': '600' } },
        { kind: 'RetryableError', retryAfterMs: 600_000 },
        /CPU quota exceeded.*processor time/,
      ],
      ['a query that takes too long', { status: 504 }, { kind: 'RetryableError' }, /filter by time first/],
      [
        'maintenance',
        { status: 503, text: '<html><title>Down for maintenance</title></html>' },
        { kind: 'RetryableError' },
        /Down for maintenance/,
      ],
      ['a sign-in page', { text: '<html>Sign in</html>' }, { code: 'bad_response' }, /JSON/],
      ['an answer without rows', { json: { schema: [] } }, { code: 'bad_response' }, /results/],
    ]
    for (const [what, reply, seen, text] of answers)
      it(what, async () => {
        const failure = await defender.failureOf(
          'run_hunting_query',
          { query: 'EmailEvents' },
          { replies: [reply] },
        )
        expect(failure).to.include(seen)
        expect(failure.text).to.match(text)
      })

    it('a token of another cloud', async () => {
      const token = { json: { access_token: 'fresh', expires_in: 3599 } }
      const reply = refused(401, 'InvalidAuthenticationToken')
      const failure = await defender.checkFailureOf([token, reply, token, reply])
      expect(failure).to.include({ kind: 'ConnectionError' })
      expect(failure.text).to.match(/the cloud is that of the tenant/)
    })
  })

  it('keeps to the hosts of its cloud', async () => {
    const gov = await openDeclaredPlugin(import.meta.dirname, { ...settings, cloud: 'us_gov_dod' })
    const { requests } = await gov.check([{ json: { access_token: 'fresh', expires_in: 3599 } }, list([])])
    expect(requests.map(({ url }) => new URL(url).host)).to.deep.equal([
      'login.microsoftonline.us',
      'dod-graph.microsoft.us',
    ])
    expect(requests[1]?.headers).to.include({ prefer: 'include-unknown-enum-members' })
  })

  describe('run_hunting_query', () => {
    it('puts parameters into texts that nothing in them can end', async () => {
      const parameters = { sender: '"; EmailEvents | take 1 //\\"\n| where true', other: "o'neil" }
      const { requests } = await defender.run(
        'run_hunting_query',
        { query: 'EmailEvents | where From == sender', parameters, limit: 7 },
        { replies: [rows([])] },
      )
      expect(bodyOf(requests[0]?.body)).to.deep.equal({
        Query: [
          String.raw`let sender = "\"; EmailEvents | take 1 //\\\"\n| where true";`,
          `let other = "o'neil";`,
          'EmailEvents | where From == sender',
          '| take 7',
        ].join('\n'),
        Timespan: 'P7D',
      })
      expect(
        await defender.failureOf('run_hunting_query', { query: 'x', parameters: { 'a = 1; let b': '' } }),
      ).to.include({ code: 'value_invalid' })
    })

    it('says that there may be more rows', async () => {
      const many = Array.from({ length: 100 }, (_, at) => ({ at, odd: null }))
      const { output } = await defender.run('run_hunting_query', { query: 'x' }, { replies: [rows(many)] })
      expect(output).to.include({ complete: false })
    })
  })

  it('escapes the name of a device', async () => {
    const { requests } = await defender.run(
      'find_devices',
      { by: 'ip', value: '1") | union (DeviceEvents' },
      { replies: [rows([])] },
    )
    expect(bodyOf(requests[0]?.body)['Query']).to.match(
      /^let wanted = "1\\"\) \| union \(DeviceEvents";\nlet ids/,
    )
  })

  describe('lists', () => {
    it('asks for at most 50 incidents a page, and stops at the limit', async () => {
      const page = (from: number, count: number, more = true) =>
        list(
          Array.from({ length: count }, (_, at) => ({
            id: String(from + at),
            status: 'brandNew',
            severity: null,
          })),
          more
            ? {
                '@odata.nextLink': `https://graph.microsoft.com/v1.0/security/incidents?$skip=${from}-${count}`,
              }
            : {},
        )
      const { output, requests } = await defender.run(
        'list_incidents',
        { status: 'active', limit: 60 },
        { replies: [page(0, 50), page(50, 0), page(50, 5), page(50, 9_950)] },
      )
      expect(output['incidents']).to.have.length(60)
      expect(output).to.include({ complete: false })
      const query = new URL(requests[0]!.url).searchParams
      expect(query.get('$top')).to.equal('50')
      expect(query.get('$filter')).to.equal(
        "lastUpdateDateTime ge 2026-11-19T12:00:00Z and status eq 'active'",
      )
    })

    it('takes its token to no other host', async () => {
      const replies = [list([{ id: '1' }], { '@odata.nextLink': 'https://evil.example/v1.0/security' })]
      expect((await defender.failureOf('list_alerts', {}, { replies })).text).to.match(/evil\.example/)
    })
  })

  it('takes no ids that lead elsewhere', async () => {
    for (const id of ['..', '1/comments', '1?x', ''])
      for (const skill of ['get_incident', 'get_alert'])
        expect((await defender.failureOf(skill, { id })).code).to.match(/^(?:value_invalid|bad_path)$/)
  })

  it('changes only the given fields', async () => {
    const { requests } = await defender.run(
      'update_incident',
      { id: '7', status: 'resolved' },
      { replies: [{ json: { id: '7' } }] },
    )
    expect(requests[0]).to.include({ method: 'PATCH', body: '{"status":"resolved"}' })
  })

  it('recognizes its own comment after an interruption, not that of others', async () => {
    const input = { id: '7', comment: 'Isolated.' }
    const lost = await defender.failureOf('add_incident_comment', input, { replies: [{ status: 502 }] })
    expect(lost).to.include({ kind: 'RetryableError' }).and.not.to.include({ effect: 'none' })
    const { requests } = await defender.run('add_incident_comment', input, { replies: [list([])] })
    const sent = bodyOf(requests[0]?.body)['comment']
    const verify = async (comments: unknown) =>
      (
        await defender.run('add_incident_comment', input, {
          purpose: 'verify',
          replies: [{ json: { id: '7', comments } }],
        })
      ).output
    expect(await verify([{ comment: null }, { comment: 'Isolated.' }])).to.equal(undefined)
    expect(await verify([{ comment: null }, { comment: sent }])).to.deep.equal({ id: '7' })
  })
})
