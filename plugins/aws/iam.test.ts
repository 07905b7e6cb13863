import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const settings = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'a-secret-access-key',
  region: 'eu-central-1',
}
const iam = await openDeclaredPlugin(import.meta.dirname, settings)

const xml = (text: string, status = 200): CannedReply => ({
  status,
  headers: { 'content-type': 'text/xml' },
  text,
})
const says = (status: number, code: string, message: string) =>
  xml(
    `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    status,
  )
const key = { user_name: 'deploy', access_key_id: 'AKIAI44QH8DHBEXAMPLE' }
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))

describe('aws: IAM on a bad day', () => {
  testFailures(iam, 'disable_access_key', key, [
    [
      'a missing permission',
      says(403, 'AccessDenied', 'User: x is not authorized to perform: iam:UpdateAccessKey'),
      'ConnectionError',
      /iam:UpdateAccessKey; allow the action/,
    ],
    [
      'an inactive key',
      says(403, 'InvalidClientTokenId', 'The security token included in the request is invalid'),
      'ConnectionError',
      /inactive or deleted/,
    ],
    [
      'an expired session',
      says(403, 'ExpiredToken', 'The security token included in the request is expired'),
      'ConnectionError',
      /session token has expired/,
    ],
    [
      'a wrong secret',
      says(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match'),
      'ConnectionError',
      /the clock of the server differs/,
    ],
    [
      'too many requests, as 400',
      says(400, 'Throttling', 'Rate exceeded'),
      'RetryableError',
      /limits the requests for now/,
    ],
    [
      'an unknown user',
      says(404, 'NoSuchEntity', 'The user with name deploy cannot be found.'),
      'SkillError',
      /cannot be found.*check the name/,
    ],
    [
      'too many policies',
      says(409, 'LimitExceeded', 'Cannot exceed quota'),
      'SkillError',
      /as many policies as AWS allows/,
    ],
    [
      'a service that is down',
      says(503, 'ServiceUnavailable', 'Service is unavailable'),
      'RetryableError',
      /Service is unavailable/,
    ],
    [
      'a page instead of XML',
      { text: '<html><body>Sign in</body></html>' },
      'SkillError',
      /cannot be read|is not/,
    ],
  ])

  it('takes the page of a proxy for no success of any write', async () => {
    const user = { user_name: 'deploy' }
    for (const [skill, input] of [
      ['enable_access_key', key],
      ['deny_user', user],
      ['allow_user', user],
      ['revoke_role_sessions', { role_name: 'ci' }],
      ['allow_role_sessions', { role_name: 'ci' }],
    ] as const)
      expect(
        (await iam.failureOf(skill, input, { replies: [{ text: '<html></html>' }] })).code,
        skill,
      ).to.equal('bad_response')
  })

  it('leaves the outcome of a broken write open', async () => {
    const failure = await iam.failureOf(
      'deny_user',
      { user_name: 'deploy' },
      { replies: [{ status: 500, text: '' }] },
    )
    expect(failure.effect).to.not.equal('none')
  })
})

describe('aws: connection', () => {
  it('asks AWS whose credentials they are, which needs no permission', async () => {
    const arn = 'arn:aws:iam::111122223333:user/tocsin'
    const reply = xml(
      `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`,
    )
    const { account, requests } = await iam.check([reply])
    expect(account).to.equal(arn)
    expect(requests[0]?.url).to.match(
      /^https:\/\/sts\.eu-central-1\.amazonaws\.com\/\?Action=GetCallerIdentity/,
    )
    expect(requests[0]?.headers['authorization']).to.contain('/eu-central-1/sts/aws4_request')
    const failure = await iam.checkFailureOf([
      says(403, 'InvalidClientTokenId', 'The security token is invalid.'),
    ])
    expect(failure).to.include({ kind: 'ConnectionError' })
  })
})

describe('aws: IAM', () => {
  const done = (action: string) => xml(`<${action}Response><ResponseMetadata/></${action}Response>`)

  it('signs for the address of all regions', async () => {
    const { requests } = await iam.run('disable_access_key', key, { replies: [done('UpdateAccessKey')] })
    expect(requests[0]?.url).to.equal('https://iam.amazonaws.com/')
    expect(requests[0]?.headers['authorization']).to.contain('/us-east-1/iam/aws4_request')
    const gov = await openDeclaredPlugin(import.meta.dirname, { ...settings, region: 'us-gov-east-1' })
    const sent = await gov.run('disable_access_key', key, { replies: [done('UpdateAccessKey')] })
    expect(sent.requests[0]?.url).to.equal('https://iam.us-gov.amazonaws.com/')
    expect(sent.requests[0]?.headers['authorization']).to.contain('/us-gov-west-1/iam/')
  })

  it('always names the user: without one, AWS would take the own key', async () => {
    for (const skill of ['disable_access_key', 'enable_access_key']) {
      const { requests } = await iam.run(skill, key, { replies: [done('UpdateAccessKey')] })
      expect(formOf(requests[0]!.body)).to.include({ UserName: 'deploy', AccessKeyId: key.access_key_id })
      expect((await iam.failureOf(skill, { ...key, user_name: '' })).text).to.match(
        /must be the name of an IAM user/,
      )
    }
  })

  it('refuses names that would change the request', async () => {
    for (const user_name of ['a&Action=DeleteUser', 'a b', '../a', 'a\n'])
      expect((await iam.failureOf('deny_user', { user_name })).text).to.match(/must be the name/)
  })

  it('denies everything, and ends only earlier sessions of a role', async () => {
    const deny = await iam.run('deny_user', { user_name: 'deploy' }, { replies: [done('PutUserPolicy')] })
    expect(JSON.parse(formOf(deny.requests[0]!.body)['PolicyDocument']!)).to.deep.equal({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }],
    })
    const revoke = await iam.run(
      'revoke_role_sessions',
      { role_name: 'ci' },
      { replies: [done('PutRolePolicy')] },
    )
    expect(JSON.parse(formOf(revoke.requests[0]!.body)['PolicyDocument']!)).to.have.nested.property(
      'Statement[0].Condition.DateLessThan.aws:TokenIssueTime',
      '2026-11-20T12:00:00Z',
    )
  })

  it('distinguishes a user without the policy from a denied user', async () => {
    const gone = says(404, 'NoSuchEntity', 'The user policy with name TocsinDenyAll cannot be found.')
    const allow = async (reply: CannedReply) =>
      (await iam.run('allow_user', { user_name: 'kim' }, { replies: [reply] })).output
    expect(await allow(gone)).to.deep.equal({ removed: false })
    expect(await allow(done('DeleteUserPolicy'))).to.deep.equal({ removed: true })
  })

  it('reads no more users than the limit', async () => {
    let page = 0
    const replies = () => {
      const members = Array.from(
        { length: 1000 },
        (_, at) => `<member><UserName>u${at}</UserName><UserId>${page}-${at}</UserId></member>`,
      )
      return xml(
        `<ListUsersResponse><ListUsersResult><IsTruncated>true</IsTruncated><Marker>m${++page}</Marker><Users>${members.join('')}</Users></ListUsersResult></ListUsersResponse>`,
      )
    }
    const { output } = await iam.run('list_users', { limit: 5000 }, { replies })
    expect(output['users']).to.have.length(5000)
    expect(output['complete']).to.equal(false)
  })
})
