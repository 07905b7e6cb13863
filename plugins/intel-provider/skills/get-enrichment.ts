import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { allFields, defaultFields, fieldsToAskFor } from '../enrichment-fields.ts'
import { decodeEnrichment, nothingKnown } from '../enrichment-record.ts'
import { enrichmentSchema } from '../enrichment-schema.ts'
import { indicatorKinds, isProvidersId, lookupPath, type IndicatorKind } from '../indicator.ts'
import { isKnown } from '../answer-body.ts'

export const getEnrichment = defineSkill({
  name: 'get_enrichment',
  title: 'Get Enrichment',
  description:
    'Returns what the provider knows about one indicator: risk score, the rules behind it, when it was seen. ' +
    'An unknown indicator is a success with found: false and risk.score: null.',
  docs: 'https://api.recordedfuture.com/v2/',
  effect: 'read',
  enriches: ['ip', 'domain', 'url', 'hash', 'vulnerability', 'company'],
  connection,
  input: {
    type: 'object',
    required: ['kind', 'value'],
    additionalProperties: false,
    properties: {
      kind: { type: 'string', enum: indicatorKinds },
      value: {
        type: 'string',
        minLength: 1,
        maxLength: 4096,
        description:
          'ip: one IPv4 or IPv6 address · domain: a name · url: the whole address · hash: MD5, SHA-1 or SHA-256 · ' +
          "vulnerability: a CVE id or the provider's id · company: its domain or the provider's id.",
      },
      fields: {
        type: 'array',
        uniqueItems: true,
        maxItems: allFields.length,
        items: { type: 'string', enum: allFields },
        default: defaultFields,
        description:
          'Parts of the record to request, in addition to entity, risk and timestamps. They are returned in raw. ' +
          'A full record can have 200 KB.',
      },
    },
  },
  output: enrichmentSchema,
  examples: [
    {
      title: 'A domain that controls malware',
      input: { kind: 'domain', value: 'evil.example' },
      output: {
        found: true,
        kind: 'domain',
        value: 'evil.example',
        entity: {
          id: 'idn:evil.example',
          name: 'evil.example',
          type: 'InternetDomainName',
          description: null,
        },
        risk: {
          score: 95,
          level: 'critical',
          label: 'Very Malicious',
          criticality: 4,
          rule_count: 1,
          summary: '1 of 52 Risk Rules currently observed.',
          evidence: [
            {
              rule: 'Recent C&C DNS Name',
              level: 'critical',
              label: 'Very Malicious',
              criticality: 4,
              text: 'Seen in 2 malware samples.',
              mitigation: null,
              timestamp: '2026-01-11T23:59:59.000Z',
            },
          ],
        },
        timestamps: { first_seen: '2025-11-03T07:12:44.000Z', last_seen: '2026-01-11T23:59:59.000Z' },
        portal_url: null,
        raw: {
          entity: { id: 'idn:evil.example', name: 'evil.example', type: 'InternetDomainName' },
          timestamps: { firstSeen: '2025-11-03T07:12:44.000Z', lastSeen: '2026-01-11T23:59:59.000Z' },
          risk: {
            score: 95,
            criticality: 4,
            criticalityLabel: 'Very Malicious',
            riskString: '1/52',
            rules: 1,
            riskSummary: '1 of 52 Risk Rules currently observed.',
            evidenceDetails: [
              {
                rule: 'Recent C&C DNS Name',
                criticality: 4,
                criticalityLabel: 'Very Malicious',
                evidenceString: 'Seen in 2 malware samples.',
                mitigationString: '',
                timestamp: '2026-01-11T23:59:59.000Z',
              },
            ],
          },
        },
      },
    },
    {
      title: 'An address without reports',
      input: { kind: 'ip', value: '192.0.2.44' },
      output: {
        found: false,
        kind: 'ip',
        value: '192.0.2.44',
        entity: null,
        risk: {
          score: null,
          level: 'unknown',
          label: null,
          criticality: null,
          rule_count: 0,
          summary: null,
          evidence: [],
        },
        timestamps: { first_seen: null, last_seen: null },
        portal_url: null,
        raw: {},
      },
    },
  ],
  async run({ kind, value, fields }, { http }) {
    const path = lookupPath(kind, value)
    const query = { fields: fieldsToAskFor(kind, fields).join(',') }
    const response = await http.get(path, { query, accept: [404] })
    if (isKnown(response)) return decodeEnrichment(kind, value, response.json())
    // The provider knows all of its own ids, so this is probably a name; it was not looked up.
    if (isProvidersId(kind, value)) throw notAnId(kind, value)
    return nothingKnown(kind, value)
  },
})

function notAnId(kind: IndicatorKind, value: string): SkillError {
  const other = kind === 'company' ? 'the domain of the company' : 'the CVE id'
  return new SkillError('invalid_indicator', `the provider has no ${kind} with the id '${value}'`, {
    hint: `names are not ids: give ${other}, or the provider's id`,
    details: { kind },
  })
}
