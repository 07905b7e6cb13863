import { isObject, countAt, SkillError, textAt, valueAt } from 'tocsin/plugin'
import { checkSuccess } from './vendor-envelope.ts'

export interface AuditRecords {
  /** As the platform gave them. */
  readonly records: readonly unknown[]
  /** How many the platform says it has, null where it does not say. */
  readonly total: number | null
}

const names = ['data', 'records', 'logs', 'audit_logs', 'auditlogs', 'items']
const totals = ['total', 'total_records']

/**
 * Finds the list in an answer whose shape is not published: the body itself, or under a usual name in it or in its `data`. Throws
 * SkillError `bad_response` where there is none, and what the code means where the body says that the call failed.
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
  throw new SkillError('bad_response', 'the answer holds no list of audit logs', {
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

/** Usual names for when it happened. */
const times = ['timestamp', 'time', 'date', 'datetime', 'created_at', 'createdAt', 'created']

/**
 * Whether the platform kept to the days asked for, `YYYY-MM-DD`, both included; by the day as it writes it, since its time zone is not
 * known. Null where no days were asked for, and where not every record tells its day and none is outside.
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
