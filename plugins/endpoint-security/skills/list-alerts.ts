import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { limit, numberFilter, textFilter, times, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { alertSchema, decodeAlert } from '../records/alert.ts'

export const listAlerts = defineSkill({
  name: 'list_alerts',
  title: 'List Endpoint Security Alerts',
  description: 'Lists alerts with their evidence. All given filters must match.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-alerts',
  permissions: [permissions.list_alerts[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      severity: words('UnSpecified', 'Informational', 'Low', 'Medium', 'High'),
      status: words('Unknown', 'New', 'InProgress', 'Resolved'),
      category: textFilter('e.g. Malware.'),
      detectionSource: textFilter('e.g. WindowsDefenderAtp.'),
      assignedTo: textFilter('Who the alert is assigned to.'),
      id: textFilter('Id of the alert.'),
      incidentId: numberFilter('Number of the incident.'),
      investigationId: numberFilter('Number of the automated investigation.'),
      alertCreationTime: times('When the alert was raised.'),
      lastEventTime: times('Time of its last event.'),
      lastUpdateTime: times('When it was last changed.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['alerts', 'truncated', 'unreadable'],
    properties: { alerts: { type: 'array', items: alertSchema }, truncated, ...leftOutProperties },
  },
  examples: [
    {
      title: 'No alert of that severity is new',
      input: { severity: ['Informational'], status: ['New'] },
      output: { alerts: [], truncated: false, unreadable: 0 },
    },
  ],
  async run({ limit = 100, investigationId, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/alerts',
      needs: permissions.list_alerts,
      decode: decodeAlert,
      // The vendor capitalizes the name in filters only.
      filter: { ...filter, InvestigationId: investigationId },
      query: { $expand: 'evidence' },
      limit,
    })
    return { alerts: items, ...rest }
  },
})
