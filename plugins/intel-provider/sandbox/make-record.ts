import type { JsonObject } from 'tocsin/plugin'
import type { IndicatorKind } from '../indicator.ts'
import type { KnownIndicator } from './known-indicators.ts'

const seen = { firstSeen: '2025-11-03T07:12:44.000Z', lastSeen: '2026-01-11T23:59:59.000Z' }

/** Type of the entity, prefix of its id, and number of rules. */
const entities: Readonly<Record<IndicatorKind, readonly [type: string, prefix: string, rules: number]>> = {
  ip: ['IpAddress', 'ip:', 79],
  domain: ['InternetDomainName', 'idn:', 52],
  url: ['URL', 'url:', 35],
  hash: ['Hash', 'hash:', 17],
  vulnerability: ['CyberVulnerability', 'sbx-', 26],
  company: ['Company', 'sbx-', 50],
}

/** A record with every field of a small real one; deterministic for each indicator. */
export function makeRecord({ kind, value, score, rules }: KnownIndicator): JsonObject {
  const [type, prefix, total] = entities[kind]
  const id = prefix + value
  return {
    entity: { id, name: value, type },
    timestamps: seen,
    risk: {
      score,
      ...criticalityOf(kind, score),
      riskString: `${rules.length}/${total}`,
      rules: rules.length,
      riskSummary:
        rules.length === 0
          ? 'No Risk Rules are currently observed.'
          : `${rules.length} of ${total} Risk Rules currently observed.`,
      evidenceDetails: rules.map(([rule, evidenceString]) => ({
        rule,
        ...criticalityOf(kind, score),
        evidenceString,
        mitigationString: '',
        timestamp: seen.lastSeen,
      })),
    },
    intelCard: `https://app.recordedfuture.com/live/sc/entity/${encodeURIComponent(id)}`,
    metrics: [{ type: 'totalHits', value: rules.length }],
    counts: [],
    sightings: [],
    relatedEntities: [],
    analystNotes: [],
    threatLists: [],
    enterpriseLists: [],
  }
}

const labels = {
  common: ['None', 'Unusual', 'Suspicious', 'Malicious', 'Very Malicious'],
  vulnerability: ['None', 'Low', 'Medium', 'High', 'Critical'],
}

function criticalityOf(kind: IndicatorKind, score: number) {
  const criticality = [1, 25, 65, 90].filter((from) => score >= from).length
  const words = kind === 'vulnerability' ? labels.vulnerability : labels.common
  return { criticality, criticalityLabel: words[criticality] }
}
