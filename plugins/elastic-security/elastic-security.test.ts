import { expect } from 'chai'
import { loopbackEgress, openDeclaredPlugin, type CannedReply } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'

const elastic = await openDeclaredPlugin(import.meta.dirname, {
  base_url: 'https://kibana.example.com/s/soc',
  elasticsearch_url: 'https://es.example.com:9200',
  api_key: 'ZW5jb2RlZC1rZXk6c2VjcmV0',
})

const agentId = '0f8fad5b-d9cb-469f-a165-708672395c1a'
const isolate = ['isolate_endpoint', { agent_id: agentId }] as const
const close = ['set_alert_status', { alert_id: 'a1', status: 'closed' }] as const
const platform = (statusCode: number, message: string) => ({
  status: statusCode,
  json: { statusCode, error: 'x', message },
})
const engine = (status: number, message: string) => ({ status, json: { status_code: status, message } })
const hits = (list: unknown, total: unknown = { value: 10_000, relation: 'gte' }): CannedReply => ({
  json: { timed_out: false, hits: { total, hits: list } },
})
const actions = (...data: object[]): CannedReply => ({ json: { data } })
const isolating = {
  id: 'i1',
  command: 'isolate',
  startedAt: '2026-11-20T11:30:00.000Z',
  isCompleted: false,
  wasSuccessful: false,
}

describe('elastic_security', () => {
  describe('reports errors with a hint for the operator', () => {
    const cases: readonly (readonly [string, CannedReply, object, RegExp])[] = [
      [
        'an expired key',
        platform(401, '[security_exception\n\tRoot causes:\n\t\tunable to authenticate]'),
        { kind: 'ConnectionError' },
        /unable to authenticate.*; .*in the form Encoded/,
      ],
      [
        'a missing privilege',
        platform(403, 'API [POST /api/endpoint/action/isolate] is unauthorized for the current user'),
        { kind: 'ConnectionError' },
        /unauthorized.*; .*rights that its user had/,
      ],
      [
        'a licence that is too low',
        engine(403, 'Your license level does not support this feature'),
        { kind: 'SkillError' },
        /isolation needs Platinum/,
      ],
      [
        'a wrong space or path',
        platform(404, 'Not Found'),
        { kind: 'SkillError' },
        /the space in it is wrong/,
      ],
      [
        'something else at the address',
        { status: 404, text: '<html><title>nginx</title></html>' },
        { kind: 'SkillError' },
        /Kibana URL/,
      ],
      [
        'an invalid input',
        platform(400, '[request body].endpoint_ids: expected at least 1'),
        { kind: 'SkillError' },
        /endpoint_ids/,
      ],
      [
        'an overloaded cluster',
        platform(429, 'circuit_breaking_exception'),
        { kind: 'RetryableError', code: 'rate_limited' },
        /is overloaded/,
      ],
      [
        'a failing server, whose effect is unknown',
        engine(500, 'Internal Server Error'),
        { kind: 'RetryableError', code: 'http_500' },
        /Internal Server Error/,
      ],
      [
        'a maintenance page',
        { status: 503, text: '<html><title>Kibana server is not ready yet</title></html>' },
        { kind: 'RetryableError' },
        /not ready yet/,
      ],
      ['a sign-in page', { text: '<html><title>Elastic</title></html>' }, { kind: 'SkillError' }, /JSON/],
    ]
    for (const [what, reply, error, text] of cases)
      it(what, async () => {
        const failure = await elastic.failureOf(...close, { replies: [reply] })
        expect(failure).to.include(error)
        expect(failure.text).to.match(text)
      })

    it('a search that was cut off', async () => {
      const cut = { json: { timed_out: true, hits: { hits: [] } } }
      expect((await elastic.failureOf('search_alerts', {}, { replies: [cut] })).text).to.match(
        /took too long; search a shorter time/,
      )
    })

    it('a key that reads no alerts', async () => {
      const answer = { username: 'kim', index: { '.alerts-security.alerts-soc': { read: false } } }
      const { account, warning, requests } = await elastic.check([{ json: answer }])
      expect(account).to.equal('kim')
      expect(warning).to.match(/cannot read the alerts/)
      expect(requests[0]?.url).to.equal('https://kibana.example.com/s/soc/api/detection_engine/privileges')
      expect(requests[0]?.headers).to.include({
        authorization: 'ApiKey ZW5jb2RlZC1rZXk6c2VjcmV0',
        'kbn-xsrf': 'true',
      })
    })
  })

  it('works without Elasticsearch, which only run_esql needs', async () => {
    const kibana = await openDeclaredPlugin(import.meta.dirname, {
      base_url: 'https://kibana.example.com',
      api_key: 'k',
    })
    const { output } = await kibana.run('search_alerts', {}, { replies: [hits([])] })
    expect(output).to.include({ complete: true })
    const failure = await kibana.failureOf(
      'run_esql',
      { query: 'FROM x' },
      { replies: [platform(404, 'Not Found')] },
    )
    expect(failure.text).to.match(/needs the Elasticsearch URL/)
  })

  describe('search_alerts', () => {
    it('reads alerts that come only as their source', async () => {
      const source = {
        '@timestamp': '2026-11-20T09:12:44.123Z',
        'kibana.alert.rule.name': 'Malware',
        'kibana.alert.severity': 'high',
        host: { name: 'pc-0042' },
        source: { ip: ['10.0.0.42', 'fe80::42'] },
        destination: { ip: '203.0.113.7' },
      }
      const { output } = await elastic.run(
        'search_alerts',
        {},
        { replies: [hits([{ _id: 'a', _source: source }])] },
      )
      expect(output['alerts']).to.deep.equal([
        {
          alert_id: 'a',
          rule: 'Malware',
          severity: 'high',
          time: '2026-11-20T09:12:44.123Z',
          host: 'pc-0042',
          source_ip: '10.0.0.42',
          destination_ip: '203.0.113.7',
        },
      ])
    })

    it('reads alerts without fields, and says whether there are more', async () => {
      const list = [
        { _id: 'a1', fields: { 'kibana.alert.severity': ['apocalyptic'], 'host.name': [] } },
        { _id: 'a2', fields: null },
      ].slice(0, 1)
      const { output } = await elastic.run('search_alerts', { limit: 1 }, { replies: [hits(list)] })
      expect(output).to.deep.equal({
        alerts: [{ alert_id: 'a1', severity: 'apocalyptic' }],
        total: 10_000,
        complete: false,
      })
      const none = await elastic.run('search_alerts', {}, { replies: [hits([], undefined)] })
      expect(none.output).to.include({ complete: true })
    })

    it('sends values as data', async () => {
      const host = '"}}],"must":[{"match_all":{}}]'
      const { requests } = await elastic.run(
        'search_alerts',
        { host, query: { exists: { field: 'user.name' } } },
        { replies: [hits([])] },
      )
      const { query } = JSON.parse(requests[0]!.body) as { query: { bool: { filter: unknown[] } } }
      expect(query.bool.filter).to.deep.equal([
        { range: { '@timestamp': { gte: 'now-24h' } } },
        { term: { 'host.name': host } },
        { exists: { field: 'user.name' } },
      ])
    })
  })

  describe('set_alert_status', () => {
    it('reports that nothing changed, and fails on failures', async () => {
      const conflict = { json: { total: 1, updated: 0, version_conflicts: 1, failures: [] } }
      expect((await elastic.run(...close, { replies: [conflict] })).output).to.deep.equal({ changed: false })
      const failed = await elastic.failureOf(...close, {
        replies: [{ json: { updated: 0, failures: [{ cause: 'shard' }] } }],
      })
      expect(failed).to.include({ kind: 'SkillError', effect: 'unknown' })
      expect(failed.text).to.match(/reports failures: \[\{"cause":"shard"\}\]/)
    })

    it('may have taken effect if Kibana answers 409', async () => {
      const failure = await elastic.failureOf(...close, {
        replies: [engine(409, 'version_conflict_engine_exception')],
      })
      expect(failure).to.include({ kind: 'RetryableError', effect: 'unknown' })
    })

    it('reads the alert after an interruption', async () => {
      const verify = async (status: string) =>
        (
          await elastic.run(...close, {
            purpose: 'verify',
            replies: [hits([{ fields: { 'kibana.alert.workflow_status': [status] } }])],
          })
        ).output
      expect(await verify('closed')).to.deep.equal({ changed: true })
      expect(await verify('open')).to.equal(undefined)
    })
  })

  it('run_esql sends values apart from the query, to Elasticsearch with the key', async () => {
    const call = {
      query: 'FROM logs-* | WHERE user.name == ?user',
      values: { user: '" OR true | DROP', n: 1 },
    }
    const answer = { json: { is_partial: true, columns: [{ name: 'a' }], values: [[null]] } }
    const { output, requests } = await elastic.run('run_esql', call, { replies: [answer] })
    expect(output).to.deep.equal({ columns: ['a'], rows: [[null]], complete: false })
    expect(requests[0]?.url).to.equal('https://es.example.com:9200/_query?format=json')
    expect(requests[0]?.headers).to.include({ authorization: 'ApiKey ZW5jb2RlZC1rZXk6c2VjcmV0' })
    expect(JSON.parse(requests[0]!.body)).to.deep.equal({
      query: call.query,
      params: [{ user: '" OR true | DROP' }, { n: 1 }],
    })
  })

  describe('find_endpoints', () => {
    it('escapes names in KQL', async () => {
      const { requests } = await elastic.run(
        'find_endpoints',
        { hostname: 'a" or * \\' },
        { replies: [{ json: { data: [], total: 0 } }] },
      )
      expect(new URL(requests[0]!.url).searchParams.get('kuery')).to.equal(
        String.raw`united.endpoint.host.hostname:"a\" or * \\"`,
      )
    })

    it('reads pages from 0 up to the limit, and hosts with missing fields', async () => {
      const page = (from: number) => ({
        json: {
          total: 10_000,
          data: Array.from({ length: 100 }, (_, at) => ({ metadata: { agent: { id: String(from + at) } } })),
        },
      })
      const { output, requests } = await elastic.run(
        'find_endpoints',
        { limit: 200 },
        { replies: [page(0), page(100)] },
      )
      expect((output['endpoints'] as unknown[]).length).to.equal(200)
      expect(output['complete']).to.equal(false)
      expect(requests.map(({ url }) => new URL(url).searchParams.get('page'))).to.deep.equal(['0', '1'])
    })
  })

  describe('isolate_endpoint', () => {
    const host = (isolation: unknown): CannedReply => ({
      json: { metadata: { Endpoint: { state: { isolation } } } },
    })
    const run = async (replies: readonly CannedReply[], more = {}) =>
      (await elastic.run(...isolate, { replies, ...more })).output

    it('returns the action, which is pending', async () => {
      const queued = { json: { action: 'i1', data: { ...isolating, status: 'pending' } } }
      const first = await run([host(false), actions(), queued])
      expect(first).to.deep.equal({ action_id: 'i1', completed: false, changed: true })
      const bare = await run([
        host(null),
        actions({ ...isolating, command: 'unisolate' }),
        { json: { action: 'i2' } },
      ])
      expect(bare).to.deep.equal({ action_id: 'i2', completed: false, changed: true })
    })

    it('leaves a host that is isolated, or about to be, as it is', async () => {
      expect(await run([host(true), actions()])).to.deep.equal({ completed: true, changed: false })
      expect(await run([host(false), actions(isolating)])).to.deep.equal({ completed: false, changed: false })
      // The host is about to be released, or the isolation has expired.
      const queued = { json: { action: 'i2' } }
      expect(await run([host(true), actions({ ...isolating, command: 'unisolate' }), queued])).to.include({
        changed: true,
      })
      expect(await run([host(false), actions({ ...isolating, isExpired: true }), queued])).to.include({
        changed: true,
      })
    })

    it('releases a host whose state Kibana does not say', async () => {
      const release = async (replies: readonly CannedReply[]) =>
        (await elastic.run('release_endpoint', { agent_id: agentId }, { replies })).output
      expect(await release([host(null), actions(), { json: { action: 'i3' } }])).to.include({
        action_id: 'i3',
      })
      expect(await release([host(false), actions(isolating), { json: { action: 'i3' } }])).to.include({
        changed: true,
      })
      expect(await release([host(false), actions()])).to.deep.equal({ completed: true, changed: false })
    })

    it('does not act if Kibana does not describe the host', async () => {
      const page = { text: '<html><title>Elastic</title></html>' }
      for (const replies of [[page], [host(false), page]])
        expect((await elastic.failureOf(...isolate, { replies })).text).to.match(
          /Kibana does not (describe|list)/,
        )
      const unknown = await elastic.failureOf(...isolate, { replies: [platform(404, 'Endpoint not found')] })
      expect(unknown.text).to.match(/Endpoint not found/)
    })

    it('looks for its action after an interruption', async () => {
      const verify = (...found: object[]) => run([host(false), actions(...found)], { purpose: 'verify' })
      expect(await verify(isolating)).to.deep.equal({ action_id: 'i1', completed: false, changed: true })
      expect(await verify({ ...isolating, isCompleted: true })).to.equal(undefined)
      expect(await verify({ ...isolating, startedAt: '2026-11-20T10:00:00.000Z' })).to.equal(undefined)
      expect(await verify({ ...isolating, command: 'unisolate' }, isolating)).to.equal(undefined)
      const open = await elastic.failureOf(...isolate, {
        purpose: 'verify',
        replies: [host(false), actions()],
      })
      expect(open).to.include({ code: 'bad_response' })
    })

    it('refuses ids that would change the path', async () => {
      for (const id of ['..', 'a/b', 'a?b'])
        expect((await elastic.failureOf('get_endpoint', { agent_id: id }, { replies: [] })).text).to.match(
          /id of an Elastic agent/,
        )
    })
  })

  it('get_action reads both names of its state', async () => {
    const state = async (data: object) =>
      await elastic.run('get_action', { action_id: 'i/1' }, { replies: [{ json: { data } }] })
    const { output, requests } = await state({
      isComplete: true,
      wasSuccessful: false,
      errors: ['offline'],
      status: 'failed',
    })
    expect(output).to.deep.equal({
      found: true,
      completed: true,
      successful: false,
      expired: false,
      status: 'failed',
      errors: ['offline'],
    })
    expect(requests[0]?.path).to.equal('/s/soc/api/endpoint/action/i%2F1')
  })

  it('update_case changes the version that it has read', async () => {
    const { requests } = await elastic.run(
      'update_case',
      { case_id: 'c', status: 'closed' },
      { replies: [{ json: { id: 'c', version: 'v7' } }, { json: [{ status: 'closed' }] }] },
    )
    expect(requests.map(({ method }) => method)).to.deep.equal(['GET', 'PATCH'])
    expect(JSON.parse(requests[1]!.body)).to.deep.equal({
      cases: [{ id: 'c', version: 'v7', status: 'closed' }],
    })
    const stale = await elastic.failureOf(
      'update_case',
      { case_id: 'c', status: 'closed' },
      { replies: [{ json: { version: 'v7' } }, platform(409, 'stale')] },
    )
    expect(stale).to.include({ kind: 'RetryableError', effect: 'unknown' })
  })

  it('isolates and releases a host of its sandbox', async () => {
    const running = await sandbox.start()
    try {
      const call = async (skill: string, input: object) =>
        (await elastic.run(skill, input, { settings: running.settings, egress: loopbackEgress })).output
      const isolation = async () => {
        const { endpoints } = await call('find_endpoints', { hostname: 'pc-0042' })
        return (endpoints as [{ isolated: boolean }])[0].isolated
      }
      expect(await isolation()).to.equal(false)
      const first = await call('isolate_endpoint', { agent_id: agentId })
      expect(first).to.include({ completed: false })
      expect(await isolation()).to.equal(false)
      expect(await call('get_action', { action_id: first['action_id'] })).to.include({
        completed: true,
        command: 'isolate',
      })
      expect(await isolation()).to.equal(true)
      const second = await call('release_endpoint', { agent_id: agentId })
      expect(await call('get_action', { action_id: second['action_id'] })).to.include({
        command: 'unisolate',
      })
      expect(await isolation()).to.equal(false)
    } finally {
      await running.close()
    }
  })
})
