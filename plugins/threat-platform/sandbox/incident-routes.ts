import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxHandler } from 'tocsin/plugin/testing'
import { failed } from './answer.ts'
import { threatFixture } from './fixture.ts'

const known = new Set([
  'page',
  'limit',
  'include_total_records',
  'include_alarm_details',
  'start_date',
  'end_date',
  'status',
  'severities',
])

/** The values of `status`, each with the record statuses that it lists, as observed at the vendor. */
const groups: Readonly<Record<string, readonly string[]>> = {
  OPEN: ['OPEN'],
  ON_HOLD: ['INVESTIGATING'],
  CLOSED: ['RESOLVED', 'FALSE_POSITIVE', 'MITIGATED'],
}

/** GET `/api/company/{id}/incidents/v4`: newest first, whole seconds, at most 100 per page. */
export const incidents: SandboxHandler = ({ query }) => {
  const foreign = [...query.keys()].find((name) => !known.has(name))
  if (foreign !== undefined) return failed(400, `Unknown parameter ${foreign}`)
  const page = Number(query.get('page') ?? 1)
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(page) || page < 1) return failed(400, 'page begins with 1')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return failed(400, 'limit must be 1 to 100')
  // A single group; the vendor fails on a list of them.
  const [group, ...more] = query.getAll('status')
  if (more.length > 0 || group?.includes(',')) return failed(500, 'Internal error')
  if (group !== undefined && groups[group] === undefined) return failed(400, `Unknown status ${group}`)
  const fitting = alarms().filter((alarm) => fits(alarm, query))
  const shown = fitting.slice((page - 1) * limit, page * limit)
  if (shown.length === 0) return { json: threatFixture('vendor-incidents-empty') }
  const counts = { total_pages: Math.ceil(fitting.length / 20), total_records: fitting.length }
  const data = { alarms: shown, ...(query.get('include_total_records') === 'true' ? counts : {}) }
  return { json: { data, is_success: true, message: 'Success', response_code: 200 } }
}

function alarms(): readonly JsonObject[] {
  const page = objectsAt(valueAt(threatFixture('vendor-incidents-v4-page'), 'data'), 'alarms')
  const others = ['vendor-alarm-low-certificate-expiry', 'vendor-alarm-info-threat-hunting']
  return [...page, ...others.map(threatFixture).filter(isObject), ...olderAlarms()].toSorted((a, b) =>
    (textAt(b, 'date') ?? '').localeCompare(textAt(a, 'date') ?? ''),
  )
}

/** Made up: one incident for each status that the vendor lists, and open. */
function olderAlarms(): readonly JsonObject[] {
  const sample = threatFixture('vendor-alarm-details') as JsonObject
  return ['INVESTIGATING', 'RESOLVED', 'FALSE_POSITIVE', 'MITIGATED'].map((status, index) => ({
    ...sample,
    alarm_id: 90_000_001 + index,
    alarm_risk_level: 'MEDIUM',
    status,
    date: `2026-01-0${9 - index} 08:00:00`,
  }))
}

function fits(alarm: JsonObject, query: URLSearchParams): boolean {
  const at = Date.parse(`${textAt(alarm, 'date')?.replace(' ', 'T')}Z`) / 1000
  return (
    at >= Number(query.get('start_date') ?? 0) &&
    at <= Number(query.get('end_date') ?? Infinity) &&
    isInGroup(textAt(alarm, 'status') ?? '', query.get('status')) &&
    among(textAt(alarm, 'alarm_risk_level'), query.getAll('severities'))
  )
}

const among = (value: string | null, wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.includes(value ?? '')

const isInGroup = (status: string, group: string | null): boolean =>
  group === null || groups[group]?.includes(status) === true
