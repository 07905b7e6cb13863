import { isObject, SkillError, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { IndicatorKind } from './indicator.ts'
import { withoutMarkup } from './markup.ts'
import { decodeRisk, unknownRisk, type Risk } from './risk.ts'

/** The output for one indicator. */
export interface Enrichment {
  readonly found: boolean
  readonly kind: IndicatorKind
  readonly value: string
  readonly entity: Entity | null
  readonly risk: Risk
  readonly timestamps: { readonly first_seen: string | null; readonly last_seen: string | null }
  readonly portal_url: string | null
  readonly raw: JsonObject
}

interface Entity {
  readonly id: string | null
  readonly name: string
  readonly type: string | null
  readonly description: string | null
}

/**
 * Reads the body of a 200 response, `{ data: {...} }`. Throws SkillError `bad_response` for any other body.
 */
export function decodeEnrichment(kind: IndicatorKind, value: string, body: unknown): Enrichment {
  const data = valueAt(body, 'data')
  if (!isObject(data)) {
    throw new SkillError('bad_response', `the provider's response for '${kind}' lacks the object 'data'`, {
      hint: 'check that base_url leads to the provider, not to a proxy in front of it',
    })
  }
  const timestamps = valueAt(data, 'timestamps')
  return {
    found: true,
    kind,
    value,
    entity: decodeEntity(valueAt(data, 'entity'), value),
    risk: decodeRisk(valueAt(data, 'risk')),
    timestamps: { first_seen: textAt(timestamps, 'firstSeen'), last_seen: textAt(timestamps, 'lastSeen') },
    portal_url: textAt(data, 'intelCard'),
    raw: data,
  }
}

/** The record of an indicator that the provider does not know. */
export function nothingKnown(kind: IndicatorKind, value: string): Enrichment {
  return {
    found: false,
    kind,
    value,
    entity: null,
    risk: unknownRisk,
    timestamps: { first_seen: null, last_seen: null },
    portal_url: null,
    raw: {},
  }
}

function decodeEntity(entity: unknown, value: string): Entity | null {
  if (!isObject(entity)) return null
  return {
    id: textAt(entity, 'id'),
    name: textAt(entity, 'name') ?? value,
    type: textAt(entity, 'type'),
    description: withoutMarkup(textAt(entity, 'description')),
  }
}
