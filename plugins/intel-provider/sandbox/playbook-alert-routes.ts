import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { alertError, okAnswer } from './answer.ts'
import { intelFixture } from './fixture.ts'

export interface PlaybookAlerts {
  readonly found: readonly JsonObject[]
  /** By path segment and id. */
  readonly details: ReadonlyMap<string, JsonObject>
}

export function loadPlaybookAlerts(): PlaybookAlerts {
  const found = objectsAt(intelFixture('playbook-alert-search-page'), 'data')
  const recorded: Readonly<Record<string, readonly [segment: string, panels: unknown]>> = {
    domain_abuse: ['domain_abuse', intelFixture('playbook-alert-domain-abuse')],
    cyber_vulnerability: [
      'vulnerability',
      valueAt(intelFixture('playbook-alert-cyber-vulnerability'), 'data'),
    ],
    identity_novel_exposures: ['identity_novel_exposures', intelFixture('playbook-alert-identity-exposure')],
  }
  const details = new Map<string, JsonObject>()
  for (const alert of found) {
    const id = textAt(alert, 'playbook_alert_id') ?? ''
    const [segment, panels] = recorded[textAt(alert, 'category') ?? ''] ?? []
    // The recorded panels belong to other alerts, so their ids are replaced.
    if (isObject(panels)) details.set(`${segment}/${id}`, { ...panels, playbook_alert_id: id })
    const common = valueAt(intelFixture('playbook-alert-common'), 'data')
    if (isObject(common)) details.set(`common/${id}`, { ...common, playbook_alert_id: id })
  }
  return { found, details }
}

const done = { status_code: 'Ok', status_message: 'Done' }

/** POST `/playbook-alert/search`. */
export function searchPlaybookAlerts({ found, details }: PlaybookAlerts, question: unknown): SandboxReply {
  if (!isObject(question)) return alertError(400, 'The body is not a JSON object')
  const from = valueAt(question, 'from') ?? 0
  const limit = valueAt(question, 'limit') ?? 10
  if (typeof from !== 'number' || typeof limit !== 'number' || limit < 1)
    return alertError(400, 'Invalid page')
  if (!['created_range', 'updated_range'].every((name) => isRange(valueAt(question, name))))
    return alertError(400, 'Invalid range')
  const direction = valueAt(question, 'direction') === 'asc' ? 1 : -1
  const order = valueAt(question, 'order_by') === 'updated' ? 'updated' : 'created'
  const fitting = found
    .filter((alert) => fits(alert, question, details))
    .toSorted((a, b) => direction * (textAt(a, order) ?? '').localeCompare(textAt(b, order) ?? ''))
  const data = fitting.slice(from, from + limit)
  return okAnswer({ status: done, data, counts: { returned: data.length, total: fitting.length } })
}

/** POST `/playbook-alert/{segment}/{id}`, or GET for the segment `common`. */
export function playbookAlertDetails({ details }: PlaybookAlerts, segment: string, id: string): SandboxReply {
  const data = details.get(`${segment}/${id}`)
  return data === undefined ? alertError(404, 'Playbook alert not found') : okAnswer({ status: done, data })
}

function fits(alert: JsonObject, question: JsonObject, details: PlaybookAlerts['details']): boolean {
  const panel = valueAt(details.get(`common/${textAt(alert, 'playbook_alert_id')}`), 'panel_status')
  return (
    among(question, 'statuses', textAt(alert, 'status')) &&
    among(question, 'priority', textAt(alert, 'priority')) &&
    among(question, 'category', textAt(alert, 'category')) &&
    among(question, 'assignee', textAt(alert, 'assignee_id')) &&
    among(question, 'entity', textAt(panel, 'entity_id')) &&
    within(valueAt(question, 'created_range'), textAt(alert, 'created')) &&
    within(valueAt(question, 'updated_range'), textAt(alert, 'updated'))
  )
}

function among(question: JsonObject, key: string, value: string | null): boolean {
  const list = valueAt(question, key)
  return !Array.isArray(list) || list.length === 0 || list.includes(value)
}

function isRange(range: unknown): boolean {
  const ends = [textAt(range, 'from'), textAt(range, 'until')]
  return ends.every((end) => end === null || !Number.isNaN(Date.parse(end)))
}

function within(range: unknown, time: string | null): boolean {
  const at = Date.parse(time ?? '')
  return (
    at >= Date.parse(textAt(range, 'from') ?? '1970-01-01') &&
    at <= Date.parse(textAt(range, 'until') ?? '9999-01-01')
  )
}
