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

describe('a messaging event', () => {
  it('answers a URL verification with its challenge', () => {
    const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
    expect(read(messagingFixture('event-url-verification'))).to.deep.equal({ reply: { json: { challenge } } })
  })

  it('requires a valid signature, even for the verification', () => {
    const request = signed(JSON.stringify(messagingFixture('event-url-verification')))
    const foreign = {
      ...request,
      headers: { ...request.headers, 'x-slack-signature': `v0=${'0'.repeat(64)}` },
    }
    expect(() => readEvent(foreign, signingSettings)).to.throw('signature of the request is invalid')
  })

  it('is an answer of the writer in that conversation if it is a direct message', () => {
    expect(read(directMessage)).to.deep.equal({
      dedupeKey: 'event Ev0PV52K21',
      dedupeMs: 7_200_000,
      answers: [{ by: 'U2147483697', text: 'Yes, that login was me', message: { channel: 'D024BE91L' } }],
    })
  })

  it('belongs to the parent message if it is a thread reply', () => {
    const [answer] = read(messageWith({ thread_ts: '1355517500.000001' })).answers ?? []
    expect(answer?.message).to.deep.equal({ channel: 'D024BE91L', ts: '1355517500.000001' })
  })

  for (const subtype of ['file_share', 'thread_broadcast']) {
    it(`with the subtype ${subtype} is written by a person`, () => {
      expect(read(messageWith({ subtype })).answers).to.have.length(1)
    })
  }

  it('keeps the text as written', () => {
    expect(read(messageWith({ text: 'mine &amp; yours &lt;3' })).answers?.[0]?.text).to.equal(
      'mine & yours <3',
    )
  })

  it('is recognized by its id if delivered again', () => {
    expect(read(messageWith({})).dedupeKey).to.equal(read(messageWith({ text: 'changed' })).dedupeKey)
  })

  describe('is ignored', () => {
    for (const [what, changes] of [
      ['from a bot', { bot_id: 'B123' }],
      ['from our own user', { user: 'U0BOTUSER1' }],
      ['in a channel', { channel_type: 'channel' }],
      ['hidden', { hidden: true }],
      ['without a text', { text: '' }],
      ['without an author', { user: undefined }],
      ['without a channel', { channel: undefined }],
      ['of malformed fields', { text: { constructor: 1 }, user: ['U1'] }],
      ['changed', { subtype: 'message_changed' }],
      ['deleted', { subtype: 'message_deleted' }],
      ['of a legacy bot', { subtype: 'bot_message' }],
      ['a channel notice', { subtype: 'channel_topic' }],
    ] as const) {
      it(`if the message is ${what}`, () => {
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
      it(`like the recorded ${name} in a direct conversation`, () => {
        const event = { ...(messagingFixture(name) as object), channel_type: 'im' }
        expect(read({ ...(directMessage as object), event })).not.to.have.property('answers')
      })
    }

    for (const name of [
      'event-message-channel',
      'event-message-shared-channel',
      'event-message-slack-connect',
    ]) {
      it(`like the recorded ${name}`, () => {
        expect(read(messagingFixture(name))).not.to.have.property('answers')
      })
    }
  })

  it('marks the connection as broken if the app was removed', () => {
    expect(read(messagingFixture('event-app-uninstalled')).broken).to.match(
      /removed from the workspace: install it again/,
    )
    expect(read(messagingFixture('event-bot-token-revoked')).broken).to.match(/bot token was revoked/)
  })

  it('keeps the connection if only a user token was revoked', () => {
    const event = { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } }
    expect(read({ ...(directMessage as object), event })).not.to.have.property('broken')
  })

  it('is a warning if events are rate-limited', () => {
    expect(read(messagingFixture('event-app-rate-limited')).warning).to.match(/dropped events/)
  })

  for (const payload of [
    { type: 'something_new' },
    {},
    { ...(directMessage as object), event: { type: 'app_home_opened' } },
    { ...(directMessage as object), event: null },
    { ...(directMessage as object), event: [] },
  ]) {
    it(`of another kind is ignored: ${JSON.stringify(payload).slice(0, 60)}`, () => {
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
    it(`that is malformed is refused: ${text}`, () => {
      expect(() => readEvent(signed(text), signingSettings))
        .to.throw()
        .with.property('code', 'bad_request')
    })
  }
})
