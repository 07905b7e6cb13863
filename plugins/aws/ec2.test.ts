import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const settings = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'a-secret-access-key',
  region: 'eu-central-1',
}
const ec2 = await openDeclaredPlugin(import.meta.dirname, settings)

const xml = (text: string, status = 200): CannedReply => ({
  status,
  headers: { 'content-type': 'text/xml' },
  text,
})
const says = (status: number, code: string, message: string) =>
  xml(
    `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors></Response>`,
    status,
  )
const quarantine = 'sg-0fff1111bbb222999'
const [a, b] = ['sg-0aaa1111bbb222333', 'sg-0aaa1111bbb222444'] as const
const of = { interface_id: 'eni-0abc1234def567890' }
const both = { ...of, isolation_group: quarantine }

/** The description of an interface with these groups, and with a tag of saved groups. */
const described = (groups: readonly string[], saved?: string): CannedReply => {
  const items = groups.map((id) => `<item><groupId>${id}</groupId></item>`).join('')
  const tags = saved === undefined ? '' : `<item><key>tocsin-groups</key><value>${saved}</value></item>`
  return xml(
    `<DescribeNetworkInterfacesResponse><networkInterfaceSet><item><networkInterfaceId>eni</networkInterfaceId><groupSet>${items}</groupSet><tagSet>${tags}</tagSet></item></networkInterfaceSet></DescribeNetworkInterfacesResponse>`,
  )
}
const done = (action: string) => xml(`<${action}Response><return>true</return></${action}Response>`)
const modified = done('ModifyNetworkInterfaceAttribute')
const formOf = (body: string | undefined) => Object.fromEntries(new URLSearchParams(body))
const sentTo = async (skill: string, input: object, ...replies: CannedReply[]) => {
  const { output, requests } = await ec2.run(skill, input, { replies })
  return {
    changed: output['changed'],
    sent: formOf(requests[1]?.body),
    count: requests.length,
  }
}

describe('aws: EC2 on a bad day', () => {
  testFailures(ec2, 'stop_instance', { instance_id: 'i-0abc1234def567890' }, [
    [
      'a missing permission',
      says(403, 'UnauthorizedOperation', 'You are not authorized to perform this operation.'),
      'ConnectionError',
      /allow the action in the policy/,
    ],
    [
      'a key that is wrong in any way',
      says(401, 'AuthFailure', 'AWS was not able to validate the provided access credentials'),
      'ConnectionError',
      /inactive or expired.*region is not enabled/,
    ],
    [
      'a request from another time',
      says(400, 'RequestExpired', 'Request has expired.'),
      'ConnectionError',
      /clock of the server differs/,
    ],
    [
      'too many requests, as 503',
      says(503, 'RequestLimitExceeded', 'Request limit exceeded.'),
      'RetryableError',
      /limits the requests for now/,
    ],
    [
      'an unknown instance',
      says(400, 'InvalidInstanceID.NotFound', "The instance ID 'i-0' does not exist"),
      'SkillError',
      /does not exist.*in this region/,
    ],
    [
      'an instance that cannot be stopped',
      says(400, 'IncorrectInstanceState', 'The instance is terminated'),
      'SkillError',
      /its state does not allow this/,
    ],
    [
      'an input that AWS refuses',
      says(400, 'InvalidParameterValue', 'bad'),
      'SkillError',
      /bad; check the inputs/,
    ],
    ['a page instead of XML', { text: '<html><body>Sign in</body></html>' }, 'SkillError', /cannot be read/],
  ])

  it('takes the page of a proxy for no success, and leaves the outcome open', async () => {
    const page = { text: '<html></html>' }
    for (const [skill, input, before] of [
      ['isolate_interface', both, described([a], a)],
      ['release_interface', of, described([quarantine], a)],
      ['save_groups', both, described([a])],
    ] as const) {
      const failure = await ec2.failureOf(skill, input, {
        replies: [before, page],
      })
      expect(failure.code, skill).to.equal('bad_response')
      expect(failure.effect, skill).to.not.equal('none')
    }
  })
})

describe('aws: isolation', () => {
  it('signs for its service and region', async () => {
    const { requests } = await ec2.run('get_interface', of, {
      replies: [described([a])],
    })
    expect(requests[0]?.url).to.match(
      /^https:\/\/ec2\.eu-central-1\.amazonaws\.com\/\?Action=DescribeNetworkInterfaces/,
    )
    expect(requests[0]?.headers['authorization']).to.contain('/eu-central-1/ec2/aws4_request')
  })

  it('refuses an interface whose groups are not saved, not all, or others', async () => {
    for (const saved of [undefined, a, `${a} sg-0ccc1111bbb222555`, '']) {
      const failure = await ec2.failureOf('isolate_interface', both, {
        replies: [described([a, b], saved)],
      })
      expect(failure.text, saved).to.contain('call save_groups first')
      expect(failure.kind).to.equal('SkillError')
    }
    const unknown = xml(
      '<DescribeNetworkInterfacesResponse><networkInterfaceSet/></DescribeNetworkInterfacesResponse>',
    )
    for (const skill of ['save_groups', 'isolate_interface'])
      expect((await ec2.failureOf(skill, both, { replies: [unknown] })).kind).to.equal('SkillError')
  })

  it('saves, isolates and releases', async () => {
    expect((await sentTo('save_groups', both, described([a, b]), done('CreateTags'))).sent).to.include({
      Action: 'CreateTags',
      'ResourceId.1': of.interface_id,
      'Tag.1.Value': `${a} ${b}`,
    })
    expect(
      (await sentTo('isolate_interface', both, described([a, b], `${b} ${a}`), modified)).sent,
    ).to.deep.equal({
      Action: 'ModifyNetworkInterfaceAttribute',
      Version: '2016-11-15',
      NetworkInterfaceId: of.interface_id,
      'SecurityGroupId.1': quarantine,
    })
    expect(
      (await sentTo('release_interface', of, described([quarantine], `${a} ${b}`), modified)).sent,
    ).to.deep.equal({
      Action: 'ModifyNetworkInterfaceAttribute',
      Version: '2016-11-15',
      NetworkInterfaceId: of.interface_id,
      'SecurityGroupId.1': a,
      'SecurityGroupId.2': b,
    })
  })

  it('sends no request if nothing changes, and never overwrites saved groups', async () => {
    const nothing = { changed: false, sent: {}, count: 1 }
    expect(await sentTo('save_groups', both, described([quarantine], a))).to.deep.equal(nothing)
    expect(await sentTo('isolate_interface', both, described([quarantine], a))).to.deep.equal(nothing)
    expect(await sentTo('release_interface', of, described([b, a], `${a} ${b}`))).to.deep.equal(nothing)
  })

  it('releases only to groups that were saved', async () => {
    for (const saved of [undefined, 'everything', `${a}  ${b}`, 'sg-1;sg-2'])
      expect(
        (
          await ec2.failureOf('release_interface', of, {
            replies: [described([quarantine], saved)],
          })
        ).text,
      ).to.contain('no security groups are saved')
  })

  it('does not take a wildcard for a name', async () => {
    for (const value of ['*', 'web-?', 'a\\*'])
      expect((await ec2.failureOf('find_instances', { by: 'name', value })).text).to.match(
        /must not contain wildcards/,
      )
  })
})

describe('aws: snapshots', () => {
  const input = { volume_id: 'vol-0abc1234def567890' }
  const step = { run: { id: 'run-1' } }
  const listed = (items: string) =>
    xml(`<DescribeSnapshotsResponse><snapshotSet>${items}</snapshotSet></DescribeSnapshotsResponse>`)

  it('finds after an interruption the snapshot of this step', async () => {
    const reply = xml('<CreateSnapshotResponse><snapshotId>snap-1</snapshotId></CreateSnapshotResponse>')
    const sent = await ec2.run('create_snapshot', input, {
      ...step,
      replies: [reply],
    })
    const tag = formOf(sent.requests[0]?.body)['TagSpecification.1.Tag.1.Value']
    const options = {
      ...step,
      purpose: 'verify',
      replies: [listed('<item><snapshotId>snap-1</snapshotId></item>')],
    } as const
    const found = await ec2.run('create_snapshot', input, options)
    expect(new URL(found.requests[0]!.url).searchParams.get('Filter.1.Value.1')).to.equal(tag)
    expect(found.output).to.deep.equal({ snapshot_id: 'snap-1' })
  })

  it('leaves the outcome open where AWS lists none yet', async () => {
    const failure = await ec2.failureOf('create_snapshot', input, {
      ...step,
      purpose: 'verify',
      replies: [listed('')],
    })
    expect(failure.code).to.equal('bad_response')
  })
})
