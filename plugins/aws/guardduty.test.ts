import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const settings = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'a-secret-access-key',
  region: 'eu-central-1',
  webhook_secret: 'a-secret-in-a-header',
}
const guardduty = await openDeclaredPlugin(import.meta.dirname, settings)

const says = (status: number, type: string, message: string): CannedReply => ({
  status,
  headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` },
  json: { message, __type: 'InvalidInputException' },
})
const detectors = { json: { detectorIds: ['d1'] } }
const finding = (id: string, more = {}) => ({ id, type: 'T', severity: 5, ...more })

describe('aws: GuardDuty on a bad day', () => {
  testFailures(guardduty, 'list_detectors', {}, [
    [
      'a missing permission',
      says(403, 'AccessDeniedException', 'User is not authorized'),
      'ConnectionError',
      /allow the action in the policy/,
    ],
    [
      'an inactive key or a region that is off',
      says(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
      'ConnectionError',
      /region is not enabled/,
    ],
    [
      'an expired session',
      says(403, 'ExpiredTokenException', 'The security token included in the request is expired'),
      'ConnectionError',
      /session token has expired/,
    ],
    [
      'a wrong secret',
      says(403, 'InvalidSignatureException', 'Signature expired'),
      'ConnectionError',
      /the clock of the server differs/,
    ],
    [
      'too many requests, as 400',
      says(400, 'ThrottlingException', 'Rate exceeded'),
      'RetryableError',
      /limits the requests for now/,
    ],
    [
      'an account that does not administer GuardDuty',
      says(
        400,
        'BadRequestException',
        'The request is rejected because the input detectorId is not owned by the current account.',
      ),
      'SkillError',
      /only the account that administers GuardDuty/,
    ],
    [
      'an input that AWS refuses',
      says(400, 'BadRequestException', 'The value is out of range'),
      'SkillError',
      /out of range; check the inputs/,
    ],
    [
      'an internal error',
      says(500, 'InternalServerErrorException', 'Internal server error'),
      'RetryableError',
      /Internal server error/,
    ],
    ['a page instead of JSON', { text: '<html>' }, 'SkillError', /cannot be read/],
  ])

  it('says that GuardDuty is not enabled', async () => {
    const none = { json: { detectorIds: [] } }
    for (const skill of ['list_findings', 'archive_findings', 'get_finding']) {
      const input = {
        get_finding: { finding_id: 'f' },
        archive_findings: { finding_ids: ['f'] },
        list_findings: {},
      }[skill]!
      const failure = await guardduty.failureOf(skill, input, { replies: [none] })
      expect(failure.text).to.contain('GuardDuty is not enabled in this region')
    }
  })

  it('leaves the outcome of a broken write open, and takes the page of a proxy for no success', async () => {
    const archive = async (reply: CannedReply) =>
      await guardduty.failureOf('archive_findings', { finding_ids: ['f'] }, { replies: [detectors, reply] })
    expect((await archive({ status: 502, text: '' })).effect).to.not.equal('none')
    expect((await archive({ text: '<html>' })).code).to.equal('bad_response')
  })
})

describe('aws: GuardDuty', () => {
  it('signs for its service and region', async () => {
    const { requests } = await guardduty.run('list_detectors', {}, { replies: [detectors] })
    expect(requests[0]?.url).to.equal('https://guardduty.eu-central-1.amazonaws.com/detector')
    expect(requests[0]?.headers['authorization']).to.contain(
      '/20261120/eu-central-1/guardduty/aws4_request'.slice(1),
    )
    const china = await openDeclaredPlugin(import.meta.dirname, { ...settings, region: 'cn-north-1' })
    const sent = await china.run('list_detectors', {}, { replies: [detectors] })
    expect(sent.requests[0]?.url).to.equal('https://guardduty.cn-north-1.amazonaws.com.cn/detector')
  })

  it('filters by all conditions, with values as data', async () => {
    const input = { user_name: '"kim"]}', updated_since: '2026-11-19T00:00:00Z', severity: 7 }
    const { requests } = await guardduty.run('list_findings', input, {
      replies: [detectors, { json: { findingIds: [] } }],
    })
    const body = JSON.parse(requests[1]!.body) as { findingCriteria: object }
    expect(body.findingCriteria).to.deep.equal({
      criterion: {
        'service.archived': { equals: ['false'] },
        severity: { greaterThanOrEqual: 7 },
        'resource.accessKeyDetails.userName': { equals: ['"kim"]}'] },
        updatedAt: { greaterThanOrEqual: Date.parse('2026-11-19T00:00:00Z') },
      },
    })
  })

  it('reads the findings of many pages in batches of 50, up to the limit', async () => {
    let page = 0
    const asked: number[] = []
    const replies = ({ path, body }: { path: string; body: string }): CannedReply => {
      if (path === '/detector') return detectors
      if (path.endsWith('/findings')) {
        const findingIds = Array.from({ length: 50 }, (_, at) => `f${page}-${at}`)
        return { json: { findingIds, nextToken: `t${++page}` } }
      }
      const { findingIds } = JSON.parse(body) as { findingIds: string[] }
      asked.push(findingIds.length)
      return { json: { findings: findingIds.map((id) => finding(id)) } }
    }
    const { output } = await guardduty.run('list_findings', { limit: 120 }, { replies })
    expect(output['findings']).to.have.length(120)
    expect(output['complete']).to.equal(false)
    expect(asked).to.deep.equal([50, 50, 20])
  })

  it('survives unknown types, nulls and missing fields', async () => {
    const odd = finding('f1', {
      type: 'Brand:New/Thing',
      resource: { resourceType: 'Quantum' },
      service: { action: { actionType: null } },
    })
    const { output } = await guardduty.run(
      'get_finding',
      { finding_id: 'f1' },
      { replies: [detectors, { json: { findings: [odd] } }] },
    )
    expect(output).to.deep.equal({
      found: true,
      type: 'Brand:New/Thing',
      severity: 5,
      archived: false,
      resource_type: 'Quantum',
      network_interfaces: [],
    })
  })
})

describe('aws: GuardDuty webhooks', () => {
  const event = {
    id: 'e1',
    source: 'aws.guardduty',
    'detail-type': 'GuardDuty Finding',
    detail: finding('f1'),
  }
  const receive = (body: object, secret?: string) =>
    guardduty.receive('findings', JSON.stringify(body), {
      headers: secret === undefined ? {} : { 'x-tocsin-secret': secret },
    })

  it('makes an alert of a finding, and leaves other events out', () => {
    const { alerts } = receive(event, settings.webhook_secret)
    expect(alerts).to.deep.equal([
      { provider: 'guardduty', type: 'guardduty_finding', content: JSON.stringify(event), dedupeKey: 'e1' },
    ])
    expect(receive({ ...event, source: 'aws.health' }, settings.webhook_secret).alerts ?? []).to.deep.equal(
      [],
    )
  })

  it('refuses a wrong or missing secret, and everything without one', async () => {
    for (const secret of [undefined, '', 'another-secret-in-header'])
      expect(() => receive(event, secret)).to.throw()
    const { webhook_secret: _, ...open } = settings
    const unset = await openDeclaredPlugin(import.meta.dirname, open)
    expect(() => unset.receive('findings', '{}', { headers: { 'x-tocsin-secret': '' } })).to.throw()
  })
})
