/** From the output of a skill, which can be any JSON, to labels and values for people. All texts are untrusted. */

export interface EvidenceRow {
  readonly label: string
  readonly value: EvidenceValue
}

export type EvidenceValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'verdict' | 'severity'; readonly text: string }
  /** Epoch milliseconds. */
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly string[]; readonly hidden: number }
  | { readonly kind: 'rows'; readonly rows: readonly EvidenceRow[] }
  | {
      readonly kind: 'records'
      readonly records: readonly (readonly EvidenceRow[])[]
      readonly hidden: number
    }
  /** Too deep to show. */
  | { readonly kind: 'count'; readonly text: string }

const maxRows = 40
const maxItems = 10
const maxRecords = 5
const maxDepth = 3
const maxLabel = 60

/** What people look for first. */
const firstKeys = [
  'verdict',
  'severity',
  'risk',
  'level',
  'score',
  'summary',
  'reason',
  'reasons',
  'status',
  'name',
  'user',
  'host',
]

/** The answer of the other system, which only the JSON shows. */
const rawKey = 'raw'

/** The rows of an object; undefined: the value has no readable form. Nulls and empty values are omitted. */
export function evidenceRows(value: unknown): readonly EvidenceRow[] | undefined {
  if (Array.isArray(value)) {
    const shown = valueOf('', value, 0)
    return shown && [{ label: `Results (${value.length.toLocaleString('en')})`, value: shown }]
  }
  return isRecord(value) ? rowsOf(value, 0) : undefined
}

function rowsOf(record: Readonly<Record<string, unknown>>, depth: number): readonly EvidenceRow[] {
  const rank = (key: string): number => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  return Object.entries(record)
    .filter(([key]) => key !== rawKey)
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .flatMap(([key, value]) => {
      const shown = valueOf(key, value, depth)
      return shown === undefined ? [] : [{ label: evidenceLabel(key), value: shown }]
    })
    .slice(0, maxRows)
}

function valueOf(key: string, value: unknown, depth: number): EvidenceValue | undefined {
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'Yes' : 'No' }
  if (typeof value === 'number') {
    const isTime =
      /(?:_at|_ms|_time|_seen|date)$/.test(key) && value > 946_684_800_000 && value < 4_102_444_800_000
    return isTime ? { kind: 'time', at: value } : { kind: 'text', text: String(value) }
  }
  if (typeof value === 'string') return value === '' ? undefined : textValue(key, value)
  if (Array.isArray(value)) return listOf(value, depth)
  if (!isRecord(value)) return undefined
  if (depth >= maxDepth) return { kind: 'count', text: `${Object.keys(value).length} fields` }
  const rows = rowsOf(value, depth + 1)
  return rows.length === 0 ? undefined : { kind: 'rows', rows }
}

function textValue(key: string, text: string): EvidenceValue {
  if (key === 'verdict' || key === 'severity') return { kind: key, text }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && text.length <= 40) {
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return { kind: 'time', at }
  }
  return { kind: 'text', text }
}

function listOf(list: readonly unknown[], depth: number): EvidenceValue | undefined {
  if (list.length === 0) return undefined
  if (list.every((item) => typeof item !== 'object' || item === null)) {
    const items = list.slice(0, maxItems).map(String)
    return { kind: 'list', items, hidden: list.length - items.length }
  }
  if (depth >= maxDepth) return { kind: 'count', text: `${list.length} entries` }
  const records = list.slice(0, maxRecords).map((item) => {
    if (isRecord(item)) return rowsOf(item, depth + 1)
    const value = valueOf('', item, depth + 1)
    return value === undefined ? [] : [{ label: '', value }]
  })
  return { kind: 'records', records, hidden: list.length - records.length }
}

/** `last_login` and `lastLogin` are `Last login`. */
export function evidenceLabel(key: string): string {
  const words = key
    .slice(0, maxLabel)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
