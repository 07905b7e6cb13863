import { defaultFields, isFieldOf } from '../enrichment-fields.ts'
import type { IndicatorKind } from '../indicator.ts'
import type { JsonObject } from '../json.ts'
import { enrichmentError, ok, type Answer } from './answer.ts'
import { isIndicatorKind, recordKey, type Records } from './records.ts'

/** GET `/v2/{kind}/{value}`; `rest` is what follows `/v2/`, still encoded. */
export function enrich(records: Records, rest: string, query: URLSearchParams): Answer {
  const [kind = '', ...segments] = rest.split('/')
  const encoded = companyByDomain(kind, segments) ?? (segments.length === 1 ? segments[0] : undefined)
  // A value whose slashes were not encoded names no route.
  if (!isIndicatorKind(kind) || encoded === undefined) return enrichmentError(404, 'No such route')
  const value = decode(encoded)
  if (value === undefined || !valueFits[kind].test(value)) return enrichmentError(400, `Invalid ${kind}`)
  const record = records.get(recordKey(kind, value))
  if (record === undefined) return enrichmentError(404, 'Not found')
  const fields = query.get('fields')?.split(',') ?? [...defaultFields]
  const foreign = fields.find((field) => !isFieldOf(kind, field))
  if (foreign !== undefined) return enrichmentError(400, `Unknown field ${foreign} for ${kind}`)
  return ok({ data: pick(record, fields) })
}

function companyByDomain(kind: string, segments: readonly string[]): string | undefined {
  const [first, domain] = segments
  return kind === 'company' && segments.length === 2 && first === 'by_domain'
    ? `by_domain/${domain}`
    : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
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
