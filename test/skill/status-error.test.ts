import { expect } from 'chai'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { ConnectionError, RetryableError, SkillError, type TocsinError } from '../../core/plugin/index.ts'
import { parseRetryAfter, statusError, type StatusErrorContext } from '../../core/skill/http/status-error.ts'
import { vendorMessage } from '../../core/skill/http/vendor-message.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

function answered(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  more: Partial<StatusErrorContext> = {},
): TocsinError {
  const context = {
    what: 'GET https://api.example.com/a',
    url: new URL('https://api.example.com/a'),
    errors: { 418: 'make coffee' },
    connection: 'main',
    now,
    ...more,
  }
  return statusError({ status, headers, body }, context)
}

describe('statusError', () => {
  it('has the class of who acts next', () => {
    for (const status of [401, 403])
      expect(answered(status), String(status)).to.be.instanceOf(ConnectionError)
    for (const status of [408, 429, 500, 502, 503, 504, 529]) {
      expect(answered(status), String(status)).to.be.instanceOf(RetryableError)
    }
    for (const status of [301, 302, 400, 404, 409, 422, 451]) {
      expect(answered(status), String(status)).to.be.instanceOf(SkillError)
    }
  })

  it("names the status, the call and the vendor's message", () => {
    const error = answered(404, '{"error":{"message":"Not found","status":404}}')
    expect(error).to.include({
      code: 'http_404',
      message: 'GET https://api.example.com/a answered 404: Not found',
    })
    expect(error.details).to.deep.equal({ status: 404, connection: 'main' })
  })

  it("prefers the hints of the connection's author", () => {
    expect(answered(418).hint).to.equal('make coffee')
    expect(answered(401).hint).to.equal("check the credentials of connection 'main'")
    expect(answered(302).hint).to.include('redirects are not followed')
  })

  it('names the target of a redirect without secrets', () => {
    const to = (location: string) => answered(302, '', { location }).message
    const what = 'GET https://api.example.com/a answered 302'
    expect(to('/login?next=%2Fa&token=abc#x')).to.equal(
      `${what}, a redirect to https://api.example.com/login`,
    )
    expect(to('https://user:pass@sso.example.com/saml')).to.equal(
      `${what}, a redirect to https://sso.example.com/saml`,
    )
    expect(to(`/${'x'.repeat(5_000)}`)).to.have.length.below(400)
    expect(to('http://[')).to.equal(what)
    expect(answered(200, '', { location: '/a' }).message).to.not.include('redirect')
  })

  it('evaluates a Retry-After date by the clock of the other system', () => {
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 01:00:30 GMT', date: 'Thu, 01 Jan 2026 01:00:00 GMT' }
    expect(answered(429, '', headers)).to.include({ retryAfterMs: 30_000 })
    expect(answered(429, '', { ...headers, date: 'yesterday' })).to.include({ retryAfterMs: 3_630_000 })
  })

  describe("customized by the connection's author", () => {
    const withErrors = (
      errors: StatusErrorContext['errors'],
      status = 503,
      body = '{"Fault":[{"why":"full"}]}',
    ) => answered(status, body, { 'retry-after': '5' }, { errors })

    it('has a message, a hint, and the known effect', () => {
      const error = withErrors(({ status, headers, body }) => ({
        message: `${status}: ${(body as { Fault: { why: string }[] }).Fault[0]!.why}\n${'x'.repeat(1_000)}`,
        hint: `wait ${headers['retry-after']} s`,
        effect: 'none',
      }))
      expect(error.message).to.match(/ answered 503: 503: full x{280,}…$/)
      expect(error).to.include({ code: 'http_503', hint: 'wait 5 s', retryAfterMs: 5_000 })
      expect(mayHaveHappened(error)).to.equal(false)
    })

    it('falls back to the defaults if they return nothing or throw', () => {
      const body = '{"message":"busy"}'
      const careless = () => {
        throw new TypeError('x is undefined')
      }
      for (const errors of [() => undefined, () => ({}), careless]) {
        const error = withErrors(errors, 503, body)
        expect(error.message).to.match(/ answered 503: busy$/)
        expect(mayHaveHappened(error)).to.equal(true)
      }
    })
  })

  it('carries Retry-After', () => {
    expect(answered(429, '', { 'retry-after': '7' })).to.include({ retryAfterMs: 7_000 })
    expect(answered(503)).to.include({ retryAfterMs: undefined })
  })

  it('carries the end of a rate limit that a 429 names, in seconds since 1970', () => {
    const inTen = { 'x-ratelimit-retryafter': String(now / 1_000 + 10) }
    expect(answered(429, '', inTen)).to.include({ retryAfterMs: 10_000 })
    expect(answered(429, '', { ...inTen, date: new Date(now + 4_000).toUTCString() })).to.include({
      retryAfterMs: 6_000,
    })
    expect(answered(429, '', { ...inTen, 'retry-after': '7' })).to.include({ retryAfterMs: 7_000 })
    expect(answered(429, '', { 'x-rate-limit-reset': '60' })).to.include({ retryAfterMs: undefined })
    expect(answered(429, '', { 'ratelimit-reset': '12' })).to.include({ retryAfterMs: 12_000 })
    expect(answered(503, '', { 'ratelimit-reset': '12' })).to.include({ retryAfterMs: undefined })
    expect(answered(503, '', inTen)).to.include({ retryAfterMs: undefined })
  })
})

describe('parseRetryAfter', () => {
  it('reads only seconds and dates', () => {
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
    ['{"errorMessages":[],"errors":{"summary":"A summary is required."}}', 'summary: A summary is required.'],
    ['{"errorMessages":["Issue does not exist"],"errors":{}}', 'Issue does not exist'],
    [
      '{"meta":{"query_time":0.1},"errors":[{"code":403,"message":"access denied"}],"resources":[]}',
      'access denied',
    ],
    [
      '{"errorCode":"E0000001","errorSummary":"Api validation failed: login","errorLink":"E0000001","errorCauses":[{"errorSummary":"login: Not an email"}]}',
      'Api validation failed: login; login: Not an email',
    ],
    ['{"errors":[{"code":4010010,"detail":null,"title":"Authentication Failed"}]}', 'Authentication Failed'],
    ['{"errors":[{"code":4,"detail":"No such agent","title":"Bad"}]}', 'No such agent'],
    ['{"messages":[{"type":"ERROR","text":"Unknown sid."}]}', 'Unknown sid.'],
    [
      '{"error":{"root_cause":[{"type":"x","reason":"no such index [a]"}],"type":"x","reason":"no such index [a]"},"status":404}',
      'no such index [a]',
    ],
    ['{"statusCode":401,"error":"Unauthorized","message":"[security_exception]"}', '[security_exception]'],
    ['{"__type":"com.amazonaws#AccessDeniedException","Message":"not authorized"}', 'not authorized'],
    ['{"__type":"ThrottlingException"}', 'ThrottlingException'],
    [
      '<?xml version="1.0"?>\n<ErrorResponse xmlns="x"><Error><Type>Sender</Type><Code>InvalidClientTokenId</Code><Message>The token is &lt;bad&gt;</Message></Error></ErrorResponse>',
      'InvalidClientTokenId: The token is <bad>',
    ],
    ['<Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>', 'NoSuchKey: No such key.'],
    [
      '{"errors":[{"detail":"Daily rate limit of 1000 requests exceeded.","status":429}]}',
      'Daily rate limit of 1000 requests exceeded.',
    ],
    [
      '{"error":{"code":"Forbidden","message":"Insufficient privileges","innerError":{"date":"x"}}}',
      'Insufficient privileges',
    ],
    [
      '{"error":{"message":"No Record found","detail":"ACL restricts it"},"status":"failure"}',
      'No Record found; ACL restricts it',
    ],
    [
      '{"error":{"message":"Invalid Input Provided","code":2001,"errors":["Service cannot be blank."]}}',
      'Invalid Input Provided; Service cannot be blank.',
    ],
    [
      '{"error":{"code":403,"message":"Not Authorized","errors":[{"message":"Not Authorized","domain":"global"}],"status":"PERMISSION_DENIED"}}',
      'Not Authorized',
    ],
    [
      '{"message":"Validation Failed","errors":[{"resource":"Issue","code":"missing_field"}],"documentation_url":"https://x"}',
      'Validation Failed; missing_field',
    ],
    ['{"type":"about:blank","title":"Forbidden","status":403,"detail":"No credit left"}', 'No credit left'],
    ['{"error":{"code":"NotFoundError","message":"IP not found"}}', 'IP not found'],
    ['{"errors":["permission denied"]}', 'permission denied'],
    ['[{"errorCode":"INVALID_SESSION_ID","message":"Session expired"}]', 'Session expired'],
    ['{"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]}', 'field required'],
    ['{"fault":{"faultstring":"Invalid ApiKey"}}', 'Invalid ApiKey'],
    ['"Unauthorized"', 'Unauthorized'],
    ['The requested interval is too long', 'The requested interval is too long'],
    ['<!DOCTYPE html><html><head><title>Sign in &amp; go</title></head></html>', 'Sign in & go'],
    ['\u202ea\u200bb\u0000c', 'ab c'],
    ['plain\n  words\u0007', 'plain words'],
    ['<html><body>502</body></html>', undefined],
    ['', undefined],
    ['{"error":', undefined],
    ['{"error":{"error":{"error":{"error":"deep"}}}}', 'deep'],
    ['{"reply":{"err_code":401,"err_msg":"key is not known"}}', 'key is not known'],
    ['{"odata.error":{"code":"x","message":{"lang":"en","value":"no such user"}}}', 'no such user'],
    ['{"status":"error","data":{"message":"used up"}}', 'used up'],
    ['{"success":false,"info":"no access"}', 'no access'],
    ['{"exception":{"message":"boom"}}', 'boom'],
    ['{"username":["This field is required."]}', 'username: This field is required.'],
    ['{"ok":false,"error":"not_allowed","needed":"a b"}', 'not_allowed'],
    ['{"error":"one"}\n{"error":"two"}', 'one'],
    ['<error><message><![CDATA[a < b]]></message></error>', 'a < b'],
    ['{"request_id":"abc","path":"/x"}', undefined],
    ['{"constructor":1}', undefined],
  ] as const) {
    it(`reads ${JSON.stringify(body.slice(0, 40))}`, () => expect(vendorMessage(body)).to.equal(said))
  }

  it('truncates', () => expect(vendorMessage('x'.repeat(5_000))).to.have.length(301))

  it('reads a hostile body quickly', () => {
    for (const part of ['<title', '<title ', '<message>', '<a:', '{"errors":[', '<message x '])
      vendorMessage(`<${part.repeat(60_000)}`)
    const deep = `${'{"error":'.repeat(19)}1${'}'.repeat(19)}`
    expect(vendorMessage(deep)).to.equal(undefined)
  })
})
