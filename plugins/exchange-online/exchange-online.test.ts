import { expect } from 'chai'
import { openDeclaredPlugin, type CannedReply, type FailureSeen } from 'tocsin/plugin/testing'

const settings = {
  tenant_id: 'example.com',
  client_id: '00000000-0000-4000-8000-000000000001',
  client_secret: 'a-client-secret',
  test_mailbox: 'soc@example.com',
}
const exchange = await openDeclaredPlugin(import.meta.dirname, settings)

const mailbox = 'kim@example.com'
const id = 'AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0=/+'
const refused = (status: number, code: string, message = 'no') => ({
  status,
  json: { error: { code, message } },
})
const list = (value: unknown, more: object = {}): CannedReply => ({ json: { value, ...more } })
const filterOf = (url = '') => new URL(url).searchParams.get('$filter')
const bySender = { mailbox, by: 'sender', value: 'x@example.com' } as const

describe('exchange_online', () => {
  describe('reports errors with a hint for the operator', () => {
    const answers: readonly (readonly [string, CannedReply, Partial<FailureSeen>, RegExp])[] = [
      [
        'a mailbox that the app may not reach',
        refused(403, 'ErrorAccessDenied', 'Access to OData is disabled.'),
        { kind: 'ConnectionError' },
        /OData is disabled.*limited to some mailboxes.*an hour/,
      ],
      [
        'a mailbox on premises',
        refused(404, 'MailboxNotEnabledForRESTAPI'),
        { kind: 'SkillError', effect: 'none' },
        /on premises/,
      ],
      ['an unknown user', refused(404, 'ErrorInvalidUser'), { kind: 'SkillError' }, /no such mailbox/],
      [
        'a suspended mailbox with another status',
        refused(403, 'MailboxNotEnabledForRESTAPI'),
        { kind: 'SkillError' },
        /no licence/,
      ],
      [
        'too many requests at once',
        refused(429, 'ApplicationThrottled', 'over its MailboxConcurrency limit'),
        { kind: 'RetryableError' },
        /MailboxConcurrency limit; the app has used up/,
      ],
      ['a bad filter', refused(400, 'InefficientFilter'), { kind: 'SkillError' }, /\bno\b/],
      [
        'maintenance',
        { status: 503, text: '<html><title>Down for maintenance</title></html>' },
        { kind: 'RetryableError' },
        /Down for maintenance/,
      ],
      ['a sign-in page', { text: '<html>Sign in</html>' }, { code: 'bad_response' }, /JSON/],
    ]
    for (const [what, reply, seen, text] of answers)
      it(what, async () => {
        const failure = await exchange.failureOf('search_messages', bySender, { replies: [reply] })
        expect(failure).to.include(seen)
        expect(failure.text).to.match(text)
      })

    it('an expired secret', async () => {
      const reply = { status: 401, json: { error: 'invalid_client', error_codes: [7000222] } }
      expect((await exchange.checkFailureOf([reply])).text).to.match(/secret has expired/)
    })

    it('an ID that is cut', async () => {
      const replies = [refused(400, 'ErrorInvalidIdMalformed')]
      const failure = await exchange.failureOf('purge_message', { mailbox, id }, { replies })
      expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
      expect(failure.text).to.match(/search for it again/)
    })
  })

  it('reads the mailbox for tests, in the cloud of the tenant', async () => {
    const china = await openDeclaredPlugin(import.meta.dirname, { ...settings, cloud: 'china' })
    const token = { json: { access_token: 'fresh', expires_in: 3599 } }
    const { requests, account } = await china.check([token, { json: { totalItemCount: 7 } }])
    expect(requests.map(({ url }) => url)).to.deep.equal([
      'https://login.chinacloudapi.cn/example.com/oauth2/v2.0/token',
      'https://microsoftgraph.chinacloudapi.cn/v1.0/users/soc%40example.com/mailFolders/inbox?%24select=id%2CtotalItemCount',
    ])
    expect(account).to.equal('mailbox soc@example.com')
  })

  describe('search_messages', () => {
    const since = 'receivedDateTime ge 2026-10-21T12:00:00Z and '
    const hostile = "x' or 1 eq 1 or subject eq '"
    const filters = [
      ['sender', hostile, "from/emailAddress/address eq 'x'' or 1 eq 1 or subject eq '''"],
      ['subject', 'a&b=c', "contains(subject,'a&b=c')"],
      ['message_id', 'a@example.com', "internetMessageId eq '<a@example.com>'"],
      ['message_id', '<a@example.com>', "internetMessageId eq '<a@example.com>'"],
    ] as const
    for (const [by, value, filter] of filters)
      it(`escapes ${value} as ${by}`, async () => {
        const { requests } = await exchange.run(
          'search_messages',
          { mailbox, by, value },
          { replies: [list([])] },
        )
        expect(filterOf(requests[0]?.url)).to.equal(since + filter)
        expect(requests[0]?.headers).to.include({ prefer: 'IdType="ImmutableId"' })
      })

    it('stops at the limit, with short and empty pages, and keeps to the host', async () => {
      const page = (from: number, count: number, more: object = {}) =>
        list(
          Array.from({ length: count }, (_, at) => ({ id: `m${from + at}`, from: null })),
          more,
        )
      const next = {
        '@odata.nextLink': `https://graph.microsoft.com/v1.0/users/${mailbox}/messages?$skip=10`,
      }
      const replies = [
        page(0, 3, next),
        page(3, 0, { '@odata.nextLink': `${next['@odata.nextLink']}0` }),
        page(3, 9_997),
      ]
      const { output } = await exchange.run('search_messages', { ...bySender, limit: 1_000 }, { replies })
      expect(output['messages']).to.have.length(1_000)
      expect(output).to.include({ complete: false })
      const elsewhere = page(0, 3, { '@odata.nextLink': 'https://evil.example/v1.0/users' })
      const failure = await exchange.failureOf('search_messages', bySender, { replies: [elsewhere] })
      expect(failure.text).to.match(/evil\.example/)
    })

    it('takes no mailbox that leads elsewhere', async () => {
      for (const bad of ['me', '..', 'a@b/messages', 'a@b?$expand=x', ''])
        expect(await exchange.failureOf('search_messages', { ...bySender, mailbox: bad })).to.include({
          code: 'value_invalid',
        })
    })
  })

  it('reads messages and rules with nulls, missing and unknown fields', async () => {
    const bare = { id, from: null, sender: {}, toRecipients: null, body: null, odd: [1] }
    const { output } = await exchange.run('get_message', { mailbox, id }, { replies: [{ json: bare }] })
    expect(output).to.deep.equal({ found: true, id, to: [], cc: [], reply_to: [], text: '' })
    const rules = [
      { id: '1', actions: null },
      { id: '2', actions: { forwardTo: null, delete: null } },
    ]
    const read = await exchange.run('list_inbox_rules', { mailbox }, { replies: [list(rules)] })
    expect(read.output['rules']).to.deep.equal(
      ['1', '2'].map((one) => ({ id: one, forwards_to: [], deletes: false, marks_as_read: false })),
    )
  })

  it('encodes message ids', async () => {
    const { requests } = await exchange.run('purge_message', { mailbox, id }, { replies: [{ status: 204 }] })
    expect(requests[0]?.path).to.match(/\/messages\/AAkA[\w-]+%3D%2F%2B\/permanentDelete$/)
    for (const bad of ['../inbox', 'a b', '', '$value'])
      expect(await exchange.failureOf('purge_message', { mailbox, id: bad })).to.include({
        code: 'value_invalid',
      })
  })

  describe('after an interruption', () => {
    it('does not take an unknown mailbox for a purged message', async () => {
      const verify = async (reply: CannedReply) =>
        (await exchange.run('purge_message', { mailbox, id }, { purpose: 'verify', replies: [reply] })).output
      expect(await verify(refused(404, 'ErrorItemNotFound'))).to.deep.equal({ mailbox, id })
      expect(await verify({ json: { id } })).to.equal(undefined)
      expect(await verify(refused(404, 'ErrorInvalidUser'))).to.equal(undefined)
    })

    it('leaves a purge without an answer open', async () => {
      const replies = [{ status: 502 }]
      const failure = await exchange.failureOf('purge_message', { mailbox, id }, { replies })
      expect(failure)
        .to.include({ kind: 'RetryableError', code: 'http_502' })
        .and.not.to.include({ effect: 'none' })
    })
  })

  it('requests a removal for each recipient, and recognizes a repeated request', async () => {
    const input = {
      network_message_id: '6f1f2b0a-2c3d-4e5f-8a9b-0c1d2e3f4a5b',
      recipients: ['a@example.com', 'b@example.com'],
      comment: 'case 17',
    }
    const { output, requests } = await exchange.run('remediate_messages', input, {
      replies: [refused(409, 'Conflict', 'Duplicate remediation')],
    })
    expect(output).to.deep.equal({ accepted: false })
    expect((JSON.parse(requests[0]!.body) as Record<string, unknown>)['analyzedEmails']).to.deep.equal(
      input.recipients.map((recipientEmailAddress) => ({
        networkMessageId: input.network_message_id,
        recipientEmailAddress,
      })),
    )
  })
})
