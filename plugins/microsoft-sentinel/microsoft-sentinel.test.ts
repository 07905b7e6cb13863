import { expect } from 'chai'
import { openDeclaredPlugin, type CannedReply, type FailureSeen } from 'tocsin/plugin/testing'

const settings = {
  tenant_id: 'example.com',
  client_id: '00000000-0000-4000-8000-000000000001',
  client_secret: 'a-client-secret',
  subscription_id: '00000000-0000-4000-8000-000000000002',
  resource_group: 'soc(eu)',
  workspace: 'soc-logs',
}
const sentinel = await openDeclaredPlugin(import.meta.dirname, settings)

const id = '73e01a99-5cd7-4139-a149-9f2736ff2ab5'
const workspace =
  '/subscriptions/00000000-0000-4000-8000-000000000002/resourceGroups/soc(eu)/providers/Microsoft.OperationalInsights/workspaces/soc-logs'
const incidents = `${workspace}/providers/Microsoft.SecurityInsights/incidents`
const refused = (status: number, code: string, message = 'no') => ({
  status,
  json: { error: { code, message } },
})
const table = (rows: unknown, more: object = {}): CannedReply => ({
  json: { tables: [{ name: 'PrimaryResult', columns: [{ name: 'row', type: 'dynamic' }], rows }], ...more },
})
const token = { json: { access_token: 'fresh', expires_in: 3599 } }
const bodyOf = (text = '{}') => JSON.parse(text) as { readonly properties: Record<string, unknown> }

describe('microsoft_sentinel', () => {
  describe('reports errors with a hint for the operator', () => {
    const answers: readonly (readonly [string, CannedReply, Partial<FailureSeen>, RegExp])[] = [
      [
        'a missing role',
        refused(403, 'AuthorizationFailed', 'The client has no authorization over .../incidents/read'),
        { kind: 'ConnectionError' },
        /incidents\/read.*role that the skill names/,
      ],
      [
        'a wrong resource group',
        refused(404, 'ResourceGroupNotFound'),
        { kind: 'ConnectionError' },
        /check the subscription ID, the resource group and the workspace/,
      ],
      [
        'a used-up limit',
        { ...refused(429, 'TooManyRequests'), headers: { 'retry-after': '17' } },
        { kind: 'RetryableError', retryAfterMs: 17_000 },
        /used up its limit/,
      ],
      [
        'a wrong query',
        refused(400, 'BadArgumentError', 'Syntax Error'),
        { kind: 'SkillError' },
        /Syntax Error/,
      ],
      ['a query that takes too long', { status: 504 }, { kind: 'RetryableError' }, /filter by time first/],
      [
        'maintenance',
        { status: 503, text: '<html><title>Down for maintenance</title></html>' },
        { kind: 'RetryableError' },
        /Down for maintenance/,
      ],
      ['an empty answer', { text: '' }, { code: 'bad_response' }, /cannot be read/],
      ['a sign-in page', { text: '<html>Sign in</html>' }, { code: 'bad_response' }, /JSON/],
    ]
    for (const [what, reply, seen, text] of answers)
      it(what, async () => {
        const failure = await sentinel.failureOf('run_query', { query: 'SigninLogs' }, { replies: [reply] })
        expect(failure).to.include(seen)
        expect(failure.text).to.match(text)
      })

    it('a token of another cloud, and a wrong secret', async () => {
      const audience = refused(401, 'InvalidAuthenticationTokenAudience')
      const failure = await sentinel.checkFailureOf([token, audience, token, audience])
      expect(failure.text).to.match(/check that the cloud is that of the tenant/)
      const secret = { status: 401, json: { error: 'invalid_client', error_codes: [7000215] } }
      expect((await sentinel.checkFailureOf([secret])).text).to.match(/its value, not its ID/)
    })
  })

  const clouds = [
    ['global', 'login.microsoftonline.com', 'management.azure.com'],
    ['us_gov', 'login.microsoftonline.us', 'management.usgovcloudapi.net'],
    ['china', 'login.chinacloudapi.cn', 'management.chinacloudapi.cn'],
  ] as const
  for (const [cloud, login, arm] of clouds)
    it(`keeps to the hosts of the cloud ${cloud}`, async () => {
      const national = await openDeclaredPlugin(import.meta.dirname, { ...settings, cloud })
      const { requests } = await national.check([token, { json: { value: [] } }])
      expect(requests.map(({ url }) => url.split('?')[0])).to.deep.equal([
        `https://${login}/example.com/oauth2/v2.0/token`,
        `https://${arm}${incidents}`,
      ])
      expect(new URLSearchParams(requests[0]?.body).get('scope')).to.equal(`https://${arm}/.default`)
    })

  describe('run_query', () => {
    it('puts parameters into texts that nothing in them can end', async () => {
      const { requests } = await sentinel.run(
        'run_query',
        {
          query: 'SigninLogs | where IPAddress == ip',
          parameters: { ip: '1"; SecurityEvent //\\' },
          limit: 7,
        },
        { replies: [table([])] },
      )
      expect(requests[0]?.path).to.equal(`${workspace}/api/query?api-version=2020-08-01`)
      expect(bodyOf(requests[0]?.body)).to.include({
        query: [
          String.raw`let ip = "1\"; SecurityEvent //\\";`,
          'SigninLogs | where IPAddress == ip',
          '| take 7',
          '| project row = pack_all()',
        ].join('\n'),
      })
    })

    it('reports missing rows, and reads a workspace without data', async () => {
      const run = async (reply: CannedReply) =>
        (await sentinel.run('run_query', { query: 'x', limit: 2 }, { replies: [reply] })).output
      const partial = table([['{"a":1}']], { error: { code: 'PartialError', message: 'some shards failed' } })
      expect(await run(partial)).to.deep.equal({
        rows: [{ a: 1 }],
        complete: false,
        partial: 'some shards failed',
      })
      expect(await run(table([[{ a: null }], ['{}']]))).to.deep.equal({
        rows: [{ a: null }, {}],
        complete: false,
      })
      expect(await run({ status: 204 })).to.deep.equal({ rows: [], complete: true })
    })
  })

  describe('update_incident', () => {
    const properties = {
      title: 'T',
      description: null,
      severity: 'High',
      status: 'New',
      owner: { objectId: 'o1', email: null },
      labels: [{ labelName: 'vip', labelType: 'User' }],
      classification: 'Undetermined',
      incidentNumber: 7,
      additionalData: { alertsCount: 1 },
    }
    const read = { json: { name: id, etag: '"e1"', properties } }
    const input = { id, status: 'Active', owner: 'kim@example.com', add_label: 'seen' }

    it('writes back the unchanged fields, with the etag', async () => {
      const { requests } = await sentinel.run('update_incident', input, { replies: [read, read] })
      expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(
        ['GET', 'PUT'].map((method) => `${method} ${incidents}/${id}?api-version=2024-03-01`),
      )
      expect(bodyOf(requests[1]?.body)).to.deep.equal({
        etag: '"e1"',
        properties: {
          title: 'T',
          severity: 'High',
          status: 'Active',
          owner: { userPrincipalName: 'kim@example.com' },
          labels: [...properties.labels, { labelName: 'seen' }],
          classification: 'Undetermined',
        },
      })
    })

    it('keeps the owner, and adds no label twice', async () => {
      const { requests } = await sentinel.run(
        'update_incident',
        { id, add_label: 'vip' },
        { replies: [read, read] },
      )
      expect(bodyOf(requests[1]?.body).properties).to.deep.include({
        owner: properties.owner,
        labels: properties.labels,
        status: 'New',
      })
    })

    it('is retried if someone else changed the incident, and writes nothing then', async () => {
      const conflict = refused(409, 'Conflict', 'Newer version of resource exists. Data was not saved')
      const failure = await sentinel.failureOf('update_incident', input, { replies: [read, conflict] })
      expect(failure).to.include({ kind: 'RetryableError', effect: 'none' })
      expect(failure.text).to.match(/not saved; someone else changed it/)
    })

    it('creates no incident that does not exist', async () => {
      const replies = [refused(404, 'NotFound')]
      expect(await sentinel.failureOf('update_incident', input, { replies })).to.include({
        kind: 'SkillError',
      })
    })
  })

  it('creates an incident and a comment once, whatever is interrupted', async () => {
    const created = { status: 201, json: { name: id, properties: {} } }
    const input = { title: 'T', severity: 'Low' }
    const [first, second] = [
      await sentinel.run('create_incident', input, { replies: [created] }),
      await sentinel.run('create_incident', input, {
        replies: [{ ...created, status: 200 }],
        purpose: 'verify',
      }),
    ]
    expect(second.requests[0]?.path).to.equal(first.requests[0]?.path)
    expect(second.output).to.deep.equal({ id })
    const none = { replies: [refused(404, 'NotFound')], purpose: 'verify' } as const
    expect((await sentinel.run('create_incident', input, none)).output).to.equal(undefined)
    expect(await sentinel.failureOf('create_incident', input, { replies: [{ status: 502 }] })).not.to.include(
      {
        effect: 'none',
      },
    )
  })

  it('reads pages at the same host only, up to the limit', async () => {
    const page = (from: number, count: number, nextLink: string): CannedReply => ({
      json: {
        value: Array.from({ length: count }, (_, at) => ({
          name: `i${from + at}`,
          properties: { owner: null },
        })),
        nextLink,
      },
    })
    const next = (at: number) => `https://management.azure.com${incidents.toLowerCase()}?$skipToken=${at}`
    const { output } = await sentinel.run(
      'list_incidents',
      { limit: 1_000 },
      { replies: [page(0, 3, next(1)), page(3, 0, next(2)), page(3, 9_997, next(3))] },
    )
    expect(output['incidents']).to.have.length(1_000)
    expect(output).to.include({ complete: false })
    const elsewhere = [page(0, 3, 'https://evil.example/subscriptions')]
    expect((await sentinel.failureOf('list_incidents', {}, { replies: elsewhere })).text).to.match(
      /evil\.example/,
    )
  })
})
