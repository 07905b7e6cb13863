import { expect } from 'chai'
import { ConnectionError, RetryableError, SkillError, defineSkill, valueAt } from 'tocsin/plugin'
import { runSkill, type CannedReply } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import { rate } from './rate.ts'
import { messagingFixture } from './sandbox/fixture.ts'
import { callWebApi } from './web-api.ts'

const settings = {
  webhook_url: 'https://hooks.slack.com/services/T000/B000/xyzxyzxyz',
  channel_name: '#security-alerts',
  bot_token: 'xoxb-1234567890-canary',
  signing_secret: '8f742231b10e8888abcd99yyyzzz85a5',
}

const probe = defineSkill({
  name: 'probe',
  title: 'Probe',
  description: 'Calls two methods.',
  effect: 'read',
  connection,
  input: { type: 'object' },
  output: { type: 'object' },
  examples: [],
  async run(_, { http }) {
    await callWebApi(http, 'users.lookupByEmail', { email: 'a+b&c@example.com' })
    return { posted: await callWebApi(http, 'chat.postMessage', { channel: 'D1', text: 'hello' }) }
  },
})

const call = (replies: readonly CannedReply[]) => runSkill(probe, {}, { settings, replies })
const failure = async (reply: CannedReply): Promise<unknown> =>
  call([{ json: { ok: true } }, reply]).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a Web API call', () => {
  it('sends the token, and arguments in the query for reads or as JSON with charset for writes', async () => {
    const { requests } = await call([{ json: { ok: true } }, { json: { ok: true, ts: '1.2' } }])
    const [read, write] = requests
    expect(read).to.include({
      method: 'GET',
      url: 'https://slack.com/api/users.lookupByEmail?email=a%2Bb%26c%40example.com',
      body: '',
    })
    expect(write).to.include({ method: 'POST', url: 'https://slack.com/api/chat.postMessage' })
    expect(write?.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      authorization: 'Bearer xoxb-1234567890-canary',
    })
    expect(JSON.parse(write?.body ?? '')).to.deep.equal({ channel: 'D1', text: 'hello' })
  })

  it('ignores unknown warnings and fields', async () => {
    const { output } = await call([
      { json: { ok: true, warning: 'missing_charset', response_metadata: {} } },
      { json: { ok: true, ts: '1.2', brand_new: [] } },
    ])
    expect(output['posted']).to.include({ ts: '1.2' })
  })

  describe('that answers ok: false fails with', () => {
    for (const [word, kind] of [
      ['invalid_auth', ConnectionError],
      ['not_authed', ConnectionError],
      ['account_inactive', ConnectionError],
      ['token_revoked', ConnectionError],
      ['token_expired', ConnectionError],
      ['missing_scope', ConnectionError],
      ['internal_error', RetryableError],
      ['fatal_error', RetryableError],
      ['service_unavailable', RetryableError],
      ['request_timeout', RetryableError],
      ['channel_not_found', SkillError],
      ['users_not_found', SkillError],
      ['a_word_nobody_knows', SkillError],
    ] as const) {
      it(`${kind.name}: ${word}`, async () => {
        const error = await failure({ json: { ok: false, error: word } })
        expect(error).to.be.instanceOf(kind).with.property('code', `messaging_${word}`)
        expect(valueAt(error, 'message')).to.equal(`chat.postMessage answered ${word}`)
      })
    }

    it('a hint for the operator', async () => {
      for (const word of ['invalid_auth', 'token_revoked', 'account_inactive']) {
        const error = await failure({ json: { ok: false, error: word } })
        expect(valueAt(error, 'hint')).to.match(
          /Copy the Bot User OAuth Token .* and enter it in the connection\.$/,
        )
      }
    })

    it('the missing scope for the operator', async () => {
      const error = await failure({ json: messagingFixture('error-missing-scope') })
      expect(valueAt(error, 'message')).to.equal(
        'chat.postMessage answered missing_scope (needed: chat:write)',
      )
      expect(valueAt(error, 'hint')).to.match(/^Add the scope/)
    })

    for (const name of ['invalid-auth', 'channel-not-found', 'users-not-found']) {
      it(`the code in the recorded error-${name}`, async () => {
        const error = await failure({ json: messagingFixture(`error-${name}`) })
        expect(valueAt(error, 'hint')).to.be.a('string')
      })
    }

    it('a general error if its code is not a word', async () => {
      const error = await failure({ json: { ok: false, error: '<b>oh & no</b>' } })
      expect(error).to.include({
        code: 'messaging_unknown_error',
        message: 'chat.postMessage answered unknown_error',
      })
    })

    it("the vendor's message about an argument for the author", async () => {
      const messages = ['[ERROR] no more than 50 items allowed [json-pointer:/blocks]']
      const error = await failure({
        json: { ok: false, error: 'invalid_blocks', response_metadata: { messages } },
      })
      expect(valueAt(error, 'message')).to.match(
        /^chat\.postMessage answered invalid_blocks: \[ERROR\] no more/,
      )
    })
  })

  describe('that exceeds the rate limit is retried after the requested pause', () => {
    it('for status 429', async () => {
      const reply = {
        status: 429,
        headers: { 'retry-after': '30' },
        json: messagingFixture('error-ratelimited-429'),
      }
      expect(await failure(reply))
        .to.be.instanceOf(RetryableError)
        .with.property('retryAfterMs', 30_000)
    })

    it('with a hint for a transient problem', async () => {
      expect(valueAt(await failure({ json: { ok: false, error: 'internal_error' } }), 'hint')).to.match(
        /temporary/,
      )
      expect(valueAt(await failure({ status: 503, text: '' }), 'hint')).to.match(/temporary/)
    })

    it('for status 200, as a call that took no effect', async () => {
      const reply = { headers: { 'retry-after': '7' }, json: { ok: false, error: 'ratelimited' } }
      const error = await failure(reply)
      expect(error).to.be.instanceOf(RetryableError).with.property('retryAfterMs', 7_000)
      expect(error).to.have.property('code', 'rate_limited')
    })

    it('or after a default pause if none is given', async () => {
      expect(await failure({ json: { ok: false, error: 'ratelimited' } })).to.have.property(
        'retryAfterMs',
        undefined,
      )
    })
  })

  for (const reply of [
    { text: '<!doctype html><title>Sign in</title>' },
    { text: '' },
    { json: [] },
    { json: { ok: 'true' } },
    { json: null },
  ]) {
    it(`detects a response of another system: ${JSON.stringify(reply)}`, async () => {
      const error = await failure(reply)
      expect(error).to.be.instanceOf(SkillError).with.property('code', 'bad_response')
      expect(valueAt(error, 'hint')).to.match(/check messaging_api_url/)
    })
  }

  it('has a rate limit per method, and one for the webhook that hides its URL', () => {
    expect(rate({ method: 'POST', path: '/chat.postMessage' })?.bucket).to.equal('chat.postMessage')
    expect(rate({ method: 'GET', path: '/users.lookupByEmail' })?.limits).to.deep.equal([
      { requests: 50, perMs: 60_000 },
    ])
    expect(rate({ method: 'POST', path: settings.webhook_url })).to.deep.equal({
      bucket: 'webhook',
      limits: [{ requests: 1, perMs: 1_000 }],
    })
    expect(rate({ method: 'GET', path: '/constructor' })).to.equal(undefined)
  })
})
