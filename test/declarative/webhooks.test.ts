import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { Secret, type InboundRequest, type InboundResult } from '../../core/plugin/index.ts'
import { webhookRequest } from '../../core/plugin/testing/index.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import { compiled, pluginWith, saidOf } from './support.ts'

const secret = 'a-signing-secret'
const nowMs = 1_800_000_000_000
const fields = 'fields: { signing_secret: { secret: true }, provider: { default: siem } }'
const signed = `
    verify:
      hmac: { key: "\${{ settings.signing_secret }}", header: X-Signature, prefix: sha256= }`

const connectionWith = (webhook: string) => {
  const plugin = compiled(pluginWith({ connection: `${fields}\nwebhooks:\n  events:${webhook}` }))
  checkPlugin(plugin, 'example')
  return plugin.connection!
}
const settings = { signing_secret: new Secret(secret), provider: 'siem' }

type Changes = Partial<InboundRequest>
const receive = (
  webhook: string,
  text: string,
  changes: Changes = {},
  given: object = settings,
): InboundResult =>
  connectionWith(webhook).inbound!['events']!(webhookRequest(text, { nowMs, ...changes }), given)
const greet = (webhook: string, changes: Changes, given: object = settings) =>
  connectionWith(webhook).handshakes!['events']!(
    webhookRequest('', { method: 'GET', nowMs, ...changes }),
    given,
  )

const hmac = (text: string, key: string | Buffer = secret, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', key).update(text).digest(encoding)
const sign = (text: string): Changes => ({ headers: { 'x-signature': `sha256=${hmac(text)}` } })
const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return (error as { code?: unknown }).code ?? error
  }
}

describe('webhooks of a declarative plugin', () => {
  it('make an alert of each item', () => {
    const webhook = `${signed}
    each: "\${{ request.body.events }}"
    when: item.severity != "info"
    provider: "\${{ settings.provider }}"
    type: "bell_\${{ item.kind }}"
    content: { what: "\${{ item.kind }}", all: "\${{ item }}" }
    id: "\${{ item.id }}"`
    const events = [
      { id: 7, kind: 'theft', severity: 'high' },
      { id: 8, kind: 'ring', severity: 'info' },
      { severity: 'high' },
    ]
    const text = JSON.stringify({ events })
    const { alerts = [] } = receive(webhook, text, sign(text))
    expect(alerts[0]).to.deep.equal({
      provider: 'siem',
      type: 'bell_theft',
      content: JSON.stringify({ what: 'theft', all: events[0] }),
      dedupeKey: '7',
    })
    expect(alerts).to.have.length(2)
    expect(alerts[1], 'without the fields that it lacks').to.deep.include({
      content: JSON.stringify(events[2]),
      type: undefined,
    })
    expect(alerts[1]?.dedupeKey).to.match(/^[\w-]{43}$/)
  })

  it('make one alert of a body without each, of JSON or a form', () => {
    const text = '{"big":12345678901234567890}'
    const { alerts } = receive(`${signed}\n    provider: siem`, text, sign(text))
    expect(alerts?.map(({ content }) => content)).to.deep.equal([text])
    const form = 'kind=theft&note=a+b'
    const headers = { ...sign(form).headers, 'content-type': 'application/x-www-form-urlencoded' }
    const webhook = `${signed}\n    provider: siem\n    type: "\${{ request.body.kind }}"`
    expect(receive(webhook, form, { headers }).alerts).to.deep.include.members([
      {
        provider: 'siem',
        type: 'theft',
        content: '{"kind":"theft","note":"a b"}',
        dedupeKey: receive(webhook, form, { headers }).alerts?.[0]?.dedupeKey,
      },
    ])
  })

  describe('refuse', () => {
    const webhook = `${signed}\n    each: "\${{ request.body.events }}"\n    provider: siem`
    const text = '{"events":[]}'
    const cases: Readonly<Record<string, readonly [() => unknown, string]>> = {
      'a signature of another secret': [
        () => receive(webhook, text, { headers: { 'x-signature': `sha256=${hmac(text, 'other')}` } }),
        'signature_invalid',
      ],
      'a signature of another body': [() => receive(webhook, `${text} `, sign(text)), 'signature_invalid'],
      'a signature without its prefix': [
        () => receive(webhook, text, { headers: { 'x-signature': hmac(text) } }),
        'signature_missing',
      ],
      'no signature': [() => receive(webhook, text), 'signature_missing'],
      'everything without a secret': [
        () =>
          receive(
            webhook,
            text,
            { headers: { 'x-signature': `sha256=${hmac(text, '')}` } },
            { provider: 'siem' },
          ),
        'request_unreadable',
      ],
      'everything with an empty secret': [
        () => receive(webhook, text, sign(text), { ...settings, signing_secret: new Secret('') }),
        'signing_secret_missing',
      ],
      'a body that is not JSON': [() => receive(webhook, 'a', sign('a')), 'body_not_json'],
      'a body without the list': [() => receive(webhook, '{}', sign('{}')), 'request_unreadable'],
      'a value that is not a list': [
        () => receive(webhook, '{"events":{}}', sign('{"events":{}}')),
        'not_a_list',
      ],
      'too many items': [
        () => {
          const many = `{"events":[${'1,'.repeat(1_000)}1]}`
          return receive(webhook, many, sign(many))
        },
        'too_many_items',
      ],
    }
    for (const [what, [work, code]] of Object.entries(cases)) {
      it(what, () => {
        expect(codeOf(work)).to.equal(code)
      })
    }
  })

  it('check the time that is signed', () => {
    const webhook = `
    verify:
      hmac:
        key: "\${{ settings.signing_secret }}"
        header: X-Signature
        text: "\${{ request.headers['x-time'] }}.\${{ request.url }}.\${{ request.text }}"
      time: "\${{ request.headers['x-time'] }}"
      tolerance: 1m
    provider: siem`
    const url = 'https://tocsin.example/api/webhooks/example/v1/events?token=t'
    const at = (time: number, from = url) => {
      const signature = hmac(`${time}.${from}.{}`)
      return codeOf(() =>
        receive(webhook, '{}', { url, headers: { 'x-time': String(time), 'x-signature': signature } }),
      )
    }
    expect(at(nowMs / 1_000 - 60)).to.have.property('alerts')
    expect(at(nowMs / 1_000 - 61)).to.equal('signature_stale')
    expect(at(nowMs / 1_000 + 61)).to.equal('signature_stale')
    expect(at(nowMs / 1_000, 'https://elsewhere.example')).to.equal('signature_invalid')
  })

  it('verify the signatures of several vendors', () => {
    const proof = (header: string, more: string) => `
    verify:
      hmac: { key: "\${{ settings.signing_secret }}", header: ${header}, ${more} }
    provider: siem`
    const old = '0'.repeat(64)
    const list = { headers: { 'pd-signature': `v1=${old},v1=${hmac('{}')}` } }
    expect(receive(proof('PD-Signature', 'prefix: v1='), '{}', list)).to.have.property('alerts')
    const standard = proof('webhook-signature', 'prefix: "v1,", encoding: base64, key_encoding: base64')
    const key = Buffer.from('0123456789abcdef')
    const given = { ...settings, signing_secret: new Secret(`whsec_${key.toString('base64')}`) }
    const headers = { 'webhook-signature': `v1,AAAA v1,${hmac('{}', key, 'base64')}` }
    expect(receive(standard, '{}', { headers }, given)).to.have.property('alerts')
  })

  it('make a change of a case of each item', () => {
    const webhook = `${signed}
    each: "\${{ request.body }}"
    case:
      reference: "incident \${{ item.id }}"
      comment: "\${{ item.note }}"
      status: "\${{ item.state == 'resolved' ? 'closed' : item.state }}"`
    const text = JSON.stringify([{ id: 1, note: 'Done.', state: 'resolved' }, { id: 2, state: 'odd' }, {}])
    const { dedupeKey, ...result } = receive(webhook, text, sign(text))
    expect(result).to.deep.equal({
      cases: [
        { reference: 'incident 1', comment: 'Done.', status: 'closed' },
        { reference: 'incident 2', comment: undefined, status: undefined },
      ],
    })
    expect(receive(webhook, text, sign(text)).dedupeKey).to.equal(dedupeKey)
    expect(receive(webhook, `${text} `, sign(`${text} `)).dedupeKey).not.to.equal(dedupeKey)
    const many = `[${'1,'.repeat(100)}1]`
    expect(codeOf(() => receive(webhook, many, sign(many)))).to.equal('too_many_items')
  })

  it('compare a header or a parameter with a secret', () => {
    const byHeader = `
    verify: { header: Authorization, value: "Bearer \${{ settings.signing_secret }}" }
    provider: siem`
    const say = (authorization: string, given: object = settings) =>
      codeOf(() => receive(byHeader, '{}', { headers: { authorization } }, given))
    expect(say(`Bearer ${secret}`)).to.have.property('alerts')
    expect(say(`Bearer ${secret}x`)).to.equal('signature_invalid')
    const empty = { ...settings, signing_secret: new Secret('') }
    expect(say('Bearer ', empty), 'without a secret').to.equal('signing_secret_missing')
    const byQuery = `
    verify: { query: key, value: "\${{ settings.signing_secret }}" }
    provider: siem`
    expect(receive(byQuery, '{}', { query: { key: secret } })).to.have.property('alerts')
    expect(codeOf(() => receive(byQuery, '{}', { query: {} }))).to.equal('signature_missing')
  })

  describe('answer the handshake of', () => {
    it('Okta: a GET with a header', () => {
      const webhook = `${signed}
    handshake:
      json: { verification: "\${{ request.headers['x-okta-verification-challenge'] }}" }
    provider: siem`
      const headers = { 'x-okta-verification-challenge': 'abc' }
      expect(greet(webhook, { headers })).to.deep.equal({ json: { verification: 'abc' } })
      expect(codeOf(() => greet(webhook, {}))).to.equal('request_unreadable')
    })

    it('Meta: a GET with a token that the operator chose', () => {
      const webhook = `${signed}
    handshake:
      when: request.query["hub.mode"] == "subscribe"
      query: hub.verify_token
      value: "\${{ settings.signing_secret }}"
      text: "\${{ request.query['hub.challenge'] }}"
    provider: siem`
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': secret, 'hub.challenge': '1158' }
      expect(greet(webhook, { query })).to.deep.equal({ text: '1158' })
      expect(codeOf(() => greet(webhook, { query: { ...query, 'hub.verify_token': 'x' } }))).to.equal(
        'signature_invalid',
      )
      expect(codeOf(() => greet(webhook, { query: {} }))).to.equal('not_a_handshake')
    })

    it('Microsoft Graph: a POST with a parameter, and no signature', () => {
      const webhook = `${signed}
    handshake:
      when: '"validationToken" in request.query'
      text: "\${{ request.query.validationToken }}"
    provider: siem`
      expect(receive(webhook, '', { query: { validationToken: 'a b' } })).to.deep.equal({
        reply: { text: 'a b' },
      })
      expect(codeOf(() => receive(webhook, '{}', {}))).to.equal('signature_missing')
    })
  })

  it('are checked when they are loaded', () => {
    const said = (webhooks: string) =>
      saidOf(pluginWith({ connection: `${fields}\nwebhooks: ${webhooks}` })).map((line) =>
        line.replace(/^\S+ /, ''),
      )
    const hmacOf = (key: string) => `{ hmac: { key: "${key}", header: a } }`
    const good = hmacOf('${{ settings.signing_secret }}')
    for (const [webhooks, problem] of [
      ['[]', 'E106 expected a map for `webhooks`'],
      [`{ Events: { verify: ${good}, provider: a } }`, 'E107'],
      [`{ __proto__: { verify: ${good}, provider: a } }`, 'E107'],
      [`{ e: { verify: ${good} } }`, 'E105 a webhook needs `provider` for alerts, or `case`'],
      [`{ e: { verify: ${good}, case: { comment: a } } }`, 'E105'],
      [`{ e: { verify: ${good}, case: { reference: "\${{ settings.signing_secret }}" } } }`, 'E803'],
      ['{ e: { provider: a } }', 'E105'],
      ['{ e: { verify: {}, provider: a } }', 'E801 `verify` needs one of: hmac, header, query'],
      ['{ e: { verify: { header: a }, provider: a } }', 'E105 `header` needs `value`'],
      [`{ e: { verify: ${hmacOf('fixed')}, provider: a } }`, 'E107 `key` must read a secret field'],
      [`{ e: { verify: ${hmacOf('${{ settings.provider }}')}, provider: a } }`, 'E107 `key` must read'],
      [`{ e: { verify: ${good}, provider: "\${{ request.body.p }}" } }`, "E204 unknown name 'request'"],
      [`{ e: { verify: ${good}, provider: a, type: "\${{ settings.signing_secret }}" } }`, 'E803'],
      [`{ e: { verify: ${good}, provider: a, content: { x: "\${{ settings }}" } } }`, 'E803'],
      [
        `{ e: { verify: ${good}, provider: a, content: "\${{ request.url }}" } }`,
        "request has no field 'url'",
      ],
      [`{ e: { verify: ${good}, provider: a, handshake: { when: true } } }`, 'E801 `handshake` needs one of'],
      [
        `{ e: { verify: ${good}, provider: a, handshake: { text: "\${{ settings.signing_secret }}" } } }`,
        'E803',
      ],
    ] as const)
      expect(said(webhooks).join('\n'), webhooks).to.include(problem)
  })
})
