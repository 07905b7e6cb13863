import { indicatorKinds } from './indicator.ts'
import { riskLevels } from './risk.ts'

const textOrNull = { type: ['string', 'null'] } as const

const level = {
  type: 'string',
  enum: riskLevels,
  description: 'One scale for all kinds; unknown: not rated.',
} as const
const label = {
  ...textOrNull,
  description: "The provider's name for the level, e.g. Very Malicious.",
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
      description: 'null: not rated by the provider.',
    },
    level,
    label,
    criticality,
    rule_count: { type: 'integer', minimum: 0, description: 'Number of risk rules that fired.' },
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

/** The schema of {@link Enrichment}, the output for one indicator. */
export const enrichmentSchema = {
  type: 'object',
  required: ['found', 'kind', 'value', 'entity', 'risk', 'timestamps', 'portal_url', 'raw'],
  additionalProperties: false,
  properties: {
    found: { type: 'boolean', description: 'false: unknown to the provider.' },
    kind: { type: 'string', enum: indicatorKinds },
    value: { type: 'string', description: 'As given in the input.' },
    entity,
    risk,
    timestamps,
    portal_url: {
      ...textOrNull,
      description: 'Its page in the portal; only with the field intelCard.',
    },
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The provider’s full record, with markup in its texts.',
    },
  },
} as const
