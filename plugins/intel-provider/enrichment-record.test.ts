import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { objectsAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { decodeEnrichment } from './enrichment-record.ts'
import type { IndicatorKind } from './indicator.ts'
import { withoutMarkup } from './markup.ts'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))

const decode = (data: unknown) => decodeEnrichment('ip', '192.0.2.1', { data })

describe('an enrichment record', () => {
  const answers = [
    ['ip', 'v2-ip-full', 58, 'medium', 11],
    ['domain', 'v2-domain-full', 0, 'none', 0],
    ['url', 'v2-url', 0, 'none', 0],
    ['vulnerability', 'v2-vulnerability', 65, 'high', 1],
    ['company', 'v2-company', 42, 'medium', 4],
  ] as const
  for (const [kind, name, score, level, rules] of answers) {
    it(`keeps every field of the recorded response ${name}`, () => {
      const body = fixture(name)
      const read = decodeEnrichment(kind, 'asked', body)
      expect(read.found).to.equal(true)
      expect(read.risk).to.include({ score, level, rule_count: rules })
      expect(read.entity?.name).to.equal(valueAt(valueAt(valueAt(body, 'data'), 'entity'), 'name'))
      expect(read.timestamps.first_seen).to.match(/^\d{4}-.*\.\d{3}Z$/)
      expect(read.raw).to.deep.equal(valueAt(body, 'data'))
    })
  }

  for (const { file, kind } of [
    { file: 'client-enrich-cve', kind: 'vulnerability' },
    { file: 'client-enrich-hash-2', kind: 'hash' },
    { file: 'client-enrich-host-2', kind: 'domain' },
    { file: 'client-enrich-host', kind: 'domain' },
    { file: 'client-enrich-ip-2', kind: 'ip' },
    { file: 'client-enrich-ip', kind: 'ip' },
    { file: 'client-enrich-url-2', kind: 'url' },
  ] as const) {
    it(`is read from every record in ${file}`, () => {
      const records = recordsOf(fixture(file))
      expect(records).to.not.have.length(0)
      for (const data of records) checkRecord(kind, data)
    })
  }

  it('has a null score if the provider returns null', () => {
    const risk = objectsAt(valueAt(fixture('v2-alert-details'), 'data'), 'entities').map((item) =>
      valueAt(item, 'risk'),
    )[0]
    const read = decode({ risk })
    expect(read.risk).to.include({ score: null, level: 'medium', label: 'Suspicious' })
  })

  for (const data of [
    {},
    { risk: null, entity: null, timestamps: null },
    { risk: { evidenceDetails: null, rules: null } },
  ]) {
    it(`is unknown, not zero, for ${JSON.stringify(data)}`, () => {
      expect(decode(data).risk).to.deep.equal({
        score: null,
        level: 'unknown',
        label: null,
        criticality: null,
        rule_count: 0,
        summary: null,
        evidence: [],
      })
    })
  }

  for (const score of [-1, 101, '89', {}]) {
    it(`does not treat the score ${JSON.stringify(score)} as unrated`, () => {
      expect(() => decode({ risk: { score } }))
        .to.throw('not between 0 and 100')
        .with.property('code', 'bad_response')
    })
  }

  for (const body of [null, [], 'text', {}, { data: null }, { data: [] }]) {
    it(`is refused for ${JSON.stringify(body)}`, () => {
      expect(() => decodeEnrichment('ip', '192.0.2.1', body))
        .to.throw()
        .with.property('code', 'bad_response')
    })
  }

  const levels = [
    [{ criticality: 4, criticalityLabel: 'Very Malicious' }, 'critical'],
    [{ criticality: 5, criticalityLabel: 'Very Critical' }, 'critical'],
    [{ criticality: 3, criticalityLabel: 'High' }, 'high'],
    [{ criticality: 2, criticalityLabel: 'Moderate' }, 'medium'],
    [{ criticality: 1, criticalityLabel: 'Informational' }, 'low'],
    [{ criticality: 0, criticalityLabel: 'None' }, 'none'],
    [{ criticalityLabel: 'Very Critical' }, 'critical'],
    [{ criticalityLabel: 'constructor', score: 70 }, 'high'],
    [{ score: 99 }, 'critical'],
    [{ score: 25 }, 'medium'],
    [{ score: 24 }, 'low'],
    [{ score: 0 }, 'none'],
  ] as const
  for (const [risk, level] of levels) {
    it(`has the level ${level} for ${JSON.stringify(risk)}`, () => {
      expect(decode({ risk }).risk.level).to.equal(level)
    })
  }

  it('shows texts without markup, which raw keeps', () => {
    const evidenceString =
      'Seen with <e id=faymwJ>CVE-2015-4719</e>, <e id=url:https://a.b/>https://t.co/x</e>.'
    const read = decode({ risk: { evidenceDetails: [{ rule: 'r', evidenceString }] } })
    expect(read.risk.evidence[0]?.text).to.equal('Seen with CVE-2015-4719, https://t.co/x.')
    expect(read.raw).to.deep.equal({ risk: { evidenceDetails: [{ rule: 'r', evidenceString }] } })
  })

  it('keeps the text of timestamps', () => {
    for (const firstSeen of ['2026-01-21T20:05:53.223000Z', '2026-01-21T20:05:53Z', '2026-01-21']) {
      expect(decode({ timestamps: { firstSeen } }).timestamps).to.deep.equal({
        first_seen: firstSeen,
        last_seen: null,
      })
    }
  })

  it('ignores inherited properties', () => {
    const body: unknown = JSON.parse(
      '{"data":{"__proto__":{"risk":{"score":99}},"constructor":{"name":"x"}}}',
    )
    const read = decodeEnrichment('ip', '192.0.2.1', body)
    expect(read.risk.score).to.equal(null)
    expect(Object.keys(read.raw)).to.deep.equal(['__proto__', 'constructor'])
  })
})

describe('withoutMarkup', () => {
  it('keeps other angle brackets', () => {
    expect(withoutMarkup('a < b, <email@example.com>, <eat>')).to.equal('a < b, <email@example.com>, <eat>')
  })

  it('takes linear time for unclosed tags', () => {
    const started = performance.now()
    const text = '<e id='.repeat(200_000)
    expect(withoutMarkup(text)).to.equal(text)
    expect(performance.now() - started).to.be.below(1000)
  })
})

function checkRecord(kind: IndicatorKind, data: JsonObject): void {
  const read = decodeEnrichment(kind, 'asked', { data })
  const risk = valueAt(data, 'risk')
  expect(read.risk.score).to.equal(valueAt(risk, 'score'))
  expect(read.risk.label).to.equal(valueAt(risk, 'criticalityLabel'))
  expect(read.risk.evidence.map((item) => item.text)).to.deep.equal(
    objectsAt(risk, 'evidenceDetails').map((item) => valueAt(item, 'evidenceString')),
  )
  expect(read.portal_url).to.equal(valueAt(data, 'intelCard'))
}

/** The client's wrapper holds one record or a list of them. */
function recordsOf(wrapped: unknown): readonly JsonObject[] {
  return objectsAt({ wrapped }, 'wrapped').flatMap((item) => {
    const result = valueAt(item, 'EntityResult')
    return objectsAt({ list: Array.isArray(result) ? result : [result] }, 'list')
  })
}
