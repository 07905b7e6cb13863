import { expect } from 'chai'
import { isObject, valueAt } from 'tocsin/plugin'
import { messagingFixture } from '../sandbox/fixture.ts'
import { signed, signingSettings } from '../sandbox/messages/signed-request.ts'
import { readEvent } from './events.ts'

const read = (payload: unknown) => readEvent(signed(JSON.stringify(payload)), signingSettings)

const directMessage = messagingFixture('event-message-im')
/** The recorded direct message with other fields in its event. */
const messageWith = (changes: object) => ({
  ...(directMessage as object),
  event: { ...(valueAt(directMessage, 'event') as object), ...changes },
})

describe('an event of the messaging system', () => {
  it('that verifies the address is answered with its challenge', () => {
    const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
    expect(read(messagingFixture('event-url-verification'))).to.deep.equal({ reply: { json: { challenge } } })
  })

  it('is read only with a good signature, the verification too', () => {
    const request = signed(JSON.stringify(messagingFixture('event-url-verification')))
    const foreign = {
      ...request,
      headers: { ...request.headers, 'x-slack-signature': `v0=${'0'.repeat(64)}` },
    }
    expect(() => readEvent(foreign, signingSettings)).to.throw('signature of the request is invalid')
  })

  it('that is a direct message is an answer of who wrote it, in that conversation', () => {
    expect(read(directMessage)).to.deep.equal({
      dedupeKey: 'event Ev0PV52K21',
      dedupeMs: 7_200_000,
      answers: [{ by: 'U2147483697', text: 'Yes, that login was me', message: { channel: 'D024BE91L' } }],
    })
  })

  it('that is a reply in a thread belongs to the message above', () => {
    const [answer] = read(messageWith({ thread_ts: '1355517500.000001' })).answers ?? []
    expect(answer?.message).to.deep.equal({ channel: 'D024BE91L', ts: '1355517500.000001' })
  })

  for (const subtype of ['file_share', 'thread_broadcast']) {
    it(`with the subtype ${subtype} is a person writing`, () => {
      expect(read(messageWith({ subtype })).answers).to.have.length(1)
    })
  }

  it('has texts as they were written', () => {
    expect(read(messageWith({ text: 'mine &amp; yours &lt;3' })).answers?.[0]?.text).to.equal(
      'mine & yours <3',
    )
  })

  it('is known by its id when it comes again', () => {
    expect(read(messageWith({})).dedupeKey).to.equal(read(messageWith({ text: 'changed' })).dedupeKey)
  })

  describe('is nobody’s answer', () => {
    for (const [what, changes] of [
      ['from a bot', { bot_id: 'B123' }],
      ['from our own user', { user: 'U0BOTUSER1' }],
      ['in a channel', { channel_type: 'channel' }],
      ['hidden', { hidden: true }],
      ['without a text', { text: '' }],
      ['without a writer', { user: undefined }],
      ['without a channel', { channel: undefined }],
      ['of texts that are none', { text: { constructor: 1 }, user: ['U1'] }],
      ['changed', { subtype: 'message_changed' }],
      ['deleted', { subtype: 'message_deleted' }],
      ['of a bot of old', { subtype: 'bot_message' }],
      ['a mere notice', { subtype: 'channel_topic' }],
    ] as const) {
      it(`where the message is ${what}`, () => {
        expect(read(messageWith(changes))).to.deep.equal({
          dedupeKey: 'event Ev0PV52K21',
          dedupeMs: 7_200_000,
        })
      })
    }

    for (const name of [
      'inner-event-bot-message',
      'inner-event-message-changed',
      'inner-event-message-deleted',
    ]) {
      it(`in the recorded ${name}, were it in a direct conversation`, () => {
        const event = { ...(messagingFixture(name) as object), channel_type: 'im' }
        expect(read({ ...(directMessage as object), event })).not.to.have.property('answers')
      })
    }

    for (const name of [
      'event-message-channel',
      'event-message-shared-channel',
      'event-message-slack-connect',
    ]) {
      it(`in the recorded ${name}`, () => {
        expect(read(messagingFixture(name))).not.to.have.property('answers')
      })
    }
  })

  it('that tells of an end breaks the connection', () => {
    expect(read(messagingFixture('event-app-uninstalled')).broken).to.match(
      /removed from the workspace: install it again/,
    )
    expect(read(messagingFixture('event-bot-token-revoked')).broken).to.match(/bot token was revoked/)
  })

  it('that tells of a person’s token does not', () => {
    const event = { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } }
    expect(read({ ...(directMessage as object), event })).not.to.have.property('broken')
  })

  it('that tells of too many events is a warning', () => {
    expect(read(messagingFixture('event-app-rate-limited')).warning).to.match(/dropped events/)
  })

  for (const payload of [
    { type: 'something_new' },
    {},
    { ...(directMessage as object), event: { type: 'app_home_opened' } },
    { ...(directMessage as object), event: null },
    { ...(directMessage as object), event: [] },
  ]) {
    it(`of another kind means nothing: ${JSON.stringify(payload).slice(0, 60)}`, () => {
      const result = read(payload)
      expect(isObject(result)).to.equal(true)
      expect(Object.keys(result).filter((key) => !key.startsWith('dedupe'))).to.deep.equal([])
    })
  }

  for (const text of [
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '<html>',
    '{"type":"event_callback"}',
    '{"type":"url_verification"}',
  ]) {
    it(`that cannot be read is refused: ${text}`, () => {
      expect(() => readEvent(signed(text), signingSettings))
        .to.throw()
        .with.property('code', 'bad_request')
    })
  }
})
