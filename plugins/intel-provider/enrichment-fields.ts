import { SkillError } from 'tocsin/plugin'
import type { IndicatorKind } from './indicator.ts'

/** Always requested: without them a response says nothing about risk. */
export const defaultFields = ['entity', 'risk', 'timestamps'] as const

const commonFields = [
  ...defaultFields,
  'intelCard',
  'metrics',
  'counts',
  'sightings',
  'relatedEntities',
  'analystNotes',
  'links',
  'threatLists',
  'riskMapping',
  'enterpriseLists',
  'aiInsights',
] as const

const fieldsOfKind = {
  ip: ['location', 'riskyCIDRIPs', 'dnsPortCert'],
  domain: [],
  url: [],
  hash: ['hashAlgorithm', 'fileHashes'],
  vulnerability: ['cvss', 'cvssv3', 'cvssRatings', 'cpe', 'nvdDescription', 'commonNames', 'rawrisk'],
  company: ['curated'],
} as const satisfies Record<IndicatorKind, readonly string[]>

/** The fields of all kinds. */
export const allFields = [
  ...commonFields,
  ...fieldsOfKind.ip,
  ...fieldsOfKind.hash,
  ...fieldsOfKind.vulnerability,
  ...fieldsOfKind.company,
] as const
export type EnrichmentField = (typeof allFields)[number]

const fieldsByKind = new Map(
  Object.entries(fieldsOfKind).map(([kind, fields]) => [kind, new Set<string>([...commonFields, ...fields])]),
)

/** Whether records of the kind have the field. */
export function isFieldOf(kind: IndicatorKind, field: string): boolean {
  return fieldsByKind.get(kind)?.has(field) === true
}

/**
 * The fields to request, without duplicates. Throws SkillError `field_not_available` for a field that the
 * kind lacks.
 */
export function fieldsToAskFor(
  kind: IndicatorKind,
  wanted: readonly EnrichmentField[] = [],
): readonly EnrichmentField[] {
  const foreign = wanted.find((field) => !isFieldOf(kind, field))
  if (foreign !== undefined) {
    throw new SkillError(
      'field_not_available',
      `the provider has no field '${foreign}' for the kind '${kind}'`,
      {
        hint: `fields of this kind: ${[...(fieldsByKind.get(kind) ?? [])].join(', ')}`,
      },
    )
  }
  return [...new Set([...defaultFields, ...wanted])]
}
