import { expect } from 'chai'
import { generateKeyPairSync } from 'node:crypto'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const settings = {
  client_email: 'tocsin@project.iam.gserviceaccount.com',
  private_key_id: 'k1',
  // As in the JSON file.
  private_key: privateKey.replaceAll('\n', String.raw`\n`),
  admin: 'admin@example.com',
}
const google = await openDeclaredPlugin(import.meta.dirname, settings)

const problem = (status: number, reason: string, message = 'no') => ({
  status,
  json: { error: { code: status, message, errors: [{ message, reason }] } },
})
const refused = (status: number, error: string, description: string) => ({
  status,
  json: { error, error_description: description },
})
const user = (email: string, more: object = {}) => ({ json: { id: '1', primaryEmail: email, ...more } })

describe('google_workspace', () => {
  for (const [what, reply, text] of [
    [
      'a missing delegation or scope',
      refused(401, 'unauthorized_client', 'Client is unauthorized'),
      /domain-wide delegation/,
    ],
    [
      'an unknown administrator',
      refused(400, 'invalid_grant', 'Invalid email or User ID'),
      /address of the administrator is wrong/,
    ],
    ['a deleted key', refused(400, 'invalid_grant', 'Invalid JWT Signature.'), /create a new key/],
    [
      'a wrong clock',
      refused(400, 'invalid_grant', 'Invalid JWT: Token must be a short-lived token'),
      /clock/,
    ],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await google.checkFailureOf([reply])
      expect(failure).to.include({ kind: 'ConnectionError' })
      expect(failure.text).to.match(text)
    })

  for (const [what, reply, kind, text] of [
    [
      'an API that is not enabled',
      problem(403, 'accessNotConfigured'),
      'ConnectionError',
      /enable the Admin SDK API/,
    ],
    [
      'a connection that only reads',
      problem(403, 'insufficientPermissions'),
      'ConnectionError',
      /access respond/,
    ],
    [
      'a role that is too small',
      problem(403, 'forbidden', 'Not Authorized to access this resource/api'),
      'ConnectionError',
      /role of the administrator/,
    ],
    [
      'a quota, which has the status 403',
      problem(403, 'userRateLimitExceeded'),
      'RetryableError',
      /quota of the Google Cloud project/,
    ],
    [
      'an unknown user',
      problem(404, 'notFound', 'Resource Not Found: userKey'),
      'SkillError',
      /does not exist/,
    ],
    [
      'a page',
      { status: 502, text: '<html><title>Error 502 (Server Error)</title>' },
      'RetryableError',
      /Server Error/,
    ],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await google.failureOf(
        'sign_out_user',
        { user: 'kim@example.com' },
        { replies: [reply] },
      )
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('asks for a token in the name of the administrator, with the scopes of the access', async () => {
    const replies = [{ json: { access_token: 't', expires_in: 3599 } }, user('admin@example.com')]
    for (const [access, scopes] of [
      ['respond', 3],
      ['read', 2],
    ] as const) {
      const { requests } = await google.run(
        'get_user',
        { user: 'kim' },
        { settings: { ...settings, access }, token: null, replies },
      )
      expect(requests[0]?.url).to.equal('https://oauth2.googleapis.com/token')
      const assertion = new URLSearchParams(requests[0]?.body).get('assertion')!
      const claims = JSON.parse(Buffer.from(assertion.split('.')[1]!, 'base64url').toString()) as Record<
        string,
        string
      >
      expect(claims).to.include({
        iss: settings.client_email,
        sub: 'admin@example.com',
        aud: 'https://oauth2.googleapis.com/token',
      })
      expect(claims['scope']!.split(' ')).to.have.length(scopes)
    }
  })

  it('warns of an administrator who is no super admin', async () => {
    const token = { json: { access_token: 't', expires_in: 3599 } }
    expect(
      (await google.check([token, user('admin@example.com', { isDelegatedAdmin: true })])).warning,
    ).to.match(/no super admin/)
    const superAdmin = await google.check([token, user('admin@example.com', { isAdmin: true })])
    expect([superAdmin.account, superAdmin.warning]).to.deep.equal(['admin@example.com', undefined])
  })

  it('keeps values within their place in paths and searches', async () => {
    const { requests } = await google.run(
      'revoke_token',
      { user: 'a/../b?', client_id: '1/2' },
      { replies: [{ status: 204 }] },
    )
    expect(requests[0]?.path).to.equal('/admin/directory/v1/users/a%2F..%2Fb%3F/tokens/1%2F2')
    const searched = async (name: string) => {
      const { requests: sent } = await google.run('find_users', { name }, { replies: [{ json: {} }] })
      return new URL(sent[0]!.url).searchParams.get('query')
    }
    expect(await searched("o'brien@example.com isAdmin=true")).to.equal(
      String.raw`email='o\'brien@example.com isAdmin=true'`,
    )
    expect(await searched(String.raw`Kim\' Berg`)).to.equal(String.raw`name='Kim\\\' Berg'`)
    expect(await searched('kim')).to.equal('email:kim*')
  })

  it('finds only the users with the whole name before the @', async () => {
    const users = [
      { id: '1', primaryEmail: 'kimberly@example.com' },
      { id: '2', primaryEmail: 'k.berg@example.com', aliases: ['Kim@example.com'] },
    ]
    const { output } = await google.run('find_users', { name: 'kim' }, { replies: [{ json: { users } }] })
    expect((output.users as { id: string }[]).map(({ id }) => id)).to.deep.equal(['2'])
  })

  it('reads users and events with nulls and missing fields', async () => {
    const { output } = await google.run(
      'get_user',
      { user: 'x' },
      { replies: [user('x@example.com', { name: null, suspended: null, isEnrolledIn2Sv: null })] },
    )
    expect(output).to.deep.equal({
      found: true,
      id: '1',
      email: 'x@example.com',
      suspended: false,
      archived: false,
      admin: false,
      aliases: [],
    })
    const events = await google.run(
      'search_activity',
      {},
      { replies: [{ json: { items: [{ id: { time: 't' }, actor: null, events: [{}] }] } }] },
    )
    expect(events.output.events).to.deep.equal([{ time: 't', names: ['unknown'], parameters: [] }])
  })

  it('distinguishes an unknown user from another 404', async () => {
    expect(
      (await google.run('get_user', { user: 'x' }, { replies: [problem(404, 'notFound')] })).output,
    ).to.deep.equal({ found: false })
    expect(
      (await google.failureOf('get_user', { user: 'x' }, { replies: [{ status: 404, text: '<html>' }] }))
        .code,
    ).to.equal('bad_response')
  })

  it('never suspends the administrator of the connection', async () => {
    const failure = await google.failureOf(
      'suspend_user',
      { user: '1' },
      { replies: [user('Admin@example.com')] },
    )
    expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
    expect(failure.text).to.match(/administrator of the connection/)
  })

  it('reports a suspension that Google did not lift', async () => {
    const replies = [
      user('x@example.com', { suspended: true }),
      user('x@example.com', { suspended: true, suspensionReason: 'ABUSE' }),
    ]
    expect((await google.run('unsuspend_user', { user: 'x' }, { replies })).output).to.deep.equal({
      id: '1',
      suspended: true,
      changed: true,
    })
  })

  it('checks after an interruption whether the user is suspended', async () => {
    const verify = (suspended: boolean) =>
      google.run(
        'suspend_user',
        { user: 'x' },
        { purpose: 'verify', replies: [user('x@example.com', { suspended })] },
      )
    expect((await verify(true)).output).to.include({ suspended: true })
    expect((await verify(false)).output).to.equal(undefined)
  })

  it('reads alerts with the same token, and explains a missing scope', async () => {
    const input = { type: 'Suspicious "login"', since: '2026-11-20T00:00:00Z' }
    const { output, requests } = await google.run('list_alerts', input, {
      replies: [{ json: { alerts: [{ alertId: 'a', metadata: { severity: '' }, data: null }] } }],
    })
    expect(output.alerts).to.deep.equal([{ id: 'a' }])
    expect(requests[0]?.url).to.match(/^https:\/\/alertcenter\.googleapis\.com\/v1beta1\/alerts\?/)
    expect(requests[0]?.headers['authorization']).to.equal('Bearer test-token')
    expect(new URL(requests[0]!.url).searchParams.get('filter')).to.equal(
      String.raw`createTime >= "2026-11-20T00:00:00Z" AND type:"Suspicious \"login\""`,
    )
    const error = {
      code: 403,
      message: 'Request had insufficient authentication scopes.',
      status: 'PERMISSION_DENIED',
      details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }],
    }
    const failure = await google.failureOf('list_alerts', {}, { replies: [{ status: 403, json: { error } }] })
    expect(failure.text).to.match(/turn on Alert Center/)
  })

  it('reads 10,000 events up to the limit', async () => {
    const replies = Array.from({ length: 4 }, (_, page) => ({
      json: {
        items: Array.from({ length: 1_000 }, (_each, at) => ({
          id: { time: 't', uniqueQualifier: `${page} ${at}` },
        })),
        nextPageToken: `p${page}`,
      },
    }))
    const { output, requests } = await google.run(
      'search_activity',
      { limit: 2_500, ip: '203.0.113.7' },
      { replies },
    )
    expect(output.events).to.have.length(2_500)
    expect(output.complete).to.equal(false)
    expect(requests).to.have.length(3)
  })
})
