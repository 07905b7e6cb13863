/** A range of times or numbers, with OData's operator names as keys. */
export interface Range {
  readonly ge?: string | number | undefined
  readonly gt?: string | number | undefined
  readonly le?: string | number | undefined
  readonly lt?: string | number | undefined
}

/** A condition on a field: one value, any of several, or a range. */
export type WantedRecords = string | number | readonly string[] | Range

/** Fields that hold a list: they match if any item matches. */
const listFields: ReadonlySet<string> = new Set(['machineTags', 'rbacGroupIds', 'rbacGroupNames'])

/**
 * Builds a `$filter` from the conditions, all of which must hold. Undefined without conditions. Values become
 * literals: strings in single quotes with inner quotes doubled (OData 4.01, section 5.1.1.6.1), times in UTC.
 *
 * @example odataFilter({ severity: ['High'], lastSeen: { ge: '2026-01-12T08:00:00Z' } }) // "severity eq
 * 'High' and lastSeen ge 2026-01-12T08:00:00Z"
 */
export function odataFilter(wanted: Readonly<Record<string, WantedRecords | undefined>>): string | undefined {
  const conditions = Object.entries(wanted).flatMap(([field, value]) =>
    value === undefined ? [] : conditionsOn(field, value),
  )
  return conditions.length === 0 ? undefined : conditions.join(' and ')
}

function conditionsOn(field: string, wanted: WantedRecords): readonly string[] {
  if (isRange(wanted)) {
    const ends = Object.entries(wanted) as [string, string | number | undefined][]
    return ends.flatMap(([word, end]) => (end === undefined ? [] : [`${field} ${word} ${bareLiteral(end)}`]))
  }
  const values = typeof wanted === 'object' ? wanted : [wanted]
  const choices = values.map((value) => equals(field, value)).join(' or ')
  return [values.length > 1 ? `(${choices})` : choices]
}

const isRange = (wanted: WantedRecords): wanted is Range =>
  typeof wanted === 'object' && !Array.isArray(wanted)

function equals(field: string, value: string | number): string {
  const literal = typeof value === 'number' ? String(value) : textLiteral(value)
  return listFields.has(field) ? `${field}/any(item: item eq ${literal})` : `${field} eq ${literal}`
}

const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** UTC times keep their digits; inputs have been validated as times before. */
function bareLiteral(end: string | number): string {
  if (typeof end === 'number') return String(end)
  const time = end.toUpperCase()
  return time.endsWith('Z') ? time : new Date(time).toISOString()
}
