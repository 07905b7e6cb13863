import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const virustotal = await openDeclaredPlugin(import.meta.dirname, { api_key: 'a1'.repeat(32), user: 'kim' })
const says = (status: number, code: string, message = code): CannedReply => ({
  status,
  json: { error: { code, message } },
})
const hash = { kind: 'hash', value: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f' }

describe('virustotal on a bad day', () => {
  testFailures(virustotal, 'get_report', hash, [
    [
      'a wrong key',
      says(401, 'WrongCredentialsError'),
      'ConnectionError',
      /the API key is wrong or the account is not active/,
    ],
    ['an account that is not active', says(401, 'UserNotActiveError'), 'ConnectionError', /not active/],
    ['an endpoint of the premium plan', says(403, 'ForbiddenError'), 'SkillError', /needs a premium plan/],
    ['a spent quota', says(429, 'QuotaExceededError'), 'RetryableError', /daily or monthly quota/],
    ['requests that come too fast', says(429, 'TooManyRequestsError'), 'RetryableError', /choose the plan/],
    ['a report that is not ready', says(400, 'NotAvailableYet'), 'RetryableError', /NotAvailableYet/],
    ['a failed dependency', says(424, 'FailedDependencyError'), 'RetryableError', /FailedDependencyError/],
    [
      'a domain that it does not take',
      says(400, 'InvalidArgumentError', '"x.test" is not a valid domain pattern'),
      'SkillError',
      /not a valid domain/,
    ],
    [
      'an error that is not JSON',
      { status: 503, text: '<html><title>Try again</title></html>' },
      'RetryableError',
      /Try again/,
    ],
  ])

  it('tests the connection without the key in the address', async () => {
    const { requests } = await virustotal.check([{ json: { data: {} } }])
    expect(requests[0]?.path).to.equal('/api/v3/users/kim/overall_quotas')
  })
})

describe('virustotal', () => {
  const report = async (attributes: object) =>
    (await virustotal.run('get_report', hash, { replies: [{ json: { data: { attributes } } }] })).output

  it('gives no score without an analysis', async () => {
    expect(await report({})).to.deep.include({ risk: { score: null, reasons: [] } })
    const none = { malicious: 0, suspicious: 0, harmless: 0, undetected: 0, 'type-unsupported': 20 }
    expect(await report({ last_analysis_stats: none })).to.deep.include({
      risk: { score: null, reasons: [] },
    })
    expect(await report({ last_analysis_stats: { ...none, undetected: 60 } })).to.deep.include({
      risk: { score: 0, reasons: [] },
    })
  })

  it('asks for a URL by its id, whatever it contains', async () => {
    const value = 'https://a.example/?q=>>>???'
    const id = Buffer.from(value).toString('base64url')
    const { requests } = await virustotal.run(
      'get_report',
      { kind: 'url', value },
      { replies: [{ status: 404 }] },
    )
    expect(requests[0]?.path).to.equal(`/api/v3/urls/${id}`)
    const vote = await virustotal.run(
      'add_vote',
      { kind: 'urls', id: value, verdict: 'malicious' },
      { replies: [{ json: {} }] },
    )
    expect(vote.requests[0]?.path).to.equal(`/api/v3/urls/${id}/votes`)
  })

  it('waits while an analysis is queued, and does not take its zeros for a result', async () => {
    const state = (status: string, malicious: number) => ({
      json: {
        data: { attributes: { status, stats: { malicious, suspicious: 0, harmless: 0, undetected: 0 } } },
      },
    })
    const replies = [state('queued', 0), state('in-progress', 0), state('completed', 5)]
    expect((await virustotal.run('get_analysis', { id: 'u-1' }, { replies })).output).to.include({
      malicious: 5,
    })
  })

  it('reads no more than the limit', async () => {
    let page = 0
    const replies = () => ({
      json: {
        data: Array.from({ length: 40 }, (_, at) => ({ id: `${page}-${at}`, type: 'domain' })),
        meta: { cursor: `c${++page}` },
      },
    })
    const { output } = await virustotal.run(
      'list_related',
      { kind: 'domains', id: 'a.example', relationship: 'subdomains', limit: 400 },
      { replies },
    )
    expect(output['objects']).to.have.length(400)
    expect(output['complete']).to.equal(false)
  })

  it('takes the page of a proxy for no success', async () => {
    for (const [skill, input] of [['delete_comment', { id: 'c-1' }]] as const)
      expect(
        (await virustotal.failureOf(skill, input, { replies: [{ text: '<html>Sign in</html>' }] })).code,
      ).to.equal('bad_response')
  })
})
