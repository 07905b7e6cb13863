import {
  countAt,
  readRecords,
  SkillError,
  textAt,
  valueAt,
  type HttpClient,
  type JsonObject,
} from 'tocsin/plugin'
import {
  hasSeverity,
  hasStatus,
  idOf,
  isInTime,
  newestFirst,
  type FoundIncidents,
  type Incident,
  type IncidentQuestion,
} from './incident.ts'
import { timeText } from './time-text.ts'

/**
 * GET `/api/v1/alerts`. It is documented without parameters, pages or order: filters and sorting (newest
 * first) are applied here, and missing alerts can only be reported.
 */
export async function fetchAlerts(http: HttpClient, question: IncidentQuestion): Promise<FoundIncidents> {
  const body = (await http.get('/api/v1/alerts')).json()
  const alerts = valueAt(body, 'alerts')
  if (!Array.isArray(alerts)) {
    throw new SkillError('bad_response', "the platform's answer has no list 'alerts'", {
      hint: 'check base_url and contract of the connection',
    })
  }
  const total = countAt(body, 'total')
  const { items, leftOut } = readRecords(alerts, decodeAlert)
  const distinct = [...new Map(items.map((alert) => [alert.id, alert])).values()]
  const wanted = distinct
    .toSorted(newestFirst)
    .filter(
      (alert) =>
        hasStatus(alert, question.statuses) &&
        hasSeverity(alert, question.severities) &&
        isInTime(alert, question),
    )
  return {
    incidents: wanted.slice(0, question.limit),
    read: alerts.length,
    total,
    complete:
      total !== null &&
      distinct.length + (leftOut.unreadable ?? 0) >= total &&
      wanted.length <= question.limit,
    leftOut,
  }
}

function decodeAlert(alert: JsonObject): Incident {
  return {
    id: idOf(alert, 'id'),
    title: textAt(alert, 'title'),
    severity: textAt(alert, 'severity'),
    status: textAt(alert, 'status'),
    created_at: timeText(textAt(alert, 'created_at')),
    raw: alert,
  }
}
