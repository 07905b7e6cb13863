import { expect } from 'chai'
import { ConnectionError, RetryableError, SkillError, type TocsinError } from '../../core/plugin/index.ts'
import { parseRetryAfter, statusError } from '../../core/skill/status-error.ts'
import { vendorMessage } from '../../core/skill/vendor-message.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

function answered(status: number, body = '', headers: Readonly<Record<string, string>> = {}): TocsinError {
  const context = {
    what: 'GET https://api.example.com/a',
    hints: { 418: 'make coffee' },
    connection: 'main',
    now,
  }
  return statusError({ status, headers, body }, context)
}

describe('statusError', () => {
  it('says who acts next', () => {
    for (const status of [401, 403])
      expect(answered(status), String(status)).to.be.instanceOf(ConnectionError)
    for (const status of [408, 429, 500, 502, 503, 504, 529]) {
      expect(answered(status), String(status)).to.be.instanceOf(RetryableError)
    }
    for (const status of [301, 302, 400, 404, 409, 422, 451]) {
      expect(answered(status), String(status)).to.be.instanceOf(SkillError)
    }
  })

  it('names the status, the call and what the other system said', () => {
    const error = answered(404, '{"error":{"message":"Not found","status":404}}')
    expect(error).to.include({
      code: 'http_404',
      message: 'GET https://api.example.com/a answered 404: Not found',
    })
    expect(error.details).to.deep.equal({ status: 404, connection: 'main' })
  })

  it("hints in the words of the connection's author, else in its own", () => {
    expect(answered(418).hint).to.equal('make coffee')
    expect(answered(401).hint).to.equal("check the credentials of connection 'main'")
    expect(answered(302).hint).to.include('redirects are not followed')
  })

  it('carries Retry-After', () => {
    expect(answered(429, '', { 'retry-after': '7' })).to.include({ retryAfterMs: 7_000 })
    expect(answered(503)).to.include({ retryAfterMs: undefined })
  })
})

describe('parseRetryAfter', () => {
  it('reads seconds and dates, and nothing else', () => {
    expect(parseRetryAfter('0', now)).to.equal(0)
    expect(parseRetryAfter(' 1.5 ', now)).to.equal(1_500)
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).to.equal(30_000)
    expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).to.equal(0)
    for (const text of [undefined, '', '-1', 'soon', '1e9', '99999999999', 'x 2026']) {
      expect(parseRetryAfter(text, now), String(text)).to.equal(undefined)
    }
  })
})

describe('vendorMessage', () => {
  for (const [body, said] of [
    ['{"error":"invalid_client","error_description":"Wrong secret"}', 'Wrong secret'],
    ['{"status":{"status_code":"Error","status_message":"No such alert"}}', 'No such alert'],
    ['{"ok":false,"error":"invalid_auth"}', 'invalid_auth'],
    ['plain\n  words\u0007', 'plain words'],
    ['<html><body>502</body></html>', undefined],
    ['', undefined],
    ['{"error":', undefined],
    ['{"error":{"error":{"error":{"error":"deep"}}}}', undefined],
    ['{"constructor":1}', undefined],
  ] as const) {
    it(`reads ${JSON.stringify(body.slice(0, 40))}`, () => expect(vendorMessage(body)).to.equal(said))
  }

  it('shortens', () => expect(vendorMessage('x'.repeat(5_000))).to.have.length(301))
})
