import { expect } from 'chai'
import {
  loopbackEgress,
  runSkill,
  type Failure,
  type SandboxReply,
  type ServedSandbox,
} from 'tocsin/plugin/testing'
import { valueAt } from 'tocsin/plugin'
import sandbox, { sandboxWithHeader } from './sandbox.ts'
import { intelFaults } from './sandbox/faults.ts'
import { intelFixture } from './sandbox/fixture.ts'
import { fullAccessKey, basicTierKey } from './sandbox/routes.ts'
import { getEnrichment } from './skills/get-enrichment.ts'
import type { IndicatorKind } from './indicator.ts'
import type { EnrichmentField } from './enrichment-fields.ts'

describe('intel_provider.get_enrichment', () => {
  let running: ServedSandbox

  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  async function enrich(
    kind: IndicatorKind,
    value: string,
    fields?: readonly EnrichmentField[],
    settings: Readonly<Record<string, unknown>> = running.settings,
  ) {
    const { output } = await runSkill(
      getEnrichment,
      { kind, value, fields },
      { settings, egress: loopbackEgress },
    )
    return output
  }

  describe('for every kind', () => {
    const known = [
      ['ip', '203.0.113.77', 92, 'critical', 'Very Malicious', 'ip:203.0.113.77'],
      ['ip', '93.184.216.34', 58, 'medium', 'Suspicious', 'ip:93.184.216.34'],
      ['ip', '198.51.100.7', 41, 'medium', 'Suspicious', 'ip:198.51.100.7'],
      ['ip', '8.8.8.8', 5, 'low', 'Unusual', 'ip:8.8.8.8'],
      ['domain', 'EXAMP1E.com', 89, 'high', 'Malicious', 'idn:examp1e.com'],
      ['domain', 'coffee-break.pl', 0, 'none', 'None', 'idn:coffee-break.pl'],
      ['domain', 'ntrshvquunyzxevkucs.com', 94, 'critical', 'Very Malicious', 'idn:ntrshvquunyzxevkucs.com'],
      [
        'url',
        'https://examp1e.com/login?u=bo%40example.com',
        91,
        'critical',
        'Very Malicious',
        'url:https://examp1e.com/login?u=bo%40example.com',
      ],
      ['url', 'https://bbc.com', 0, 'none', 'None', 'url:https://bbc.com'],
      ['url', 'https://send.exploit.in/', 24, 'low', 'Unusual', 'url:https://send.exploit.in/'],
      [
        'hash',
        '07C70968C66C93B6D6C9A90255E1C81A3B385632C83F53F69534B3F55212CED9',
        89,
        'high',
        'Malicious',
        'hash:07c70968c66c93b6d6c9a90255e1c81a3b385632c83f53f69534b3f55212ced9',
      ],
      ['vulnerability', 'cve-2009-0001', 65, 'high', 'High', 'LEyYOW'],
      ['vulnerability', 'LEyYOW', 65, 'high', 'High', 'LEyYOW'],
      ['vulnerability', 'CVE-2021-44228', 99, 'critical', 'Critical', 'sbx-CVE-2021-44228'],
      ['company', 'Cq_xI', 42, 'medium', 'Moderate', 'Cq_xI'],
      ['company', 'example.com', 42, 'medium', 'Moderate', 'Cq_xI'],
    ] as const
    for (const [kind, value, score, level, label, id] of known) {
      it(`finds the ${kind} ${value}`, async () => {
        const output = await enrich(kind, value)
        expect(output).to.deep.include({ found: true, kind, value, portal_url: null })
        expect(output.risk).to.include({ score, level, label })
        expect(output.entity?.id).to.equal(id)
        expect(output.timestamps.last_seen).to.be.a('string')
        expect(output.raw).to.have.all.keys('entity', 'risk', 'timestamps')
      })
    }

    for (const [kind, value] of [
      ['ip', '2001:db8::44'],
      ['domain', 'nobody-knows.example'],
      ['url', 'https://nobody-knows.example/a/b?c=d#e'],
      ['hash', 'd41d8cd98f00b204e9800998ecf8427e'],
      ['vulnerability', 'CVE-1999-99999'],
      ['company', 'nobody-knows.example'],
    ] as const) {
      it(`succeeds without a rating for the unknown ${kind} ${value}`, async () => {
        const output = await enrich(kind, value)
        expect(output).to.deep.include({ found: false, kind, value, entity: null, raw: {} })
        expect(output.risk).to.deep.include({ score: null, level: 'unknown', rule_count: 0, evidence: [] })
      })
    }
  })

  for (const [kind, value, hint] of [
    ['company', 'Contoso', /give the domain of the company/],
    ['vulnerability', 'BlueKeep', /give the CVE id/],
  ] as const) {
    it(`does not report the ${kind} ${value} as unknown, because it may be a name`, async () => {
      await rejected(enrich(kind, value), {
        code: 'invalid_indicator',
        message: new RegExp(`no ${kind} with the id '${value}'`),
        hint,
      })
    })
  }

  describe('requests', () => {
    it('send the key, the accepted type and the default fields, with no secret in the URL', async () => {
      await enrich('ip', '203.0.113.77')
      expect(running.requests).to.have.length(1)
      expect(running.requests[0]).to.include({
        method: 'GET',
        path: '/v2/ip/203.0.113.77?fields=entity%2Crisk%2Ctimestamps',
        body: '',
      })
      expect(running.requests[0]?.headers).to.include({
        'x-rftoken': fullAccessKey,
        accept: 'application/json',
      })
    })

    it('send a URL as one path segment', async () => {
      await enrich('url', 'https://a.example/b/../c?d=e&f=g%2Fh')
      expect(running.requests[0]?.path).to.match(
        /^\/v2\/url\/https%3A%2F%2Fa\.example%2Fb%2F\.\.%2Fc%3Fd%3De%26f%3Dg%252Fh\?/,
      )
    })

    it('send the key in the configured header', async () => {
      const other = await sandboxWithHeader('X-ExampleToken').start()
      try {
        expect(await enrich('ip', '8.8.8.8', undefined, other.settings)).to.include({ found: true })
        expect(other.requests[0]?.headers).to.include({ 'x-exampletoken': fullAccessKey })
        expect(other.requests[0]?.headers).to.not.have.property('x-rftoken')
      } finally {
        await other.close()
      }
    })

    it('are not sent for an invalid value or field', async () => {
      await rejected(enrich('ip', '192.0.2.0/24'), { code: 'invalid_indicator', message: /is a range/ })
      await rejected(enrich('domain', 'example.com', ['cvss']), {
        code: 'field_not_available',
        message: /'cvss'/,
      })
      expect(running.requests).to.have.length(0)
    })
  })

  it('passes a whole record of 200 KB through', async () => {
    const output = await enrich('ip', '93.184.216.34', [
      'intelCard',
      'metrics',
      'counts',
      'sightings',
      'relatedEntities',
      'analystNotes',
      'threatLists',
      'enterpriseLists',
      'location',
      'riskyCIDRIPs',
    ])
    expect(output.raw).to.deep.equal(valueAt(intelFixture('v2-ip-full'), 'data'))
    expect(output.portal_url).to.equal('https://app.recordedfuture.com/live/sc/entity/ip%3A93.184.216.34')
    expect(output.risk.evidence).to.have.length(11)
  })

  it('shows texts without markup, which raw keeps', async () => {
    const output = await enrich('domain', 'login-example.com')
    expect(output.risk.evidence[0]?.text).to.equal('Contains the name of Example Corp.')
    expect(JSON.stringify(output.raw)).to.include('<e id=Cq_xI>Example Corp</e>')
  })

  describe('fails', () => {
    const rows: readonly (readonly [
      about: string,
      how: SandboxReply | Failure,
      error: {
        readonly name: string
        readonly code: string
        readonly hint?: RegExp
        readonly retryAfterMs?: number
      },
    ])[] = [
      [
        'in an outage',
        intelFaults.outage,
        { name: 'RetryableError', code: 'http_500', hint: /outage or limits the rate/ },
      ],
      [
        'over the rate, not before the pause asked for',
        intelFaults.rateLimited,
        { name: 'RetryableError', code: 'http_429', retryAfterMs: 2000, hint: /Too many requests/ },
      ],
      [
        'behind a broken gateway with HTML',
        intelFaults.badGateway,
        { name: 'RetryableError', code: 'http_502' },
      ],
      ['when the connection is cut', 'reset', { name: 'RetryableError', code: 'network_error' }],
      [
        'on a 404 page of something else',
        intelFaults.foreignNotFound,
        { name: 'SkillError', code: 'bad_response' },
      ],
      ...[
        '',
        '{}',
        '[]',
        '{"message":"no Route matched with those values"}',
        '{"error":{"message":"Not found"}}',
        '{"error":{"message":"Not found","status":"404"}}',
        '{"error":{"status":404}}',
        '{"error":"Not found","status":404}',
      ].map(
        (text) =>
          [
            `on the 404 of something else, ${text}`,
            { status: 404, text },
            { name: 'SkillError', code: 'bad_response', hint: /check base_url/ },
          ] as const,
      ),
      ['on a sign-in page', intelFaults.signInPage, { name: 'SkillError', code: 'bad_response' }],
      ['on an empty body', intelFaults.emptyBody, { name: 'SkillError', code: 'bad_response' }],
      ['on a truncated body', intelFaults.truncatedBody, { name: 'SkillError', code: 'bad_response' }],
      ['on an answer without data', { json: { data: null } }, { name: 'SkillError', code: 'bad_response' }],
      ['on a list for data', { json: { data: [] } }, { name: 'SkillError', code: 'bad_response' }],
      [
        'on a redirect',
        { status: 302, headers: { location: '/' } },
        { name: 'SkillError', code: 'http_302' },
      ],
    ]
    for (const [about, how, error] of rows) {
      it(`with ${error.name} ${about}`, async () => {
        running.failNext(how)
        await rejected(enrich('ip', '8.8.8.8'), error)
      })
    }

    const refusals = [
      { error: { message: 'Invalid ip', status: 400 } },
      { status: { status_code: 'Error', status_message: 'Invalid ip' } },
      { message: 'Invalid ip' },
    ]
    for (const json of refusals) {
      it(`with the provider's message from ${JSON.stringify(json)}`, async () => {
        running.failNext({ status: 400, json })
        await rejected(enrich('ip', '8.8.8.8'), {
          name: 'SkillError',
          code: 'http_400',
          message: /: Invalid ip$/,
        })
      })
    }

    for (const text of ['', '<html>', 'Forbidden', '{"error"', '[]', 'null']) {
      it(`alike for every body of a 403: ${JSON.stringify(text)}`, async () => {
        running.failNext({ status: 403, text })
        await rejected(enrich('ip', '8.8.8.8'), { name: 'ConnectionError', code: 'http_403' })
      })
    }

    it('with a hint for the operator if the key is wrong', async () => {
      const settings = { ...running.settings, api_key: 'wrong-key' }
      const error = await rejected(enrich('ip', '8.8.8.8', undefined, settings), {
        name: 'ConnectionError',
        code: 'http_401',
        hint: /invalid or has expired: generate a new one/,
      })
      expect(error).to.not.have.property('retryAfterMs')
    })

    it('with a hint for the operator if the subscription is too small', async () => {
      const settings = { ...running.settings, api_key: basicTierKey }
      await rejected(enrich('ip', '8.8.8.8', undefined, settings), {
        name: 'ConnectionError',
        code: 'http_403',
        hint: /subscription tier/,
      })
    })

    it('without leaking a key that the provider echoes', async () => {
      for (const status of [400, 401, 403, 500]) {
        running.failNext({ status, json: { error: { message: `bad token ${fullAccessKey}` } } })
        const error = await rejected(enrich('ip', '8.8.8.8'), { code: `http_${status}` })
        expect(JSON.stringify([error.message, error.hint, error.details, error.stack])).to.not.include(
          fullAccessKey,
        )
      }
    })
  })
})

interface Expected {
  readonly name?: string
  readonly code: string
  readonly message?: RegExp
  readonly hint?: RegExp
  readonly retryAfterMs?: number
}

type Raised = Error & { readonly code?: unknown; readonly hint?: unknown; readonly details?: unknown }

/** Returns the error of the rejected promise after checking it. */
async function rejected(work: Promise<unknown>, expected: Expected): Promise<Raised> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('it was not rejected with an error')
  const { hint, message, ...exact } = expected
  expect(error).to.include(exact)
  if (message) expect(error.message).to.match(message)
  if (hint) expect(valueAt(error, 'hint')).to.match(hint)
  return error
}
