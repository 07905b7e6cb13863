import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { indicatorKinds, type IndicatorKind } from '../indicator.ts'
import { intelFixture } from './fixture.ts'
import { knownIndicators } from './known-indicators.ts'
import { makeRecord } from './make-record.ts'

/** The sandbox's records by {@link recordKey}. */
export type Records = ReadonlyMap<string, JsonObject>

/** A key that is equal for all spellings of an indicator. The provider's own ids are case-sensitive. */
export function recordKey(kind: IndicatorKind, value: string): string {
  if (kind === 'url') return `url ${URL.canParse(value) ? new URL(value).href : value}`
  return `${kind} ${kind === 'company' || kind === 'vulnerability' ? value : value.toLowerCase()}`
}

export function loadRecords(): Map<string, JsonObject> {
  const records = new Map<string, JsonObject>()
  for (const indicator of knownIndicators) {
    records.set(recordKey(indicator.kind, indicator.value), makeRecord(indicator))
  }
  for (const [kind, data] of recordedAnswers()) {
    const entity = valueAt(data, 'entity')
    records.set(recordKey(kind, textAt(entity, 'name') ?? ''), data)
    if (kind === 'vulnerability' || kind === 'company')
      records.set(recordKey(kind, textAt(entity, 'id') ?? ''), data)
  }
  const company = records.get(recordKey('company', 'Cq_xI'))
  if (company) records.set(recordKey('company', 'by_domain/example.com'), company)
  return records
}

function* recordedAnswers(): Generator<readonly [IndicatorKind, JsonObject]> {
  for (const [kind, name] of [
    ['ip', 'v2-ip-full'],
    ['domain', 'v2-domain-full'],
    ['url', 'v2-url'],
    ['vulnerability', 'v2-vulnerability'],
    ['company', 'v2-company'],
  ] as const) {
    const data = valueAt(intelFixture(name), 'data')
    if (isObject(data)) yield [kind, data]
  }
  for (const [kind, name] of [
    ['domain', 'client-enrich-host-2'],
    ['url', 'client-enrich-url-2'],
    ['hash', 'client-enrich-hash-2'],
  ] as const) {
    for (const item of objectsAt({ list: intelFixture(name) }, 'list')) {
      for (const data of objectsAt(item, 'EntityResult')) yield [kind, data]
    }
  }
}

export const isIndicatorKind = (text: string): text is IndicatorKind =>
  indicatorKinds.some((kind) => kind === text)
