import { numberAt, objectsAt, SkillError, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { withoutMarkup } from './markup.ts'

/** One scale for all kinds, so that playbooks can compare levels. `unknown`: not rated. */
export const riskLevels = ['unknown', 'none', 'low', 'medium', 'high', 'critical'] as const
type RiskLevel = (typeof riskLevels)[number]

interface Evidence {
  readonly rule: string
  readonly level: RiskLevel
  readonly label: string | null
  readonly criticality: number | null
  readonly text: string | null
  readonly mitigation: string | null
  /** As the provider wrote it. */
  readonly timestamp: string | null
}

export interface Risk {
  /** 0 to 100; null if the provider gives none. */
  readonly score: number | null
  readonly level: RiskLevel
  /** The provider's name for the level; it differs between kinds. */
  readonly label: string | null
  readonly criticality: number | null
  readonly rule_count: number
  readonly summary: string | null
  readonly evidence: readonly Evidence[]
}

export const unknownRisk: Risk = {
  score: null,
  level: 'unknown',
  label: null,
  criticality: null,
  rule_count: 0,
  summary: null,
  evidence: [],
}

/**
 * Reads the `risk` of an enrichment record, which may be absent, null or partial. Throws SkillError
 * `bad_response`.
 */
export function decodeRisk(risk: unknown): Risk {
  const evidence = objectsAt(risk, 'evidenceDetails').map(decodeEvidence)
  const score = decodeScore(valueAt(risk, 'score'))
  return {
    score,
    ...levelOf(risk, score),
    rule_count: countAt(risk, 'rules') ?? evidence.length,
    summary: withoutMarkup(textAt(risk, 'riskSummary')),
    evidence,
  }
}

function decodeEvidence(item: JsonObject): Evidence {
  return {
    rule: withoutMarkup(textAt(item, 'rule')) ?? '',
    ...levelOf(item, null),
    text: withoutMarkup(textAt(item, 'evidenceString')),
    mitigation: withoutMarkup(textAt(item, 'mitigationString')),
    timestamp: textAt(item, 'timestamp'),
  }
}

/** An invalid score must not count as "not rated": playbooks would let a bad indicator pass. */
function decodeScore(score: unknown): number | null {
  if (score === undefined || score === null) return null
  if (typeof score === 'number' && score >= 0 && score <= 100) return score
  const shown = JSON.stringify(score).slice(0, 40)
  throw new SkillError(
    'bad_response',
    `the provider returned the risk score ${shown}, which is not between 0 and 100`,
  )
}

function countAt(value: unknown, key: string): number | null {
  const count = numberAt(value, key)
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? count : null
}

interface Level {
  readonly level: RiskLevel
  readonly label: string | null
  readonly criticality: number | null
}

/**
 * The number takes precedence, since labels differ between kinds. The score's bands apply if both are absent.
 */
function levelOf(value: unknown, score: number | null): Level {
  const criticality = numberAt(value, 'criticality')
  const label = textAt(value, 'criticalityLabel')
  const level = fromCriticality(criticality) ?? fromLabel(label) ?? fromScore(score)
  return { level, label, criticality }
}

function fromCriticality(criticality: number | null): RiskLevel | undefined {
  if (criticality === null || criticality < 0) return undefined
  return riskLevels[Math.min(Math.floor(criticality), 4) + 1]
}

const labels = new Map<string, RiskLevel>([
  ['none', 'none'],
  ['unusual', 'low'],
  ['low', 'low'],
  ['informational', 'low'],
  ['suspicious', 'medium'],
  ['medium', 'medium'],
  ['moderate', 'medium'],
  ['malicious', 'high'],
  ['high', 'high'],
  ['very malicious', 'critical'],
  ['critical', 'critical'],
  ['very critical', 'critical'],
])

function fromLabel(label: string | null): RiskLevel | undefined {
  return label === null ? undefined : labels.get(label.toLowerCase())
}

/** The provider's own bands. */
function fromScore(score: number | null): RiskLevel {
  if (score === null) return 'unknown'
  if (score >= 90) return 'critical'
  if (score >= 65) return 'high'
  if (score >= 25) return 'medium'
  return score > 0 ? 'low' : 'none'
}
