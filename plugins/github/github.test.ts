import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const settings = {
  organization: 'example',
  token: 'github_pat_of_an_owner',
  issue_repository: 'incidents',
  webhook_secret: "It's a Secret to Everybody",
}
const github = await openDeclaredPlugin(import.meta.dirname, settings)

const says = (status: number, message: string, headers = {}): CannedReply => ({
  status,
  headers,
  json: { message, documentation_url: 'https://docs.github.com/rest' },
})

describe('github on a bad day', () => {
  testFailures(github, 'list_deploy_keys', { repo: 'payments' }, [
    [
      'an expired token',
      says(401, 'Bad credentials'),
      'ConnectionError',
      /Bad credentials; the token is wrong, has expired/,
    ],
    [
      'a token without the permission',
      says(403, 'Resource not accessible by personal access token'),
      'ConnectionError',
      /give the token the permissions that the skill needs/,
    ],
    [
      'a token that SAML does not know',
      says(403, 'Resource protected by organization SAML enforcement.', {
        'x-github-sso': 'required; url=https://x',
      }),
      'ConnectionError',
      /Configure SSO beside the token/,
    ],
    [
      'a suspended account',
      says(403, 'Sorry. Your account was suspended'),
      'ConnectionError',
      /is suspended/,
    ],
    [
      'a feature that the plan lacks',
      says(403, 'Advanced Security must be enabled for this repository to use code scanning.'),
      'SkillError',
      /plan of the organization does not include/,
    ],
    [
      'the hourly limit, as 403',
      says(403, 'API rate limit exceeded for user ID 1.', { 'x-ratelimit-remaining': '0' }),
      'RetryableError',
      /hourly limit/,
    ],
    [
      'a spent budget that the message does not name',
      says(403, 'Forbidden', { 'x-ratelimit-remaining': '0' }),
      'RetryableError',
      /hourly limit of the token is used up/,
    ],
    [
      'the secondary limit',
      says(429, 'You have exceeded a secondary rate limit.', { 'retry-after': '61' }),
      'RetryableError',
      /came too fast/,
    ],
    ['a repository that it does not show', says(404, 'Not Found'), 'SkillError', /GitHub does not say which/],
    [
      'a renamed repository',
      says(301, 'Moved Permanently', { location: 'https://x' }),
      'SkillError',
      /use its new name/,
    ],
    [
      'a maintenance page',
      { status: 503, text: '<html><title>Unicorn!</title></html>' },
      'RetryableError',
      /Unicorn/,
    ],
    ['a page instead of JSON', { text: '<html>Sign in</html>' }, 'SkillError', /JSON/],
  ])

  it('waits as long as GitHub asks', async () => {
    const reply = says(429, 'You have exceeded a secondary rate limit.', { 'retry-after': '61' })
    const failure = await github.failureOf('get_member', { username: 'kim' }, { replies: [reply] })
    expect(failure.retryAfterMs).to.equal(61_000)
  })

  it('names the field that GitHub refuses', async () => {
    const errors = [
      { resource: 'Issue', field: 'title', code: 'missing_field' },
      { message: 'too long' },
      'odd',
    ]
    const reply = { status: 422, json: { message: 'Validation Failed', errors } }
    const failure = await github.failureOf('create_issue', { title: 'a', body: '' }, { replies: [reply] })
    expect(failure.kind).to.equal('SkillError')
    expect(failure.text).to.contain('Validation Failed: title missing_field; too long; odd')
  })

  it('warns of a token that expires soon, and not of others', async () => {
    const until = (date: string) => ({
      json: { login: 'example' },
      headers: { 'github-authentication-token-expiration': `${date} 08:00:00 UTC` },
    })
    expect(await github.check([until('2026-11-30')])).to.include({
      account: 'example',
      warning: 'the token expires on 2026-11-30',
    })
    expect((await github.check([until('2027-06-01')])).warning).to.equal(undefined)
    expect((await github.checkFailureOf([says(404, 'Not Found')])).text).to.match(/may not see it/)
  })
})

describe('github', () => {
  it('revokes a leaked token without credentials, and never shows it', async () => {
    const token = `ghp_${'a1'.repeat(18)}`
    const { output, requests } = await github.run(
      'revoke_leaked_token',
      { token },
      { replies: [{ status: 202 }] },
    )
    expect(output).to.deep.equal({ accepted: true })
    expect(requests[0]?.url).to.equal('https://api.github.com/credentials/revoke')
    expect(requests[0]?.headers).not.to.have.property('authorization')
    expect(JSON.parse(requests[0]!.body)).to.deep.equal({ credentials: [token] })
    const failure = await github.failureOf('revoke_leaked_token', { token: `${token}!` })
    expect(failure.text).to.contain('must be a token').and.not.contain('a1a1a1')
  })

  it('never asks for secrets, and never shows those that it gets', async () => {
    const replies = [{ json: [] }]
    const { requests } = await github.run('list_secret_alerts', {}, { replies })
    expect(requests[0]?.path).to.contain('hide_secret=true')
    const alert = { state: 'resolved', resolution: 'revoked', secret: 'AKIAIOSFODNN7EXAMPLE' }
    const input = { repo: 'payments', number: 42, resolution: 'revoked' }
    const { output } = await github.run('resolve_secret_alert', input, { replies: [{ json: alert }] })
    expect(output).to.deep.equal({ state: 'resolved', resolution: 'revoked' })
  })

  it('survives unknown values, nulls and missing fields', async () => {
    const repository = { name: 'payments' }
    const replies = [
      {
        json: [
          {
            number: 1,
            repository,
            created_at: '2026-11-20T00:00:00Z',
            state: 'snoozed',
            secret_type: 'new',
            resolution: null,
          },
          {
            number: 2,
            repository,
            created_at: '2026-11-20T00:00:00Z',
            state: 'open',
            secret_type: 'x',
            push_protection_bypassed_by: null,
            extra: {},
          },
        ],
      },
    ]
    const { output } = await github.run('list_secret_alerts', {}, { replies })
    expect(output['alerts']).to.deep.include({
      number: 1,
      repo: 'payments',
      created_at: '2026-11-20T00:00:00Z',
      state: 'snoozed',
      secret_type: 'new',
    })
    const event = { action: 'new.action', '@timestamp': null, actor: null }
    const { output: log } = await github.run('search_audit_log', {}, { replies: [{ json: [event] }] })
    expect(log['events']).to.deep.equal([{ action: 'new.action' }])
  })

  it('reads no more than the limit, and says so', async () => {
    let page = 0
    const replies = (): CannedReply => ({
      json: Array.from({ length: 100 }, (_, at) => ({ login: `m${at}`, id: page * 100 + at })),
      headers: { link: `<https://api.github.com/organizations/1/members?page=${++page + 1}>; rel="next"` },
    })
    const { output, requests } = await github.run('list_members', { limit: 10_000 }, { replies })
    expect(output['members']).to.have.length(10_000)
    expect(output['complete']).to.equal(false)
    expect(requests).to.have.length(100)
  })

  it('does not follow a next page to another host', async () => {
    const headers = { link: '<https://evil.example/members?page=2>; rel="next"' }
    const replies = [{ json: [{ login: 'a', id: 1 }], headers }]
    const { kind } = await github.failureOf('list_members', {}, { replies })
    expect(kind).to.equal('SkillError')
  })

  it('puts inputs into one segment of the path, and only safe values into the phrase', async () => {
    const { requests } = await github.run(
      'get_member',
      { username: 'a/../b?c' },
      { replies: [{ status: 404 }] },
    )
    expect(requests[0]?.path).to.equal('/orgs/example/memberships/a%2F..%2Fb%3Fc')
    for (const input of [{ actor: 'kim action:*' }, { action: 'repo OR x' }, { repo: 'a b' }])
      expect((await github.failureOf('search_audit_log', input)).text).to.match(/must be/)
    const asked = await github.run(
      'search_audit_log',
      { actor: 'dependabot[bot]', repo: 'a' },
      { replies: [{ json: [] }] },
    )
    expect(new URL(asked.requests[0]!.url).searchParams.get('phrase')).to.equal(
      'actor:dependabot[bot] repo:example/a',
    )
  })

  it('asks after an interruption whether a write took effect', async () => {
    const key = { run: { id: 'run-1' } }
    const sent = await github.run(
      'create_issue',
      { title: 'a', body: 'b' },
      { ...key, replies: [{ json: { number: 1, html_url: 'https://x' } }] },
    )
    const body = (JSON.parse(sent.requests[0]!.body) as { body: string }).body
    const verify = async (issues: object[]) =>
      (
        await github.run(
          'create_issue',
          { title: 'a', body: 'b' },
          { ...key, purpose: 'verify', replies: [{ json: issues }] },
        )
      ).output
    const other = { number: 8, body: null, html_url: 'https://x/8' }
    expect(await verify([other, { number: 9, body, html_url: 'https://x/9' }])).to.deep.equal({
      number: 9,
      link: 'https://x/9',
    })
    expect(await verify([other])).to.equal(undefined)
    const member = async (reply: CannedReply) =>
      (await github.run('remove_member', { username: 'lee' }, { purpose: 'verify', replies: [reply] })).output
    expect(await member({ status: 404, json: {} })).to.deep.equal({ removed: true })
    expect(await member({ json: { state: 'active' } })).to.equal(undefined)
  })

  it('takes the page of a proxy for no success', async () => {
    for (const [skill, input] of [
      ['remove_member', { username: 'lee' }],
      ['block_user', { username: 'lee' }],
      ['delete_deploy_key', { repo: 'payments', id: 7 }],
    ] as const)
      expect(
        (await github.failureOf(skill, input, { replies: [{ text: '<html>Sign in</html>' }] })).code,
      ).to.equal('bad_response')
    const page = { text: '<html>Sign in</html>' }
    const block = async (replies: readonly CannedReply[]) =>
      (await github.failureOf('get_block', { username: 'lee' }, { replies })).code
    expect(await block([{ json: [] }, page])).to.equal('bad_response')
    expect(await block([page])).to.equal('refused')
  })

  it('takes a token without permission for no released user', async () => {
    const missing = { status: 404, json: { message: 'Not Found' } }
    const failure = await github.failureOf('get_block', { username: 'lee' }, { replies: [missing] })
    expect(failure.code).to.equal('refused')
  })

  it('leaves the outcome of a broken write open', async () => {
    const failure = await github.failureOf(
      'revoke_sso_credential',
      { id: 7 },
      { replies: [{ status: 502, text: 'Bad gateway' }] },
    )
    expect(failure).to.include({ kind: 'RetryableError', code: 'http_502' })
    expect(failure.effect).to.not.equal('none')
  })
})

describe('github webhooks', () => {
  const body = (value: object) => JSON.stringify(value)
  const sign = (text: string, key = settings.webhook_secret) =>
    `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
  const receive = (event: string, text: string, signature = sign(text)) =>
    github.receive('alerts', text, { headers: { 'x-github-event': event, 'x-hub-signature-256': signature } })

  it('verifies the signature of the vendor’s documentation', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(sign('Hello, World!')).to.equal(signature)
    // It is accepted, but the signed body is not an event.
    expect(() => receive('ping', 'Hello, World!', signature)).to.throw('neither JSON nor a form')
    expect(() => receive('ping', 'Hello, World?', signature)).to.throw('signature')
  })

  it('makes an alert of a new secret', () => {
    const text = body({ action: 'created', alert: { number: 42 }, repository: { name: 'payments' } })
    const [alert] = receive('secret_scanning_alert', text).alerts ?? []
    expect(alert).to.include({ provider: 'github', type: 'github_secret_scanning_alert', content: text })
    expect(receive('secret_scanning_alert', text).alerts?.[0]?.dedupeKey).to.equal(alert?.dedupeKey)
  })

  it('answers events that it ignores', () => {
    for (const [event, action] of [
      ['ping', undefined],
      ['secret_scanning_alert', 'resolved'],
      ['code_scanning_alert', 'fixed'],
      ['star', 'created'],
      ['organization', 'renamed'],
    ] as const)
      expect(receive(event, body({ action })).alerts ?? [], event).to.deep.equal([])
  })

  it('refuses a wrong, a missing and an SHA-1 signature, and everything without a secret', async () => {
    const text = body({ action: 'created' })
    for (const signature of ['', 'sha256=', sign(text, 'another'), sign(`${text} `), sign(text).slice(7)])
      expect(() => receive('secret_scanning_alert', text, signature), signature).to.throw()
    const sha1 = `sha1=${createHmac('sha1', settings.webhook_secret).update(text).digest('hex')}`
    expect(() => github.receive('alerts', text, { headers: { 'x-hub-signature': sha1 } })).to.throw()
    const { webhook_secret: _, ...open } = settings
    const unset = await openDeclaredPlugin(import.meta.dirname, open)
    const headers = { 'x-github-event': 'ping', 'x-hub-signature-256': sign(text, '') }
    expect(() => unset.receive('alerts', text, { headers })).to.throw()
  })
})
