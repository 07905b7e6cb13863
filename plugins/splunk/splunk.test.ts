import { expect } from 'chai'
import { openDeclaredPlugin, type CannedReply } from 'tocsin/plugin/testing'

const splunk = await openDeclaredPlugin(import.meta.dirname, {
  base_url: 'https://splunk.example.com:8089',
  token: 'a-token-of-splunk',
  webhook_key: 'a-long-random-webhook-key',
})

const said = (status: number, text: string, type = 'ERROR') => ({
  status,
  json: { messages: [{ type, text }] },
})
const started: CannedReply = { status: 201, json: { sid: 'admin/7;1' } }
const results = (rows: unknown, messages: unknown = []): CannedReply => ({
  json: { preview: false, messages, results: rows },
})
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))
const eventId = '8D1B@@notable@@0123'
const search = ['search', { search: 'index=web' }] as const

describe('splunk', () => {
  describe('reports errors with a hint for the operator', () => {
    const quota =
      'Search not executed: The maximum number of concurrent historical searches for this user based on their role quota has been reached., concurrency_limit=3'
    const cases: readonly (readonly [string, CannedReply, object, RegExp])[] = [
      [
        'a token that has expired',
        said(401, 'call not properly authenticated', 'WARN'),
        { kind: 'ConnectionError' },
        /not properly authenticated; .*token authentication is turned off/,
      ],
      [
        'a role without the capability',
        said(403, 'insufficient permission'),
        { kind: 'ConnectionError' },
        /lacks the capability/,
      ],
      [
        'too many searches',
        said(503, quota, 'FATAL'),
        { kind: 'RetryableError', code: 'rate_limited', effect: 'none' },
        /maximum number of concurrent.*; .*raise the search quota/,
      ],
      [
        'a full disk quota',
        said(503, 'The disk quota has been reached'),
        { kind: 'RetryableError', code: 'rate_limited' },
        /delete old jobs/,
      ],
      [
        'a bad search',
        said(400, "Unknown search command 'foo'.", 'FATAL'),
        { kind: 'SkillError' },
        /Unknown search command/,
      ],
      [
        'an error in XML',
        { status: 400, text: '<response><messages><msg type="FATAL">Bad SPL</msg></messages></response>' },
        { kind: 'SkillError' },
        /Bad SPL/,
      ],
      [
        'maintenance',
        { status: 503, text: '<html><title>Maintenance</title></html>' },
        { kind: 'RetryableError' },
        /Maintenance/,
      ],
    ]
    for (const [what, reply, error, text] of cases)
      it(what, async () => {
        const failure = await splunk.failureOf(...search, { replies: [reply] })
        expect(failure).to.include(error)
        expect(failure.text).to.match(text)
      })

    it('a search that failed with a good status', async () => {
      const failure = await splunk.failureOf(...search, {
        replies: [started, results([], [{ type: 'FATAL', text: 'Error in eval' }])],
      })
      expect(failure).to.include({ kind: 'SkillError' })
      expect(failure.text).to.match(/the search failed: Error in eval/)
    })

    it('a search that has expired', async () => {
      const failure = await splunk.failureOf(
        'get_search',
        { sid: '1.2' },
        { replies: [said(404, 'Unknown sid.', 'FATAL')] },
      )
      expect(failure.text).to.match(/Unknown sid.; the search has expired/)
    })

    it('a server without Enterprise Security', async () => {
      const macro = "Error in 'SearchParser': The search specifies a macro 'notable' that cannot be found."
      for (const reply of [said(400, macro), said(404, 'App SplunkEnterpriseSecuritySuite does not exist')])
        expect((await splunk.failureOf('find_notables', {}, { replies: [reply] })).text).to.match(
          /Enterprise Security is not installed/,
        )
    })

    it('a user that cannot search', async () => {
      const { account, warning } = await splunk.check([
        { json: { entry: [{ content: { username: 'kim', capabilities: ['rest_properties_get'] } }] } },
      ])
      expect(account).to.equal('kim')
      expect(warning).to.match(/lacks the capability search/)
    })
  })

  describe('search', () => {
    it('asks until the results are ready, and encodes the id of the search', async () => {
      const rows = [{ a: '1', b: ['x', 'y'] }]
      const warnings = [
        { type: 'WARN', text: 'one indexer is down' },
        { type: 'DEBUG', text: 'x' },
      ]
      const { output, requests } = await splunk.run(...search, {
        replies: [started, { status: 204, text: '' }, results(rows, warnings)],
      })
      expect(output).to.deep.equal({ rows, complete: true, warnings: ['one indexer is down'] })
      expect(formOf(requests[0]!.body)).to.include({ search: 'search index=web', earliest_time: '-24h' })
      expect(requests[2]?.path).to.equal(
        '/services/search/v2/jobs/admin%2F7%3B1/results?output_mode=json&count=1000',
      )
    })

    it('says that a result at its limit may be incomplete', async () => {
      const { output } = await splunk.run(
        'search',
        { search: '| makeresults', limit: 1 },
        { replies: [started, results([{ a: '1' }])] },
      )
      expect(output).to.include({ complete: false })
      const empty = await splunk.run(...search, { replies: [started, { json: {} }] })
      expect(empty.output).to.deep.equal({ rows: [], complete: true, warnings: [] })
    })

    it('is repeated later if the results do not come in time', async () => {
      const failure = await splunk.failureOf(...search, {
        replies: ({ method }) => (method === 'POST' ? started : { status: 204, text: '' }),
      })
      expect(failure).to.include({ kind: 'RetryableError', code: 'operation_unfinished' })
    })

    it('refuses commands that write', async () => {
      for (const text of [
        'index=a | delete',
        '* |  OutputLookup x',
        '| makeresults | append [search b |collect index=c]',
        'a|sendemail to=x',
      ])
        expect((await splunk.failureOf('search', { search: text }, { replies: [] })).text, text).to.match(
          /must not contain a command that writes/,
        )
    })
  })

  describe('find_events', () => {
    it('quotes values, so that an alert cannot add to the search', async () => {
      const fields = { url: 'a" OR index=main | delete \\', 'user.name': 'kim' }
      const { requests } = await splunk.run(
        'find_events',
        { index: 'proxy', fields },
        { replies: [started, results([])] },
      )
      expect(formOf(requests[0]!.body)['search']).to.equal(
        String.raw`search index="proxy" "url"="a\" OR index=main | delete \\" "user.name"="kim"`,
      )
    })

    it('refuses wildcards, macros and odd names', async () => {
      for (const input of [
        { index: 'proxy', fields: { src: '10.*' } },
        { index: 'proxy', fields: { src: '`evil`' } },
        { index: 'proxy', fields: { 'a" OR "b': 'c' } },
        { index: 'a OR b', fields: { src: '1' } },
        { index: 'proxy', fields: {} },
      ])
        expect(await splunk.failureOf('find_events', input, { replies: [] })).to.include({
          kind: 'ValidationError',
        })
    })
  })

  it('get_results reads short pages up to the number of rows', async () => {
    const page = (count: number) => results(Array.from({ length: count }, () => ({ a: '1' })))
    const all = await splunk.run(
      'get_results',
      { sid: '1.2', result_count: 1_500 },
      { replies: [page(700), page(800)] },
    )
    expect((all.output['rows'] as unknown[]).length).to.equal(1_500)
    expect(all.output['complete']).to.equal(true)
    expect(all.requests[1]?.path).to.contain('offset=700')
    const cut = await splunk.run(
      'get_results',
      { sid: '1.2', result_count: 10_000, limit: 1_000 },
      { replies: [page(1_000)] },
    )
    expect(cut.output['complete']).to.equal(false)
  })

  it('get_search passes states that it does not know', async () => {
    const entry = [{ content: { dispatchState: 'NAPPING', isDone: null, messages: null } }]
    const { output } = await splunk.run('get_search', { sid: '1.2' }, { replies: [{ json: { entry } }] })
    expect(output).to.deep.equal({
      state: 'NAPPING',
      done: false,
      failed: false,
      result_count: 0,
      warnings: [],
    })
  })

  it('find_notables quotes values and reads lists', async () => {
    const { output, requests } = await splunk.run(
      'find_notables',
      { user: 'a" | delete', limit: 5 },
      { replies: [started, results([{ event_id: eventId, src: ['1', '2'], new: 'x' }])] },
    )
    expect(formOf(requests[0]!.body)['search']).to.equal(
      String.raw`search ` + '`notable`' + String.raw` | search user="a\" | delete" | sort 5 -_time`,
    )
    expect(output['notables']).to.deep.equal([{ event_id: eventId, src: ['1', '2'] }])
  })

  describe('update_notable', () => {
    const close = ['update_notable', { event_id: eventId, status: '5' }] as const

    it('fails if Splunk reports an error with a good status', async () => {
      const refused = await splunk.failureOf(...close, {
        replies: [{ json: { success: false, message: 'Not allowed' } }],
      })
      expect(refused).to.include({ kind: 'SkillError', effect: 'none' })
      expect(refused.text).to.match(/Not allowed; .*edit_notable_events/)
      const bare = await splunk.failureOf(...close, { replies: [{ json: 'ValueError: bad status' }] })
      expect(bare.text).to.match(/ValueError: bad status/)
    })

    it('reads the event after an interruption', async () => {
      const verify = async (rows: unknown) =>
        (await splunk.run(...close, { purpose: 'verify', replies: [results(rows)] })).output
      expect(await verify([{ status: '5' }])).to.deep.equal({ message: 'Updated' })
      expect(await verify([{ status: '1' }])).to.equal(undefined)
      const open = await splunk.failureOf(...close, { purpose: 'verify', replies: [results([])] })
      expect(open).to.include({ code: 'bad_response' })
    })

    it('refuses ids that would change the search', async () => {
      const failure = await splunk.failureOf('get_notable', { event_id: 'a")` | delete' }, { replies: [] })
      expect(failure.text).to.match(/must be an event id/)
    })
  })

  it('receives alerts only with the key of the webhook', () => {
    const body = JSON.stringify({ sid: '1', search_name: 'Brute force', result: { src: '203.0.113.7' } })
    const { alerts } = splunk.receive('alerts', body, { query: { key: 'a-long-random-webhook-key' } })
    expect(alerts).to.have.length(1)
    expect(alerts?.[0]).to.include({ provider: 'splunk', type: 'splunk_alert' })
    expect(() => splunk.receive('alerts', body, { query: { key: 'guess' } })).to.throw()
  })
})
