import { expect } from 'chai'
import { ConnectionError, RetryableError, SkillError, valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import sandbox, { type MessagingSandbox } from '../sandbox.ts'
import { messagingFaults } from '../sandbox/faults.ts'
import { showPost } from '../sandbox/messages/show-message.ts'
import { sendMessage } from './send-message.ts'

describe('messaging.send_message', () => {
  let running: MessagingSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const send = async (text: string, settings: object = {}) =>
    (
      await runSkill(
        sendMessage,
        { text },
        { settings: { ...running.settings, ...settings }, egress: loopbackEgress },
      )
    ).output
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    )

  it('posts the text to the webhook, without the token of the bot', async () => {
    expect(await send('All is well.')).to.deep.equal({ channel: '#security-alerts', truncated: false })
    expect(running.controls.workspace.posts).to.deep.equal([
      { text: 'All is well.', mrkdwn: false, unfurl_links: false, unfurl_media: false },
    ])
    expect(running.requests[0]?.headers).not.to.have.property('authorization')
  })

  it('posts alert content as plain text', async () => {
    await send('<!channel> @here <https://evil.example|your bank> & co')
    expect(running.controls.workspace.posts[0]?.text).to.equal(
      '&lt;!channel&gt; @\u2060here &lt;https://evil.example|your bank&gt; &amp; co',
    )
  })

  it('shows markup literally', async () => {
    await send('*b* `c` _i_ ~s~\n> <b> & co')
    expect(running.controls.workspace.posts.map(showPost)).to.deep.equal([
      'channel: *b* `c` _i_ ~s~\n  > <b> & co',
    ])
  })

  for (const text of ['invalid', '', '{"success":true}', 'ok then']) {
    it(`accepts only the vendor's success response, not '${text}'`, async () => {
      running.failNext({ text })
      expect(await failure(send('hello'))).to.have.property('code', 'bad_response')
    })
  }

  it('has a hint for vendor outages', async () => {
    running.failNext(messagingFaults.webhookTrouble)
    expect(valueAt(await failure(send('x')), 'hint')).to.match(/usually a temporary one/)
  })

  it('truncates a long text with a note', async () => {
    expect(await send('x'.repeat(5_000))).to.have.property('truncated', true)
    expect(running.controls.workspace.posts[0]?.text).to.have.length(4_000)
  })

  for (const [fault, kind, code, word] of [
    ['postingProhibited', ConnectionError, 'http_403', /403: action_prohibited/],
    ['webhookRemoved', ConnectionError, 'http_404', /404: no_service/],
    ['channelArchived', ConnectionError, 'http_410', /410: channel_is_archived/],
    ['webhookTrouble', RetryableError, 'http_500', /500/],
    ['rateLimited', RetryableError, 'http_429', /429/],
    ['signInPage', SkillError, 'bad_response', /HTML page/],
    ['notTheWebhook', SkillError, 'bad_response', /is not 'ok'/],
  ] as const) {
    it(`fails on the webhook error ${fault}`, async () => {
      running.failNext(messagingFaults[fault])
      const error = await failure(send('hello'))
      expect(error).to.be.instanceOf(kind).with.property('code', code)
      expect(valueAt(error, 'message')).to.match(word)
      expect(running.controls.workspace.posts).to.deep.equal([])
    })
  }

  it('shows the error of the webhook only if it is a word', async () => {
    running.failNext({ status: 400, text: 'invalid_payload' })
    expect(await failure(send('x'))).to.have.property('message', 'the webhook answered 400: invalid_payload')
    running.failNext({ status: 400, text: '<html>A long page' })
    expect(await failure(send('x'))).to.have.property('message', 'the webhook answered 400: no reason')
  })

  it('never shows the webhook URL', async () => {
    const secret = 'wrong-secret-canary'
    const webhook_url = `${running.url}/services/T0SANDBOX/B0WEBHOOK/${secret}`
    for (const fault of [
      messagingFaults.webhookRemoved,
      messagingFaults.webhookTrouble,
      { status: 418, text: webhook_url },
    ]) {
      running.failNext(fault)
      const error = await failure(send('x', { webhook_url }))
      expect(error).to.be.instanceOf(Error)
      expect(JSON.stringify([String(error), error])).not.to.include(secret)
    }
  })

  it('requires a webhook', async () => {
    const { webhook_url: _, ...settings } = running.settings
    const error = await failure(runSkill(sendMessage, { text: 'x' }, { settings, egress: loopbackEgress }))
    expect(error)
      .to.be.instanceOf(ConnectionError)
      .with.property('message', 'the connection lacks webhook_url')
  })

  it('is not repeated automatically after an unknown outcome', () => {
    expect(sendMessage).to.include({ effect: 'write', repeat: 'never' })
  })
})
