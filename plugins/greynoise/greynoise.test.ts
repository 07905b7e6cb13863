import { expect } from 'chai'
import { openDeclaredPlugin, testFailures } from 'tocsin/plugin/testing'

const greynoise = await openDeclaredPlugin(import.meta.dirname, { api_key: 'a-key-of-greynoise' })

describe('greynoise on a bad day', () => {
  testFailures(greynoise, 'get_context', { ip: '203.0.113.7' }, [
    [
      'a revoked key, in plain text',
      { status: 401, text: 'forbidden' },
      'ConnectionError',
      /wrong or was revoked/,
    ],
    [
      'a plan without it',
      { status: 403, json: { message: 'Forbidden' } },
      'ConnectionError',
      /plan of the API key does not include/,
    ],
    [
      'a private address',
      { status: 400, json: { message: 'Request is not a valid routable IPv4 address' } },
      'SkillError',
      /only public IPv4 addresses/,
    ],
    [
      'a spent quota',
      {
        status: 429,
        headers: { 'retry-after': '3600' },
        json: { plan: 'unauthenticated', 'rate-limit': '100-lookups/day', message: 'limit' },
      },
      'RetryableError',
      /quota of the plan is used up/,
    ],
    [
      'an error of the vendor',
      { status: 500, json: { message: 'Encountered error while performing request' } },
      'RetryableError',
      /Encountered error/,
    ],
    [
      'a maintenance page',
      { status: 503, text: '<html><title>Maintenance</title></html>' },
      'RetryableError',
      /Maintenance/,
    ],
    ['a page instead of JSON', { text: '<html>' }, 'SkillError', /JSON/],
  ])
})

describe('greynoise', () => {
  const riskOf = async (body: object) => {
    const { output } = await greynoise.run(
      'get_ip',
      { kind: 'ip', value: '203.0.113.7' },
      { replies: [{ json: body }] },
    )
    return (output['risk'] as { score: number }).score
  }

  it('scores unknown classifications by the observations', async () => {
    expect(await riskOf({ noise: true, riot: false, classification: 'malicious' })).to.equal(90)
    expect(await riskOf({ noise: true, riot: false, classification: 'suspicious' })).to.equal(60)
    expect(await riskOf({ noise: true, riot: false, classification: 'brand_new' })).to.equal(30)
    expect(await riskOf({ noise: true, riot: true })).to.equal(5)
    expect(await riskOf({ noise: false, riot: false })).to.equal(0)
  })

  it('reads a context without the fields that the plan leaves out', async () => {
    const { output } = await greynoise.run(
      'get_context',
      { ip: '203.0.113.7' },
      { replies: [{ status: 206, json: { ip: '203.0.113.7' } }] },
    )
    expect(output).to.deep.equal({
      found: true,
      observed: false,
      spoofable: false,
      vpn: false,
      tor: false,
      tags: [],
      cves: [],
      restricted_fields: [],
    })
  })

  it('stops at the limit of a search, and where the plan ends it', async () => {
    let page = 0
    const replies = () => ({
      json: {
        data: Array.from({ length: 100 }, (_, at) => ({ ip: `10.0.${page}.${at}` })),
        request_metadata: { complete: false, scroll: `s${++page}`, count: 20_000 },
      },
    })
    const { output, requests } = await greynoise.run('search', { query: 'tags:x', limit: 1000 }, { replies })
    expect(output['addresses']).to.have.length(1000)
    expect(output).to.include({ complete: false, total: 20_000 })
    expect(requests[1]?.path).to.contain('scroll=s1')
    const none = await greynoise.run(
      'search',
      { query: 'x' },
      { replies: [{ json: { request_metadata: { complete: true } } }] },
    )
    expect(none.output).to.deep.include({ addresses: [], complete: true })
  })
})
