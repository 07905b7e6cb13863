import { expect } from 'chai'
import { Secret, valueAt, type InboundRequest } from 'tocsin/plugin'
import { webhookRequest } from 'tocsin/plugin/testing'
import { messagingFixture } from '../sandbox/fixture.ts'
import { nowMs, signed, signingSettings } from '../sandbox/messages/signed-request.ts'
import { verifySignature, type SigningSettings } from './signature.ts'

interface Vector {
  readonly signing_secret: string
  readonly timestamp: string
  readonly raw_body: string
  readonly signature: string
}

/** `accepted`, or the error code. */
function verdict(request: InboundRequest, settings: SigningSettings = signingSettings): unknown {
  try {
    verifySignature(request, settings)
    return 'accepted'
  } catch (error) {
    return valueAt(error, 'code')
  }
}

const change = (
  request: InboundRequest,
  headers: Readonly<Record<string, string | undefined>>,
): InboundRequest => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries({ ...request.headers, ...headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>,
})

const withBody = (request: InboundRequest, text: string): InboundRequest => ({
  ...request,
  body: Buffer.from(text),
  text,
})

describe('a request signature', () => {
  for (const name of ['signature-vector-slash-command', 'signature-vector-event-json']) {
    const vector = messagingFixture(name) as Vector
    const settings = { signing_secret: new Secret(vector.signing_secret) }
    const request = webhookRequest(vector.raw_body, {
      headers: { 'x-slack-request-timestamp': vector.timestamp, 'x-slack-signature': vector.signature },
      nowMs: Number(vector.timestamp) * 1000,
    })

    it(`is accepted in ${name}`, () => {
      expect(verdict(request, settings)).to.equal('accepted')
    })

    it(`is refused in ${name} if any byte of the body changed`, () => {
      for (let at = 0; at < request.body.length; at++) {
        const body = Uint8Array.from(request.body)
        body[at] = body[at]! ^ 1
        expect(verdict({ ...request, body }, settings), `byte ${at}`).to.equal('signature_invalid')
      }
    })
  }

  const request = signed('{"type":"event_callback"}')

  it('covers the raw bytes, even invalid text', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d])
    const text = bytes.toString()
    expect(verdict({ ...signed(text), body: bytes, text })).to.equal('signature_invalid')
  })

  it('is valid for 300 seconds in both directions', () => {
    for (const [offsetMs, expected] of [
      [300_000, 'accepted'],
      [-300_000, 'accepted'],
      [300_001, 'signature_stale'],
      [-300_001, 'signature_stale'],
    ] as const) {
      expect(verdict({ ...request, nowMs: nowMs + offsetMs }), String(offsetMs)).to.equal(expected)
    }
  })

  for (const [what, altered, code] of [
    ['with another secret', request, 'signature_invalid'],
    ['for another body', withBody(request, '{"type":"event_callback" }'), 'signature_invalid'],
    ['for another time', change(request, { 'x-slack-request-timestamp': '1767225601' }), 'signature_invalid'],
    ['if missing', change(request, { 'x-slack-signature': undefined }), 'signature_missing'],
    ['if empty', change(request, { 'x-slack-signature': '' }), 'signature_missing'],
    ['if too short', change(request, { 'x-slack-signature': 'v0=abcd' }), 'signature_missing'],
    [
      'with another version',
      change(request, { 'x-slack-signature': `v1=${'0'.repeat(64)}` }),
      'signature_missing',
    ],
    ['without a time', change(request, { 'x-slack-request-timestamp': undefined }), 'signature_stale'],
    ['with a malformed time', change(request, { 'x-slack-request-timestamp': 'NaN' }), 'signature_stale'],
    [
      'with an infinite time',
      change(request, { 'x-slack-request-timestamp': '9'.repeat(12) }),
      'signature_stale',
    ],
  ] as const) {
    it(`is refused ${what}`, () => {
      const settings = { signing_secret: new Secret('another-secret-altogether') }
      expect(verdict(altered, what === 'with another secret' ? settings : signingSettings)).to.equal(code)
    })
  }

  it('is refused without a signing secret', () => {
    expect(verdict(request, {})).to.equal('signing_secret_missing')
  })

  it('is not in the refusal, nor is the secret', () => {
    try {
      verifySignature(withBody(request, 'x'), signingSettings)
    } catch (error) {
      const shown = JSON.stringify([String(error), error])
      expect(shown).not.to.include(signingSettings.signing_secret.reveal())
      expect(shown).not.to.include(request.headers['x-slack-signature']!.slice(3))
      return
    }
    expect.fail('was accepted')
  })
})
