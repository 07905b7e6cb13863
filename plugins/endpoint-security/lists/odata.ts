/** A span of times or numbers, by the words that OData has for its ends. */
export interface Range {
  readonly ge?: string | number | undefined
  readonly gt?: string | number | undefined
  readonly le?: string | number | undefined
  readonly lt?: string | number | undefined
}

/** What a field may be compared with: one value, one of several, or a span. */
export type Wanted = string | number | readonly string[] | Range

/** Fields that hold a list: it fits when one of its items does. */
const listFields: ReadonlySet<string> = new Set(['machineTags', 'rbacGroupIds', 'rbacGroupNames'])

/**
 * The `$filter` for what is wanted of each field; all of it must hold. Undefined where nothing is wanted. Values become
 * literals, whatever they hold: texts in single quotes with inner quotes doubled (OData 4.01, section 5.1.1.6.1), times in UTC.
 *
 * @example odataFilter({ severity: ['High'], lastSeen: { ge: '2026-01-12T08:00:00Z' } }) // "severity eq 'High' and lastSeen ge 2026-01-12T08:00:00Z"
 */
export function odataFilter(wanted: Readonly<Record<string, Wanted | undefined>>): string | undefined {
  const conditions = Object.entries(wanted).flatMap(([field, value]) =>
    value === undefined ? [] : conditionsOn(field, value),
  )
  return conditions.length === 0 ? undefined : conditions.join(' and ')
}

function conditionsOn(field: string, wanted: Wanted): readonly string[] {
  if (isRange(wanted)) {
    const ends = Object.entries(wanted) as [string, string | number | undefined][]
    return ends.flatMap(([word, end]) => (end === undefined ? [] : [`${field} ${word} ${bareLiteral(end)}`]))
  }
  const values = typeof wanted === 'object' ? wanted : [wanted]
  const choices = values.map((value) => equals(field, value)).join(' or ')
  return [values.length > 1 ? `(${choices})` : choices]
}

const isRange = (wanted: Wanted): wanted is Range => typeof wanted === 'object' && !Array.isArray(wanted)

function equals(field: string, value: string | number): string {
  const literal = typeof value === 'number' ? String(value) : textLiteral(value)
  return listFields.has(field) ? `${field}/any(item: item eq ${literal})` : `${field} eq ${literal}`
}

const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Times keep their digits where they are in UTC already; inputs are checked to be times before they come here. */
function bareLiteral(end: string | number): string {
  if (typeof end === 'number') return String(end)
  const time = end.toUpperCase()
  return time.endsWith('Z') ? time : new Date(time).toISOString()
}
