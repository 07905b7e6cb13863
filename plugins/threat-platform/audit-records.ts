import { isObject, countAt, SkillError, textAt, valueAt } from 'tocsin/plugin'
import { checkSuccess } from './vendor-envelope.ts'

export interface AuditRecords {
  /** The records as returned by the platform. */
  readonly records: readonly unknown[]
  /** The platform's total; null if it gives none. */
  readonly total: number | null
}

const names = ['data', 'records', 'logs', 'audit_logs', 'auditlogs', 'items']
const totals = ['total', 'total_records']

/**
 * Finds the list in a response of unknown shape: the body itself, or under a common name in the body or its
 * `data`. Throws SkillError `bad_response` if there is none, and the error for the code if the body reports a
 * failure.
 */
export function decodeAuditRecords(body: unknown): AuditRecords {
  checkSuccess(body)
  const places = [{ data: body }, body, valueAt(body, 'data')]
  for (const place of places) {
    for (const name of names) {
      const records = valueAt(place, name)
      if (Array.isArray(records)) return { records, total: totalIn([valueAt(body, 'data'), body]) }
    }
  }
  throw new SkillError('bad_response', 'the response has no list of audit logs', {
    hint: 'check audit_logs_path, base_url and contract of the connection',
  })
}

function totalIn(places: readonly unknown[]): number | null {
  for (const place of places.filter(isObject)) {
    for (const name of totals) {
      const total = countAt(place, name)
      if (total !== null) return total
    }
  }
  return null
}

/** Common names of the time field. */
const times = ['timestamp', 'time', 'date', 'datetime', 'created_at', 'createdAt', 'created']

/**
 * Whether all records are within the requested days, `YYYY-MM-DD`, inclusive; compares days as written, since
 * the platform's time zone is unknown. Null if no days were requested, or if some record has no day and none
 * is outside.
 */
export function areInRange(
  records: readonly unknown[],
  start: string | undefined,
  end: string | undefined,
): boolean | null {
  if (start === undefined && end === undefined) return null
  const days = records.map(dayOf)
  const isOutside = (day: string) => day < (start ?? day) || day > (end ?? day)
  if (days.some((day) => day !== undefined && isOutside(day))) return false
  return days.includes(undefined) ? null : true
}

function dayOf(record: unknown): string | undefined {
  const written = times.map((name) => textAt(record, name)).find((text) => text !== null)
  return /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(written ?? '')?.[1]
}
