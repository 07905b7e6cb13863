import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const urlscan = await openDeclaredPlugin(import.meta.dirname, {
  api_key: '0e37e828-a9d9-45c0-ac50-1ca579b86c72',
})
const says = (status: number, message: string, more = {}, headers = {}): CannedReply => ({
  status,
  headers,
  json: { message, status, ...more },
})
const uuid = '0e37e828-a9d9-45c0-ac50-1ca579b86c72'

describe('urlscan on a bad day', () => {
  testFailures(urlscan, 'submit_url', { url: 'https://login.example.net/' }, [
    [
      'an unknown key',
      says(401, 'API key supplied but not found in database!'),
      'ConnectionError',
      /create a new key/,
    ],
    ['a malformed key', says(400, 'Invalid API key format'), 'ConnectionError', /must be a UUID/],
    [
      'a URL that urlscan.io refuses',
      says(400, 'Scan prevented ...', { description: 'The submitted domain is on our blacklist' }),
      'SkillError',
      /Scan prevented.*on our blacklist/,
    ],
    [
      'a name that does not exist',
      says(400, 'DNS Error - Could not resolve domain'),
      'SkillError',
      /no reason given/,
    ],
    [
      'a field of another plan',
      says(403, "Your current plan does not allow you to search field 'x'"),
      'SkillError',
      /that the plan of your account allows/,
    ],
    [
      'a spent quota',
      says(429, "Rate limit for 'public' exceeded, limit is 50 per hour. Reset in 900 seconds."),
      'RetryableError',
      /limit of the account/,
    ],
    ['a deleted scan', says(410, 'Gone'), 'SkillError', /deleted at urlscan.io/],
    [
      'a page of the edge',
      { status: 503, text: '<html><title>Service Unavailable</title></html>' },
      'RetryableError',
      /Service Unavailable/,
    ],
  ])

  it('warns of a key that did not arrive', async () => {
    const { warning } = await urlscan.check([{ json: { scope: 'ip-address', limits: {} } }])
    expect(warning).to.contain('did not recognize the key')
  })
})

describe('urlscan', () => {
  it('waits for a scan that is not finished, and stops for one that does not exist', async () => {
    const waiting = says(404, 'Scan is not finished yet')
    const result = { json: { task: { url: 'https://a.example' }, verdicts: { overall: { score: -100 } } } }
    const { output, requests } = await urlscan.run(
      'get_result',
      { uuid },
      { replies: [waiting, waiting, result] },
    )
    expect(requests).to.have.length(3)
    expect(output).to.deep.include({ malicious: false, risk: { score: 0, reasons: [] } })
    const failure = await urlscan.failureOf(
      'get_result',
      { uuid },
      { replies: [says(404, 'No such scan submission')] },
    )
    expect(failure.code).to.equal('operation_failed')
  })

  it('quotes observables in the query', async () => {
    const value = 'https://a.example/" OR page.domain:*'
    const { requests } = await urlscan.run(
      'get_history',
      { kind: 'url', value },
      { replies: [{ json: { total: 0, results: [] } }] },
    )
    expect(new URL(requests[0]!.url).searchParams.get('q')).to.equal(
      'task.url:"https://a.example/\\" OR page.domain:*"',
    )
  })

  it('leaves the outcome open where the search lists no scan yet', async () => {
    const { code } = await urlscan.failureOf(
      'submit_url',
      { url: 'https://a.example' },
      { purpose: 'verify', replies: [{ json: { results: [] } }] },
    )
    expect(code).to.equal('bad_response')
  })

  it('reads no more scans than the limit', async () => {
    let page = 0
    const replies = () => ({
      json: {
        results: Array.from({ length: 100 }, (_, at) => ({
          _id: `${page}-${at}`,
          sort: [page, at],
          task: { url: 'https://a.example', time: '2026-11-20T00:00:00Z' },
        })),
        total: 10_000,
        has_more: ++page < 1_000,
      },
    })
    const { output } = await urlscan.run('search_scans', { query: 'a', limit: 1000 }, { replies })
    expect(output['scans']).to.have.length(1000)
    expect(output['complete']).to.equal(false)
  })

  it('takes the page of a proxy for no success', async () => {
    for (const [skill, input] of [
      ['set_visibility', { uuid, visibility: 'deleted' }],
      ['reset_visibility', { uuid }],
    ] as const)
      expect(
        (await urlscan.failureOf(skill, input, { replies: [{ text: '<html>Sign in</html>' }] })).code,
      ).to.equal('bad_response')
  })
})
