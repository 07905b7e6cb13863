import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import type { IncidentQuestion } from '../incident.ts'
import { fetchAlerts } from '../spec-contract.ts'
import { fetchAlarms } from '../vendor-contract.ts'

const textOrNull = { type: ['string', 'null'] } as const
const words = {
  type: 'array',
  maxItems: 20,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 50 },
} as const

const incident = {
  type: 'object',
  required: ['id', 'title', 'severity', 'status', 'created_at', 'raw'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    title: textOrNull,
    severity: { ...textOrNull, description: 'High, Medium or another.' },
    status: { ...textOrNull, description: 'Open, In Progress or another.' },
    created_at: {
      ...textOrNull,
      description: 'ISO 8601 in UTC; null if missing or unreadable.',
    },
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The incident as the platform returned it.',
      properties: {
        content: {
          'x-sensitive': true,
          description: 'The finding. It may contain leaked passwords.',
        },
      },
    },
  },
} as const

export const fetchIncidents = defineSkill({
  name: 'fetch_incidents',
  title: 'Fetch Threat Platform Incidents',
  description: 'Fetches incidents of the company, by time, status and severity.',
  docs: 'https://xsoar.pan.dev/docs/reference/integrations/soc-radar-incidents-v4',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      start_date: {
        type: 'string',
        format: 'date-time',
        description: 'Created at this time or later: a time with a time zone.',
      },
      end_date: {
        type: 'string',
        format: 'date-time',
        description: 'Created at this time or earlier: a time with a time zone.',
      },
      status: { ...words, description: 'Any of these, e.g. Open, In Progress, On Hold; ignoring case.' },
      severities: { ...words, description: 'Any of these, e.g. Critical, High; ignoring case.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Incidents to return.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['incidents', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      incidents: { type: 'array', items: incident },
      counts: {
        type: 'object',
        required: ['returned', 'read', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          read: { type: 'integer', description: 'Incidents read from the platform.' },
          total: {
            type: ['number', 'null'],
            description: 'The platform’s total; with the contract spec before filtering.',
          },
        },
      },
      partial: {
        type: 'boolean',
        description:
          'There may be more incidents: only `read` of `total` were read, more than `limit` match, or one was unreadable.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'Open incidents of high severity',
      input: { severities: ['High'], status: ['Open'], end_date: '2026-01-31T00:00:00Z' },
      output: {
        incidents: [
          {
            id: 'alert_123',
            title: 'Suspicious login activity',
            severity: 'High',
            status: 'Open',
            created_at: '2026-01-12T10:15:00.000Z',
            raw: {
              id: 'alert_123',
              title: 'Suspicious login activity',
              severity: 'High',
              status: 'Open',
              created_at: '2026-01-12T10:15:00Z',
            },
          },
        ],
        counts: { returned: 1, read: 2, total: 2 },
        partial: false,
      },
    },
  ],
  async run(input, { http, settings }) {
    const question: IncidentQuestion = {
      fromMs: timeOf(input.start_date),
      toMs: timeOf(input.end_date),
      statuses: input.status ?? [],
      severities: input.severities ?? [],
      limit: input.limit ?? 100,
    }
    const found =
      settings.contract === 'vendor'
        ? await fetchAlarms(http, settings.company_id, question)
        : await fetchAlerts(http, question)
    const { incidents, read, total, complete, leftOut } = found
    const counts = { returned: incidents.length, read, total }
    const partial = !complete || leftOut.unreadable !== undefined
    return { incidents, counts, partial, ...leftOut }
  },
})

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text)
