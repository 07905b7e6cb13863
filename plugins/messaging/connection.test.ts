import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, type CannedReply } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { type MessagingSandbox } from './sandbox.ts'
import { messagingFaults } from './sandbox/faults.ts'
import { messagingFixture } from './sandbox/fixture.ts'
import { inactiveToken, narrowToken, revokedBotToken } from './sandbox/tokens.ts'

const typed = {
  webhook_url: 'https://hooks.slack.com/services/T0000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  channel_name: '#security-alerts',
  bot_token: 'xoxb-1234567890-abcdef',
  signing_secret: '8f742231b10e8888abcd99yyyzzz85a5',
}
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error,
  )
const check = (settings: object, reply: CannedReply = { json: messagingFixture('auth-test-ok') }) =>
  errorOf(checkConnection(connection, { settings: { ...typed, ...settings }, replies: [reply] }))

describe('the connection of messaging', () => {
  describe('setting validation', () => {
    for (const settings of [
      {},
      { channel_name: 'alerts' },
      {
        messaging_api_url: 'https://slack-gov.com/api',
        webhook_url: 'https://hooks.slack-gov.com/services/T1/B1/x',
      },
      {
        messaging_api_url: 'https://chat.example.com/api',
        webhook_url: 'https://chat.example.com/hooks/abc',
      },
      { messaging_api_url: 'http://127.0.0.1:4000/api', webhook_url: 'http://127.0.0.1:4000/services/T/B/x' },
    ]) {
      it(`accepts ${JSON.stringify(settings)}`, async () => {
        expect(await check(settings)).to.have.property('code', 'none')
      })
    }

    for (const [settings, code] of [
      [{ webhook_url: 'http://hooks.slack.com/services/T/B/x' }, 'value_invalid'],
      [{ webhook_url: 'https://hooks.slack.com' }, 'value_invalid'],
      [{ webhook_url: 'https://hooks.slack.com/services/T/B/x\n' }, 'value_invalid'],
      [{ webhook_url: 'https://user:pass@hooks.slack.com/services/T/B/x' }, 'value_invalid'],
      [{ webhook_url: 'https://hooks.slack.com/services/T/B' }, 'webhook_url_wrong'],
      [{ webhook_url: 'https://hooks.slack.com/workflows/T/B/x' }, 'webhook_url_wrong'],
      [{ webhook_url: 'https://hooks.slack.com.evil.example/services/T/B/x' }, 'webhook_url_wrong'],
      [{ webhook_url: 'https://example.slack.com/archives/C1/p1' }, 'webhook_url_wrong'],
      [{ bot_token: 'xoxp-1234567890-abcdef' }, 'value_invalid'],
      [{ bot_token: 'xoxb-' }, 'value_invalid'],
      [{ bot_token: 'xoxb-1234567890-abc def' }, 'value_invalid'],
      [{ bot_token: 'xoxb-1234567890-abcdef\r\nx: y' }, 'value_invalid'],
      [{ signing_secret: 'short' }, 'value_invalid'],
      [{ signing_secret: '' }, 'value_invalid'],
      [{ messaging_api_url: 'https://slack.com/api/' }, 'value_invalid'],
      [{ messaging_api_url: 'http://slack.com/api' }, 'value_invalid'],
      [{ messaging_api_url: 'https://slack.com@evil.example/api' }, 'value_invalid'],
      [{ channel_name: '' }, 'value_invalid'],
    ] as const) {
      it(`refuses ${JSON.stringify(settings)}: ${code}`, async () => {
        const error = await check(settings)
        expect(error).to.have.property('code', code)
        const [secret = ''] = Object.values<string>(settings)
        if (secret.length > 5 && !('messaging_api_url' in settings))
          expect(String(error)).not.to.include(secret)
      })
    }
  })

  it('describes the problem with a setting in words', async () => {
    const error = await check({ bot_token: 'xoxp-1', messaging_api_url: 'https://slack.com/api/' })
    expect(valueAt(error, 'errors')).to.deep.equal([
      {
        pointer: '/bot_token',
        message:
          "must begin with xoxb-, followed by at least 10 letters, digits and '-', without spaces and line breaks",
      },
      {
        pointer: '/messaging_api_url',
        message:
          'must begin with https:// (http:// only for a sandbox on loopback), without credentials, query, fragment, `;`, %25, %2e, %2f, %3b, %5c and slash at the end',
      },
    ])
  })

  it('can be created before the app exists and then lists what is missing', async () => {
    const work = checkConnection(connection, { settings: { channel_name: '#security-alerts' } })
    const error = await errorOf(work)
    expect(error).to.include({
      code: 'connection_incomplete',
      message: 'the connection lacks webhook_url, bot_token, signing_secret',
    })
    expect(valueAt(error, 'hint')).to.match(/create the app from the manifest of the connection/)
  })

  for (const names of [
    ['webhook_url'],
    ['webhook_url', 'bot_token'],
    ['bot_token', 'signing_secret'],
  ] as const) {
    it(`is usable with only ${names.join(' and ')}, and warns about missing features`, async () => {
      const settings = Object.fromEntries(
        ['channel_name' as const, ...names].map((name) => [name, typed[name]]),
      )
      const replies = [{ json: messagingFixture('auth-test-ok') }]
      const { warning, requests } = await checkConnection(connection, { settings, replies })
      expect(requests).to.have.length((names as readonly string[]).includes('bot_token') ? 1 : 0)
      expect(warning).to.match(
        names[0] === 'webhook_url'
          ? /Questions are unavailable/
          : /Messages are unavailable: set webhook_url/,
      )
    })
  }

  it('is invalid with half of the settings for questions', async () => {
    const { channel_name, bot_token } = typed
    const error = await errorOf(checkConnection(connection, { settings: { channel_name, bot_token } }))
    expect(error).to.include({
      code: 'connection_incomplete',
      message: 'the connection lacks webhook_url, signing_secret',
    })
  })

  it('is tested by one call of auth.test', async () => {
    const { requests } = await checkConnection(connection, {
      settings: typed,
      replies: [{ json: messagingFixture('auth-test-ok') }],
    })
    expect(requests).to.have.length(1)
    expect(requests[0]).to.include({ method: 'POST', url: 'https://slack.com/api/auth.test' })
    expect(requests[0]?.headers).to.include({ authorization: `Bearer ${typed.bot_token}` })
  })

  it('shows the workspace and bot of the token', async () => {
    const said = {
      ok: true,
      url: 'https://acme.slack.com/',
      team: 'Acme\nCorp',
      user: 'tocsin',
      team_id: 'T1',
      user_id: 'U2',
    }
    const accountOf = async (json: object, settings: Readonly<Record<string, unknown>> = typed) =>
      (await checkConnection(connection, { settings, replies: [{ json }] })).account
    expect(await accountOf(said)).to.equal(
      'workspace Acme Corp (T1) at https://acme.slack.com/, bot tocsin (U2)',
    )
    expect(await accountOf({ ok: true, user_id: 'U2' })).to.equal('workspace without a name, bot (U2)')
    const { webhook_url: _webhook, ...asks } = typed
    expect(await accountOf(said, asks), 'beside a warning').to.include('Acme Corp')
    const { channel_name, webhook_url } = typed
    expect(await accountOf({}, { channel_name, webhook_url })).to.equal(undefined)
  })

  it('refuses a token without identity', async () => {
    const error = await check({}, { json: { ok: true, team: 'T' } })
    expect(error).to.include({ code: 'bad_response', message: 'the response to auth.test lacks user_id' })
  })

  it('lists the scopes that the token lacks', async () => {
    const headers = { 'x-oauth-scopes': 'incoming-webhook, chat:write,users:read' }
    const error = await check({}, { headers, json: messagingFixture('auth-test-ok') })
    expect(error).to.have.property('code', 'messaging_missing_scope')
    expect(error).to.have.property('message', 'the bot token lacks users:read.email, im:write, im:history')
    expect(valueAt(error, 'hint')).to.match(/install it again and enter the new token/)
  })

  describe('in the sandbox', () => {
    let running: MessagingSandbox
    beforeEach(async () => {
      running = await sandbox.start()
    })
    afterEach(() => running.close())

    const authenticate = (settings: object = {}) =>
      errorOf(
        checkConnection(connection, {
          settings: { ...running.settings, ...settings },
          egress: loopbackEgress,
        }),
      )

    it('passes its test', async () => {
      expect(await authenticate()).to.have.property('code', 'none')
    })

    for (const [settings, code, hint] of [
      [{ bot_token: 'xoxb-0000000000-wrong' }, 'messaging_invalid_auth', /bot token is wrong/],
      [{ bot_token: revokedBotToken }, 'messaging_token_revoked', /was revoked\. Install the app again/],
      [{ bot_token: inactiveToken }, 'messaging_account_inactive', /Install the app again/],
      [{ bot_token: narrowToken }, 'messaging_missing_scope', /add the scopes/],
    ] as const) {
      it(`says what is wrong and how to fix it: ${code}`, async () => {
        const error = await authenticate(settings)
        expect(error).to.have.property('code', code)
        expect(valueAt(error, 'hint')).to.match(hint)
        expect(JSON.stringify([String(error), error])).not.to.include(settings.bot_token)
      })
    }

    it('detects a page that answers instead of the API', async () => {
      running.failNext(messagingFaults.signInPage)
      expect(await authenticate()).to.have.property('code', 'bad_response')
    })
  })
})
