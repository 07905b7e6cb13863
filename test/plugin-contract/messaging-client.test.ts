import { createHmac } from 'node:crypto'
import { LogLevel, WebClient, type WebClientOptions } from '@slack/web-api'
import { expect } from 'chai'
import { loopbackEgress, runSkill, webhookRequest } from '../../core/plugin/testing/index.ts'
import { Secret } from '../../core/plugin/index.ts'
import { connection } from '../../plugins/messaging/connection.ts'
import sandbox, { type MessagingSandbox } from '../../plugins/messaging/sandbox.ts'
import {
  botToken,
  inactiveToken,
  narrowToken,
  revokedBotToken,
} from '../../plugins/messaging/sandbox/tokens.ts'
import { checkpoint } from '../../plugins/messaging/skills/checkpoint.ts'

/** The vendor's own client checks whether the sandbox behaves like the vendor. */
describe('the vendor’s client against the messaging sandbox', () => {
  let running: MessagingSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const clientOf = (token = botToken, options: WebClientOptions = {}) =>
    new WebClient(token, {
      slackApiUrl: `${String(running.settings['messaging_api_url'])}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logger: silent,
      ...options,
    })
  const failure = (work: Promise<unknown>): Promise<any> =>
    work.then(
      () => expect.fail('it should have been refused'),
      (error: unknown) => error,
    )
  const open = async (client: WebClient, email = 'ana.silva@example.com') => {
    const { user } = await client.users.lookupByEmail({ email })
    const { channel } = await client.conversations.open({ users: user!.id! })
    return channel!.id!
  }
  const row = {
    type: 'actions',
    block_id: 'row',
    elements: [
      { type: 'button', action_id: 'a', value: 'v', text: { type: 'plain_text', text: 'Go & <see>' } },
    ],
  }

  it('asks a person: looks up, opens, posts blocks, updates them, reads', async () => {
    const client = clientOf()
    expect(await client.auth.test()).to.include({ ok: true, user_id: 'U0TOCSINBOT', bot_id: 'B0TOCSIN' })
    const channel = await open(client)
    const posted = await client.chat.postMessage({ channel, text: 'Was this you?', blocks: [row] })
    expect(posted.message?.bot_id).to.equal('B0TOCSIN')
    expect(running.controls.workspace.messages[0]?.blocks).to.deep.equal([row])
    const named = { channel: posted.channel!, ts: posted.ts! }
    await client.chat.update({ ...named, text: 'Done', blocks: [] })
    const { messages } = await client.conversations.history({ channel })
    expect(messages).to.have.length(1)
    expect(messages?.[0]).to.deep.include({ text: 'Done', blocks: [], ts: named.ts })
  })

  it('reads the question of the skill unchanged', async () => {
    const input = {
      user: 'ana.silva@example.com',
      message: 'Sign-in from <Lisbon>. Was this you?',
      labels: { mine: 'Yes' },
      checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
      answers: ['mine', 'not_mine'],
    }
    const { settings } = running
    const { output } = await runSkill(checkpoint, input, { settings, egress: loopbackEgress })
    const { messages } = await clientOf().conversations.history({ channel: output.channel })
    const [asked] = messages ?? []
    expect(asked).to.include({ ts: output.ts, type: 'message', user: 'U0TOCSINBOT' })
    const [, actions] = asked?.blocks ?? []
    const texts = (actions as { elements: { text: { text: string } }[] }).elements.map(
      ({ text }) => text.text,
    )
    expect(texts).to.deep.equal(['Yes', 'not_mine'])
  })

  it('reads a long conversation in pages, newest first', async () => {
    const client = clientOf()
    const channel = await open(client)
    for (let count = 1; count <= 5; count++) await client.chat.postMessage({ channel, text: `${count}` })
    const pages: (readonly (string | undefined)[])[] = []
    for await (const page of client.paginate('conversations.history', { channel, limit: 2 })) {
      const { messages = [] } = page as { messages?: { text?: string }[] }
      pages.push(messages.map(({ text }) => text))
    }
    expect(pages).to.deep.equal([['5', '4'], ['3', '2'], ['1']])
    const foreign = client.conversations.history({ channel, cursor: 'elsewhere' })
    expect((await failure(foreign)).data).to.include({ error: 'invalid_cursor' })
  })

  it('lists granted and missing scopes of the token', async () => {
    const { response_metadata } = await clientOf().auth.test()
    expect(response_metadata?.scopes).to.include('im:write')
    const error = await failure(clientOf(narrowToken).conversations.open({ users: 'U0ANASILVA' }))
    expect(error.code).to.equal('slack_webapi_platform_error')
    expect(error.data).to.include({ error: 'missing_scope', needed: 'im:write' })
  })

  for (const [token, word] of [
    ['xoxb-wrong', 'invalid_auth'],
    [revokedBotToken, 'token_revoked'],
    [inactiveToken, 'account_inactive'],
  ] as const) {
    it(`recognizes a refused token: ${word}`, async () => {
      const error = await failure(clientOf(token).auth.test())
      expect(error).to.include({ code: 'slack_webapi_platform_error' })
      expect(error.data).to.include({ ok: false, error: word })
    })
  }

  it('recognizes other errors with details about the arguments', async () => {
    const client = clientOf()
    for (const email of ['nobody@example.com', 'dora.left@example.com'])
      expect((await failure(client.users.lookupByEmail({ email }))).data).to.include({
        error: 'users_not_found',
      })
    const place = { channel: 'C0NOWHERE', text: 'x' }
    expect((await failure(client.chat.postMessage(place))).data.error).to.equal('channel_not_found')
    const channel = await open(client)
    const update = client.chat.update({ channel, ts: '1.000001', text: 'x' })
    expect((await failure(update)).data.error).to.equal('message_not_found')
    const wrong = { channel, text: 'x', blocks: [{ ...row, elements: [] }] }
    const { data } = await failure(client.chat.postMessage(wrong))
    expect(data).to.include({ error: 'invalid_blocks' })
    expect(data.response_metadata.messages[0]).to.include('json-pointer:/blocks/0/elements')
  })

  it('is rate-limited when it calls too often', async () => {
    const client = clientOf()
    const lookUp = () => client.users.lookupByEmail({ email: 'ana.silva@example.com' })
    for (let count = 0; count < 50; count++) await lookUp()
    const error = await failure(lookUp())
    expect(error.code).to.equal('slack_webapi_rate_limited_error')
    expect(error.retryAfter).to.be.within(1, 60)
    expect((await client.auth.test()).ok, 'another method').to.equal(true)
  })

  it('waits for the requested pause and retries', async () => {
    running.failNext({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { ok: false, error: 'ratelimited' },
    })
    const client = clientOf(botToken, { retryConfig: { retries: 1 }, rejectRateLimitedCalls: false })
    expect((await client.auth.test()).ok).to.equal(true)
    expect(running.requests).to.have.length(2)
  })
})

/**
 * As described in https://docs.slack.dev/authentication/verifying-requests-from-slack, implemented
 * independently of the plugin and its sandbox.
 */
describe('requests signed according to the vendor’s documentation', () => {
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  const published = {
    timestamp: '1531420618',
    signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    body:
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&' +
      'user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2F' +
      'commands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  }
  const sign = (timestamp: string, body: string) =>
    `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
  const event = JSON.stringify({ type: 'url_verification', challenge: 'c1' })
  const click = `payload=${encodeURIComponent('{"type":"block_actions","user":{"id":"U1"},"actions":[]}')}`

  const send = (
    route: 'events' | 'interactions',
    body: string,
    signature: string,
    timestamp = '1531420618',
  ) =>
    connection.inbound![route]!(
      webhookRequest(body, {
        headers: { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature },
        nowMs: 1_531_420_618_000,
      }),
      { channel_name: '#x', signing_secret: new Secret(secret) },
    )

  it('match its published example', () => {
    expect(sign(published.timestamp, published.body)).to.equal(published.signature)
    expect(() => send('interactions', published.body, published.signature)).not.to.throw(/sign/)
  })

  for (const [route, body] of [
    ['events', event],
    ['interactions', click],
  ] as const) {
    const at = '1531420618'
    it(`pass on the route ${route}, and fail if altered`, () => {
      const result = send(route, body, sign(at, body))
      if (route === 'events') expect(JSON.stringify(result.reply)).to.include('c1')
      const altered = [
        [body.replace('type', 'typo'), sign(at, body), at],
        [`${body} `, sign(at, body), at],
        [body, sign(at, `${body} `), at],
        [body, sign(at, body).replace('v0=', 'v1='), at],
        [body, sign(at, body).slice(0, -1), at],
        [body, '', at],
        [body, sign(at, body), '1531420619'],
        [body, sign('1531420317', body), '1531420317'],
      ] as const
      for (const [text, signature, timestamp] of altered)
        expect(() => send(route, text, signature, timestamp))
          .to.throw()
          .with.property('code')
          .that.matches(/^signature_/)
    })
  }
})

const ignore = () => undefined
const silent: NonNullable<WebClientOptions['logger']> = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  getLevel: () => LogLevel.ERROR,
  setName: ignore,
}
