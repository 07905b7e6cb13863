import { SkillError, valueAt, type JsonObject, type LeftOut } from 'tocsin/plugin'

/** An incident in the same form for both contracts, with the whole record in `raw`. */
export interface Incident {
  readonly id: string
  readonly title: string | null
  readonly severity: string | null
  readonly status: string | null
  /** ISO 8601 in UTC. */
  readonly created_at: string | null
  readonly raw: JsonObject
}

/** Filters. Times are epoch milliseconds, both inclusive; absent or empty means no filter. */
export interface IncidentQuestion {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly statuses: readonly string[]
  readonly severities: readonly string[]
  readonly limit: number
}

export interface FoundIncidents {
  readonly incidents: readonly Incident[]
  /** Records read from the platform, before filtering here. */
  readonly read: number
  /** The platform's total; null if it gives none. */
  readonly total: number | null
  /** Whether these are all incidents that match. */
  readonly complete: boolean
  readonly leftOut: LeftOut
}

/** Whether the status is one of these, ignoring case and separators; an empty list matches all. */
export const hasStatus = ({ status }: Incident, wanted: readonly string[]): boolean => among(status, wanted)

/** Whether the severity is one of these, ignoring case and separators; an empty list matches all. */
export const hasSeverity = ({ severity }: Incident, wanted: readonly string[]): boolean =>
  among(severity, wanted)

/** Whether it was created in the requested time; an unknown time counts as a match. */
export function isInTime({ created_at }: Incident, { fromMs, toMs }: IncidentQuestion): boolean {
  if (created_at === null) return true
  const at = Date.parse(created_at)
  return at >= (fromMs ?? -Infinity) && at <= (toMs ?? Infinity)
}

/** Sort order; incidents without a time come last. */
export function newestFirst(a: Incident, b: Incident): number {
  return (b.created_at ?? '').localeCompare(a.created_at ?? '')
}

/** The id as a string; the platform may send numbers. Throws SkillError `bad_response` if it is missing. */
export function idOf(record: JsonObject, key: string): string {
  const id = valueAt(record, key)
  if (typeof id === 'string' && id !== '') return id
  if (typeof id === 'number' || typeof id === 'bigint') return String(id)
  throw new SkillError('bad_response', `the platform returned an incident without '${key}'`)
}

function among(value: string | null, wanted: readonly string[]): boolean {
  return wanted.length === 0 || (value !== null && wanted.map(plain).includes(plain(value)))
}

const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, ' ')
