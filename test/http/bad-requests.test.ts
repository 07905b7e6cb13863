import { expect } from 'chai'
import { stub as stubMethod } from 'sinon'
import { patterns } from '../../server/http/request/patterns.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api, type CallOptions } from './support/api.ts'
import { exchange } from './support/exchange.ts'
import { sendRaw } from './support/raw-request.ts'
import { expectProblem } from './support/schemas.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { somebody } from '../support/somebody.ts'

const alert = { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme' }
const json = { 'content-type': 'application/json' }
const { alert_content: _content, ...withoutContent } = alert

/** The mistake, the request, and the answer: status, code, and the pointer of the first error. */
const bodies: readonly (readonly [what: string, body: unknown, code: string, pointer?: string])[] = [
  ['a missing field', withoutContent, 'value_invalid', '/alert_content'],
  ['a field of the wrong type', { ...alert, alert_content: { a: 1 } }, 'value_invalid', '/alert_content'],
  ['null for a required field', { ...alert, alert_content: null }, 'value_invalid', '/alert_content'],
  ['an empty alert_type', { ...alert, alert_type: '' }, 'value_invalid', '/alert_type'],
  ['a very long alert_type', { ...alert, alert_type: 'x'.repeat(201) }, 'value_invalid', '/alert_type'],
  ['NUL in the alert_type', { ...alert, alert_type: 'a\0' }, 'value_invalid', '/alert_type'],
  ['an unknown field', { ...alert, alert_contents: 'y' }, 'value_invalid', '/alert_contents'],
  [
    'a status in the request',
    { ...alert, investigation_status: 15 },
    'value_invalid',
    '/investigation_status',
  ],
  ['an id in the request', { ...alert, alert_id: 'acme-SIEM-9' }, 'value_invalid', '/alert_id'],
  [
    'a field in another letter case',
    { ...alert, Organization_code: 'acme' },
    'value_invalid',
    '/Organization_code',
  ],
  [
    'a __proto__ field',
    `{"__proto__":{"alert_type":"x"},${JSON.stringify(alert).slice(1)}`,
    'value_invalid',
    '/__proto__',
  ],
  ['a constructor field', { ...alert, constructor: {} }, 'value_invalid', '/constructor'],
  [
    'required fields inherited from __proto__',
    '{"__proto__":{"alert_content":"x","alert_provider":"SIEM"},"organization_code":"acme"}',
    'value_invalid',
  ],
  ['an unknown provider', { ...alert, alert_provider: 'nobody' }, 'unknown_provider', '/alert_provider'],
  ['NUL in a provider', { ...alert, alert_provider: 'SIEM\0' }, 'unknown_provider', '/alert_provider'],
  [
    'an unknown organization',
    { ...alert, organization_code: 'nobody' },
    'unknown_organization',
    '/organization_code',
  ],
  [
    'an inherited name as organization',
    { ...alert, organization_code: '__proto__' },
    'unknown_organization',
    '/organization_code',
  ],
  ['a list', [], 'value_invalid', ''],
  ['a string', '"x"', 'value_invalid', ''],
  ['null', 'null', 'value_invalid', ''],
  ['a truncated object', '{"alert_content":', 'json_invalid'],
  ['two objects', '{}{}', 'json_invalid'],
  ['a comment', '{/**/}', 'json_invalid'],
  ['an unquoted word', 'hello', 'json_invalid'],
  ['only whitespace', '  ', 'json_invalid'],
  ['deep nesting', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'json_too_deep'],
  ['unclosed deep nesting', '['.repeat(500_000), 'json_too_deep'],
  ['an infinite number', '{"inputs":{"a":[1e400]}}', 'value_invalid', '/inputs/a/0'],
  ['an integer beyond int64', '{"inputs":{"a":9223372036854775808}}', 'value_invalid', '/inputs/a'],
  ['a duplicate field', '{"alert_content":"a","alert_content":"b"}', 'json_duplicate_name', '/alert_content'],
  [
    'a duplicate field, once escaped',
    '{"organization_code":"acme","organizat\\u0069on_code":"globex"}',
    'json_duplicate_name',
    '/organization_code',
  ],
  ['a nested duplicate field', '{"a":[{"b":1},{"c":{"d":1,"d":2}}]}', 'json_duplicate_name', '/a/1/c/d'],
  ['a lone surrogate', '{"alert_content":"\\ud800"}', 'body_not_well_formed', '/alert_content'],
  ['a lone surrogate in a name', '{"\\udc00":1}', 'body_not_well_formed', ''],
]

describe('bad requests', () => {
  let api: Api
  const post = (options: CallOptions) => api.call('POST', '/api/alerts', options)

  before(async () => {
    api = await startApi({ limits: { maxBodyBytes: 1_100_000 } })
  })
  after(async () => {
    expect((await api.call('GET', '/api/alerts')).json.total, 'nothing was stored').to.equal(0)
    await api.close()
  })

  for (const [what, body, code, pointer] of bodies) {
    it(`refuses ${what}`, async () => {
      const reply = await post({ body })
      expectProblem(reply, 400, code)
      if (pointer !== undefined) expect(reply.json.errors[0].pointer).to.equal(pointer)
    })
  }

  it('lists every invalid field, not only the first', async () => {
    const reply = await post({ body: { alert_content: 1, extra: 2 } })
    const pointers = reply.json.errors.map((error: { pointer: string }) => error.pointer)
    expect(pointers).to.have.members(['/alert_provider', '/organization_code', '/alert_content', '/extra'])
  })

  it('suggests the field that was probably meant', async () => {
    const reply = await post({ body: { ...alert, alert_tipe: 'x' } })
    expect(reply.json.detail).to.include("did you mean 'alert_type'?")
  })

  it('lists only valid values that the caller may see', async () => {
    const key = await api.newKey('intake', ['globex'])
    const foreign = await post({ body: alert, key })
    expectProblem(foreign, 400, 'unknown_organization')
    expect(foreign.json.detail).to.equal(`no organization has the code 'acme'; valid values: globex`)
    const absent = await post({ body: { ...alert, organization_code: 'none' }, key })
    expect(absent.json.detail).to.equal(`no organization has the code 'none'; valid values: globex`)
    const provider = await post({ body: { ...alert, alert_provider: 'none' } })
    expect(provider.json.detail).to.equal("no provider has the code 'none'; valid values: dlp, SIEM")
  })

  it('lists at most 200 valid values, each once', async () => {
    const make = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, at) =>
          api.stores.providers.create({ code: `many_${from + at}_`, name: 'x' }, somebody()),
        ),
      )
    await make(0, 25)
    const some = await post({ body: { ...alert, alert_provider: 'none' } })
    for (let at = 0; at < 25; at++) expect(some.text.split(`many_${at}_`), `many_${at}_`).to.have.length(2)
    await make(25, 205)
    const many = await post({ body: { ...alert, alert_provider: 'none' } })
    expect(many.json.detail).to.match(/and 7 more$/)
    expect(many.text.match(/many_/g)).to.have.length(199)
  })

  it('names both the organization and the provider if both are unknown', async () => {
    const reply = await post({ body: { ...alert, organization_code: 'nobody', alert_provider: 'none' } })
    expectProblem(reply, 400, 'unknown_organization')
    expect(reply.json.errors).to.deep.equal([
      { pointer: '/organization_code', message: "no organization has the code 'nobody'" },
      { pointer: '/alert_provider', message: "no provider has the code 'none'" },
    ])
    expect(reply.json.detail).to.match(/'nobody'; valid values: .*acme.*'none'; valid values: .*dlp/)
  })

  it('describes an invalid alert_type in words, without a regular expression', async () => {
    for (const type of [
      '\n',
      ' ',
      '\u00a0\u3000',
      'a\nb',
      'a\u0085',
      'a\u202eb',
      '\u2066a',
      'a\u200bb',
      '\ufeffa',
      'a\u00ad',
      'a\u2028',
      'a\ufffe',
      'a\uffff',
      'a\u{1fffe}',
      'a\ufdd0',
      'a\u{e0041}',
    ]) {
      const reply = await post({ body: { ...alert, alert_type: type } })
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.errors[0]).to.deep.include({ pointer: '/alert_type' })
      expect(reply.json.errors[0].message).to.match(/^must contain a visible character, and no line breaks/)
      expect(reply.text).to.match(/^[\x20-\x7e]*$/)
    }
    for (const type of ['phishing', ' a b ', 'é漢字', '🔔', 'a-b/c:d', "'; DROP"]) {
      expect(type).to.match(new RegExp(patterns.line.pattern, 'u'))
    }
  })

  it('validates an alert_type of one megabyte quickly', async () => {
    for (const type of [`${'a'.repeat(1_000_000)}\0`, ' '.repeat(1_000_000)]) {
      const begun = processorTime()
      expectProblem(await post({ body: { ...alert, alert_type: type } }), 400, 'value_invalid')
      expect(processorTime() - begun, 'milliseconds of the processor').to.be.lessThan(limitHere(2_000))
    }
  })

  it('describes every pattern of a route in words', () => {
    const [found, wordless] = [
      /"pattern":"/g,
      /"pattern":"(?:[^"\\]|\\.)*"(?!,"patternErrorMessage":"must )/g,
    ].map((search) => JSON.stringify(routes).match(search) ?? [])
    expect(found).to.not.be.empty
    expect(wordless).to.be.empty
  })

  it('does not quote a body that is not JSON', async () => {
    const reply = await post({ body: '{"settings":{"api_token":"canary-7' })
    expectProblem(reply, 400, 'json_invalid')
    expect(reply.text + JSON.stringify(api.logged)).to.not.include('canary')
  })

  it('refuses an absent and an empty body', async () => {
    expectProblem(await post({ headers: json }), 400, 'body_missing')
    expectProblem(await post({ body: '', headers: json }), 400, 'body_missing')
    expectProblem(await post({}), 400, 'body_missing')
  })

  it('refuses a body that is not valid UTF-8', async () => {
    const raw = Buffer.from('{"alert_content":"é"}', 'latin1').toString('latin1')
    const head = `POST /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\nContent-Type: application/json\r\nConnection: close\r\n`
    const { connect } = await import('node:net')
    const text = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => {
        socket.write(`${head}Content-Length: ${raw.length}\r\n\r\n`)
        socket.write(Buffer.from(raw, 'latin1'))
      })
      socket.on('data', (chunk) => (received += chunk.toString()))
      socket.on('close', () => resolve(received))
    })
    expect(text)
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('body_not_utf8')
  })

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonp',
    'text/json, application/json',
  ]) {
    it(`refuses the Content-Type ${type}`, async () => {
      expectProblem(
        await post({ body: alert, headers: { 'content-type': type } }),
        415,
        'content_type_unsupported',
      )
    })
  }

  it('accepts application/json in any letter case and with charset utf-8', async () => {
    for (const type of [
      'Application/JSON',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
    ]) {
      const reply = await post({ body: withoutContent, headers: { 'content-type': type } })
      expectProblem(reply, 400, 'value_invalid')
    }
  })

  for (const encoding of ['gzip', 'br', 'deflate', 'x-unknown']) {
    it(`refuses the Content-Encoding ${encoding}`, async () => {
      const reply = await post({ body: alert, headers: { 'content-encoding': encoding } })
      expectProblem(reply, 415, 'content_encoding_unsupported')
    })
  }

  it('refuses a body with a too large Content-Length before it arrives', async () => {
    const head = `POST /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\nContent-Type: application/json\r\n`
    const text = await sendRaw(api.url, `${head}Content-Length: 99999999999\r\n\r\n{`, 300)
    expect(text)
      .to.match(/^HTTP\/1.1 413 /)
      .and.include('body_too_large')
  })

  it('stops reading a body of unknown length at the limit', async () => {
    const head = `POST /api/alerts HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\nContent-Type: application/json\r\n`
    const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
    const startedAt = Date.now()
    const text = await sendRaw(
      api.url,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}`,
      2 ** 30, // only the server closes the connection
    )
    expect(text).to.match(/^HTTP\/1.1 413 /)
    expect(Date.now() - startedAt).to.be.at.least(500)
  })

  it('delivers the refusal of a slightly too large body to fetch', async () => {
    expectProblem(
      await post({ body: { ...alert, alert_content: 'x'.repeat(1_200_000) } }),
      413,
      'body_too_large',
    )
  })

  for (const [query, pointer] of [
    ['limit=0', '/limit'],
    ['limit=201', '/limit'],
    ['limit=ten', '/limit'],
    ['limit=1e1', '/limit'],
    ['limit=', '/limit'],
    ['limit=5&limit=6', '/limit'],
    ['status=7', '/status'],
    ['limits=5', '/limits'],
    ['?limit=5', '/?limit'],
    ['__proto__=5', '/__proto__'],
  ] as const) {
    it(`refuses the query ${query}`, async () => {
      const reply = await api.call('GET', `/api/alerts?${query}`)
      expectProblem(reply, 400, 'query_invalid')
      expect(reply.json.errors[0].pointer).to.equal(pointer)
    })
  }

  it('refuses a malformed cursor', async () => {
    expectProblem(await api.call('GET', '/api/alerts?cursor=abc'), 400, 'invalid_cursor')
  })

  it('refuses query parameters on routes that have none', async () => {
    expectProblem(await api.call('GET', '/api/engine?limit=5'), 400, 'query_invalid')
    expectProblem(await api.call('POST', '/api/alerts?a=b', { body: alert }), 400, 'query_invalid')
  })

  for (const path of [
    '/',
    '/api',
    '/api/',
    '/api/nothing',
    '/api/alerts/',
    '/API/alerts',
    '/api/Alerts',
    '//api/alerts',
    '/api//alerts',
    '/api/%61lerts',
    '/api%2Falerts',
    '/api/alerts%2f',
    '/api/alerts.json',
    '/api/alerts;x=1',
    '/api/./alerts/x/y',
    '/healthz/',
    '/api/healthz',
  ]) {
    it(`answers 404 for the path ${path}`, async () => {
      const text = await sendRaw(api.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(text)
        .to.match(/^HTTP\/1.1 404 /)
        .and.include('path_not_found')
    })
  }

  for (const target of [
    '*',
    'http://[',
    'http://x/api/alerts',
    '?x',
    '\\api',
    '/api\\keys#',
    '/api\\keys',
    '/api/keys#',
    '/api/keys#?limit=1',
    '/metrics#x',
    '/healthz#/../api/keys',
    '/api/alerts?limit=1#x',
    '/api/k\u00e9ys',
  ]) {
    it(`refuses the request target ${target}`, async () => {
      const head = `GET ${target} HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\nConnection: close\r\n\r\n`
      expect(await sendRaw(api.url, head))
        .to.match(/^HTTP\/1.1 400 /)
        .and.include('request_malformed')
    })
  }

  for (const name of ['Content-Type', 'Origin', 'Authorization']) {
    it(`refuses a second ${name} header`, async () => {
      const twice = `${name}: x\r\n${name.toUpperCase()}: y\r\n`
      const head = `GET /api/alerts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${twice}\r\n`
      expect(await sendRaw(api.url, head))
        .to.match(/^HTTP\/1.1 400 /)
        .and.include('request_malformed')
    })
  }

  it('lists the allowed methods of a path in a 405', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const reply = await api.call(method, '/api/alerts', { key: null })
      expectProblem(reply, 405, 'method_not_allowed')
      expect(reply.headers.get('allow')).to.equal('GET, HEAD, POST')
    }
  })

  it('answers 404 alike for missing objects and objects of other organizations', async () => {
    for (const path of [
      'alerts/acme-SIEM-999',
      'alerts/a%2Fb',
      'alerts/%00',
      'alerts/%ff',
      'cases/acme-1',
      'runs/x',
      'playbooks/none',
    ]) {
      expect((await api.call('GET', `/api/${path}`)).status, path).to.equal(404)
    }
  })

  it('answers malformed HTTP with a problem document', async () => {
    const broken = await sendRaw(api.url, 'GET / HTTP/9.9\r\n\r\n')
    expect(broken)
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('request_malformed')
    const large = await sendRaw(api.url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)
    expect(large)
      .to.match(/^HTTP\/1.1 431 /)
      .and.include('headers_too_large')
  })

  it('replaces the errors of the Node parser with problem documents', async () => {
    const cookie = `Cookie: Session=${api.adminKey}\r\nConnection: close\r\n\r\n`
    for (const [head, status, code] of [
      [`GET /api/alerts HTTP/1.1\r\n${cookie}`, 400, 'request_malformed'],
      [`GET /api/alerts HTTP/1.1\r\nHost: x\r\nHost: x\r\n${cookie}`, 400, 'request_malformed'],
      [`GET /api/alerts HTTP/1.1\r\nHost: a b/../@evil\r\n${cookie}`, 400, 'request_malformed'],
      [`GET /api/alerts HTTP/1.1\r\nHost: kim@x\r\n${cookie}`, 400, 'request_malformed'],
      [`GET /api/alerts HTTP/1.1\r\nHost: x:http\r\n${cookie}`, 400, 'request_malformed'],
      [`GET /api/alerts HTTP/1.1\r\nHost: [::1]:18600\r\n${cookie}`, 200, ''],
      [`GET /api/alerts HTTP/1.1\r\nHost: tocsin_a.example.:18600\r\n${cookie}`, 200, ''],
      [`GET /api/alerts HTTP/1.1\r\nHost: x\r\nExpect: the-moon\r\n${cookie}`, 417, 'expectation_failed'],
      [`CONNECT x:443 HTTP/1.1\r\nHost: x\r\n${cookie}`, 405, 'method_not_allowed'],
      [`GET /api/alerts HTTP/1.0\r\n${cookie}`, 200, ''],
      [`GET /api/alerts HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\n${cookie}`, 200, ''],
    ] as const) {
      const answer = await exchange(api.url, { bytes: Buffer.from(head) })
      expect(answer?.status, head).to.equal(status)
      if (status === 200) continue
      expect(answer?.headers.get('content-type'), head).to.equal('application/problem+json')
      expect((JSON.parse(answer?.body ?? '') as { code: string }).code, head).to.equal(code)
    }
  })

  it('hides the details of an unexpected error and logs it', async () => {
    const stub = stubMethod(api.stores.providers, 'list').rejects(new Error('canary: disk fell out'))
    const reply = await api.call('GET', '/api/providers')
    stub.restore()
    expectProblem(reply, 500, 'internal_error')
    expect(reply.text).to.not.match(/canary|disk|at .*\.ts/)
    const line = api.logged.find(({ level }) => level === 'error')
    expect(line?.fields).to.include({ request_id: reply.json.request_id, status: 500 })
  })
})
