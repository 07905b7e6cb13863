import { defineSkill, SkillError } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { allFields, defaultFields, fieldsToAskFor } from '../enrichment-fields.ts'
import { decodeEnrichment, nothingKnown } from '../enrichment-record.ts'
import { indicatorKinds, lookupPath } from '../indicator.ts'
import { saysNothingKnown } from '../not-found.ts'
import { riskLevels } from '../risk.ts'

const textOrNull = { type: ['string', 'null'] } as const

const level = {
  type: 'string',
  enum: riskLevels,
  description: 'One scale for all kinds; unknown: not rated.',
} as const
const label = {
  ...textOrNull,
  description: "The provider's word for the level, e.g. Very Malicious.",
} as const
const criticality = {
  type: ['number', 'null'],
  description: "The provider's number for the level, from 0.",
} as const

const evidence = {
  type: 'object',
  required: ['rule', 'level', 'label', 'criticality', 'text', 'mitigation', 'timestamp'],
  additionalProperties: false,
  properties: {
    rule: { type: 'string', description: 'Name of the risk rule that fired.' },
    level,
    label,
    criticality,
    text: textOrNull,
    mitigation: textOrNull,
    timestamp: { ...textOrNull, description: 'ISO 8601 in UTC, as the provider wrote it.' },
  },
} as const

const risk = {
  type: 'object',
  required: ['score', 'level', 'label', 'criticality', 'rule_count', 'summary', 'evidence'],
  additionalProperties: false,
  properties: {
    score: {
      type: ['number', 'null'],
      minimum: 0,
      maximum: 100,
      description: 'null: the provider has no rating.',
    },
    level,
    label,
    criticality,
    rule_count: { type: 'integer', minimum: 0, description: 'How many risk rules fired.' },
    summary: textOrNull,
    evidence: { type: 'array', items: evidence },
  },
} as const

const entity = {
  type: ['object', 'null'],
  required: ['id', 'name', 'type', 'description'],
  additionalProperties: false,
  properties: { id: textOrNull, name: { type: 'string' }, type: textOrNull, description: textOrNull },
} as const

const timestamps = {
  type: 'object',
  required: ['first_seen', 'last_seen'],
  additionalProperties: false,
  description: 'ISO 8601 in UTC, as the provider wrote it.',
  properties: { first_seen: textOrNull, last_seen: textOrNull },
} as const

export const getEnrichment = defineSkill({
  name: 'get_enrichment',
  title: 'Get Enrichment',
  description:
    'Returns what the provider knows about one indicator: risk score, the rules behind it, when it was seen. ' +
    'An indicator that the provider does not know is a success with found: false and risk.score: null.',
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
          'Parts of the record to ask for; entity, risk and timestamps always are. The others come back in raw. ' +
          'A whole record can have 200 KB.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['found', 'kind', 'value', 'entity', 'risk', 'timestamps', 'portal_url', 'raw'],
    additionalProperties: false,
    properties: {
      found: { type: 'boolean', description: 'false: the provider knows nothing about it.' },
      kind: { type: 'string', enum: indicatorKinds },
      value: { type: 'string', description: 'As it was asked for.' },
      entity,
      risk,
      timestamps,
      portal_url: {
        ...textOrNull,
        description: 'Page about it in the portal; only with the field intelCard.',
      },
      raw: {
        type: 'object',
        additionalProperties: true,
        description: 'The record as the provider gave it, with all fields and with markup in its texts.',
      },
    },
  },
  examples: [
    {
      title: 'An address nobody has reported',
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
    if (response.status !== 404) return decodeEnrichment(kind, value, response.json())
    if (saysNothingKnown(response)) return nothingKnown(kind, value)
    throw new SkillError('bad_response', "the answer 404 is not the provider's: its body is not JSON", {
      hint: 'check base_url, and that no proxy on the way decodes %2F in paths',
    })
  },
})
