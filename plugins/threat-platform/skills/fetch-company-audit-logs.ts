import { defineSkill } from 'tocsin/plugin'
import { decodeAuditRecords } from '../audit-records.ts'
import { connection, type ThreatPlatformSettings } from '../connection.ts'

const defaultPaths = {
  spec: '/api/v1/auditlogs',
  vendor: '/api/company/{company_id}/auditlogs',
}

export const fetchCompanyAuditLogs = defineSkill({
  name: 'fetch_company_audit_logs',
  title: 'Fetch Threat Platform Company Audit Logs',
  description:
    "Fetches one page of the company's audit logs: who did what on the platform. The records are passed on as they come; their " +
    'fields are not published.',
  docs: 'https://github.com/socradar-io/n8n-nodes-socradar/blob/main/docs/used_endpoints.md#-audit-logs-resource-endpoints',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      start_date: { type: 'string', format: 'date', description: 'From this day on, e.g. 2026-01-12.' },
      end_date: { type: 'string', format: 'date', description: 'Up to this day.' },
      page: { type: 'integer', minimum: 1, maximum: 10_000, default: 1 },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Records to ask for.' },
    },
  },
  output: {
    type: 'object',
    required: ['records', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      records: { type: 'array', items: {}, description: 'As the platform gave them.' },
      counts: {
        type: 'object',
        required: ['returned', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          total: { type: ['number', 'null'], description: 'What the platform says it has, if it does.' },
        },
      },
      partial: {
        type: 'boolean',
        description:
          'There are more records after these, or there may be: the page is as long as was asked for.',
      },
    },
  },
  examples: [
    {
      title: 'What happened on a day',
      input: { start_date: '2026-01-12', end_date: '2026-01-12' },
      output: {
        records: [
          {
            timestamp: '2026-01-12T08:01:02Z',
            action: 'login',
            user: 'ana@example.com',
            details: { ip: '192.0.2.10' },
          },
        ],
        counts: { returned: 1, total: null },
        partial: false,
      },
    },
  ],
  async run({ start_date, end_date, page = 1, limit = 100 }, { http, settings }) {
    const query = { start_date, end_date, page, limit }
    const { records, total } = decodeAuditRecords((await http.get(pathOf(settings), { query })).json())
    const partial = total === null ? records.length >= limit : (page - 1) * limit + records.length < total
    return { records, counts: { returned: records.length, total }, partial }
  },
})

function pathOf({ contract, company_id, audit_logs_path }: ThreatPlatformSettings): string {
  return (audit_logs_path ?? defaultPaths[contract]).replaceAll(
    '{company_id}',
    encodeURIComponent(company_id),
  )
}
