import { SkillError, valueAt, type JsonObject, type LeftOut } from 'tocsin/plugin'

/** An incident, the same whatever contract it came by, with all of it in `raw`. */
export interface Incident {
  readonly id: string
  readonly title: string | null
  readonly severity: string | null
  readonly status: string | null
  /** ISO 8601 in UTC. */
  readonly created_at: string | null
  readonly raw: JsonObject
}

/** What to fetch. Times are epoch milliseconds, both inclusive; absent or empty: everything. */
export interface IncidentQuestion {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  readonly statuses: readonly string[]
  readonly severities: readonly string[]
  readonly limit: number
}

export interface FoundIncidents {
  readonly incidents: readonly Incident[]
  /** How many the platform gave, before they were compared with the question here. */
  readonly read: number
  /** How many the platform says it has, null where it does not say. */
  readonly total: number | null
  /** Whether these are all that the question asks for. */
  readonly complete: boolean
  readonly leftOut: LeftOut
}

/** Whether the status is one of these, ignoring letter case and what stands between words; none means any. */
export const hasStatus = ({ status }: Incident, wanted: readonly string[]): boolean => among(status, wanted)

/** Whether the severity is one of these, ignoring letter case and what stands between words; none means any. */
export const hasSeverity = ({ severity }: Incident, wanted: readonly string[]): boolean =>
  among(severity, wanted)

/** Whether it was created in the time asked for; one whose time is not known may have been. */
export function isInTime({ created_at }: Incident, { fromMs, toMs }: IncidentQuestion): boolean {
  if (created_at === null) return true
  const at = Date.parse(created_at)
  return at >= (fromMs ?? -Infinity) && at <= (toMs ?? Infinity)
}

/** Compares for sorting; those without a time come last. */
export function newestFirst(a: Incident, b: Incident): number {
  return (b.created_at ?? '').localeCompare(a.created_at ?? '')
}

/** The id as text; numbers are ids too. Throws SkillError `bad_response` where there is none. */
export function idOf(record: JsonObject, key: string): string {
  const id = valueAt(record, key)
  if (typeof id === 'string' && id !== '') return id
  if (typeof id === 'number' || typeof id === 'bigint') return String(id)
  throw new SkillError('bad_response', `the platform gave an incident without '${key}'`)
}

function among(value: string | null, wanted: readonly string[]): boolean {
  return wanted.length === 0 || (value !== null && wanted.map(plain).includes(plain(value)))
}

const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, ' ')
