import type { JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { defaultFields, isFieldOf } from '../enrichment-fields.ts'
import type { IndicatorKind } from '../indicator.ts'
import { enrichmentError, ok } from './answer.ts'
import { isIndicatorKind, recordKey, type Records } from './records.ts'

/** GET `/v2/{kind}/{value}`; a company's value is `by_domain/{domain}` or its id. */
export function enrichIndicator(
  records: Records,
  kind: string,
  value: string,
  query: URLSearchParams,
): SandboxReply {
  if (!isIndicatorKind(kind)) return enrichmentError(404, 'Not found')
  if (!valueFits[kind].test(value)) return enrichmentError(400, `Invalid ${kind}`)
  const fields = query.get('fields')?.split(',') ?? [...defaultFields]
  const foreign = fields.find((field) => !isFieldOf(kind, field))
  if (foreign !== undefined) return enrichmentError(400, `Unknown field ${foreign} for ${kind}`)
  const record = records.get(recordKey(kind, value))
  return record === undefined ? enrichmentError(404, 'Not found') : ok({ data: pick(record, fields) })
}

const valueFits: Readonly<Record<IndicatorKind, RegExp>> = {
  ip: /^[0-9.]+$|^[0-9a-f:.]+$/i,
  domain: /^[^\s/:]+\.[^\s/:]+$/,
  url: /^[a-z][a-z0-9+.-]*:\/\/\S+$/i,
  hash: /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i,
  vulnerability: /^[\w-]+$/,
  company: /^[\w-]+$|^by_domain\/[^\s/]+$/,
}

function pick(record: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}
