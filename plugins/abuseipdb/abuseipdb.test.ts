import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const abuseipdb = await openDeclaredPlugin(import.meta.dirname, { api_key: 'k'.repeat(80) })
const says = (status: number, detail: string, headers = {}): CannedReply => ({
  status,
  headers,
  json: { errors: [{ detail, status }] },
})
const report = { ip: '203.0.113.7', categories: [18, 22], comment: 'SSH, 40 attempts' }

describe('abuseipdb on a bad day', () => {
  testFailures(abuseipdb, 'report_ip', report, [
    [
      'a revoked key',
      says(401, 'Authentication failed. Your API key is either missing, incorrect, or revoked.'),
      'ConnectionError',
      /wrong, was revoked, or belongs to API version 1/,
    ],
    [
      'a plan without it',
      says(402, 'Payment required'),
      'SkillError',
      /plan of the account does not include/,
    ],
    [
      'bad input',
      says(422, 'The ip address must be a valid IPv4 or IPv6 address'),
      'SkillError',
      /must be a valid IPv4.*check the inputs/,
    ],
    [
      'a spent quota',
      says(429, 'Daily rate limit of 1000 requests exceeded for this endpoint.', { 'retry-after': '29241' }),
      'RetryableError',
      /starts again at midnight UTC/,
    ],
    [
      'a second report, which is no quota',
      says(429, 'You can only report the same IP address (`203.0.113.7`) once in 15 minutes.'),
      'SkillError',
      /less than 15 minutes ago/,
    ],
    [
      'a page of the edge',
      { status: 502, text: '<html><title>502 Bad Gateway</title></html>' },
      'RetryableError',
      /Bad Gateway/,
    ],
  ])

  it('reports when the quota resets', async () => {
    const replies = [says(429, 'Daily rate limit of 1000 requests exceeded.', { 'retry-after': '29241' })]
    const { retryAfterMs } = await abuseipdb.failureOf(
      'check_ip',
      { kind: 'ip', value: '203.0.113.7' },
      { replies },
    )
    expect(retryAfterMs).to.equal(29_241_000)
  })

  it('takes a key for good whose quota is used up', async () => {
    const { warning } = await abuseipdb.check([says(429, 'Daily rate limit of 1000 requests exceeded.')])
    expect(warning).to.contain('quota')
  })
})

describe('abuseipdb', () => {
  it('gives private addresses no score, and reads missing and unknown fields', async () => {
    const data = {
      isPublic: false,
      totalReports: 0,
      abuseConfidenceScore: 0,
      isWhitelisted: null,
      new_field: {},
    }
    const { output, requests } = await abuseipdb.run(
      'check_ip',
      { kind: 'ip', value: '2001:db8::1' },
      { replies: [{ json: { data } }] },
    )
    expect(output['risk']).to.deep.equal({ score: null, reasons: [] })
    expect(requests[0]?.path).to.contain('ipAddress=2001%3Adb8%3A%3A1')
  })

  it('finds after an interruption a report with the same comment', async () => {
    const verify = async (reports: object[]) =>
      (
        await abuseipdb.run('report_ip', report, {
          purpose: 'verify',
          replies: [{ json: { data: { abuseConfidenceScore: 7, reports } } }],
        })
      ).output
    expect(await verify([{ comment: 'other' }, { comment: report.comment }])).to.deep.equal({ score: 7 })
    expect(await verify([{ comment: null }])).to.equal(undefined)
  })

  it('asks for a lower score only where a subscriber wants it', async () => {
    const pathOf = async (input: object) =>
      (await abuseipdb.run('get_blacklist', input, { replies: [{ json: { data: [] } }] })).requests[0]?.path
    expect(await pathOf({})).to.equal('/api/v2/blacklist?limit=1000')
    expect(await pathOf({ score: 90, limit: 10 })).to.contain('confidenceMinimum=90')
  })
})
