import { defineSkill } from 'tocsin/plugin'
import { areInRange, decodeAuditRecords } from '../audit-records.ts'
import { connection, type ThreatPlatformSettings } from '../connection.ts'

const defaultPaths = {
  spec: '/api/v1/auditlogs',
  vendor: '/api/company/{company_id}/auditlogs',
}

export const fetchCompanyAuditLogs = defineSkill({
  name: 'fetch_company_audit_logs',
  title: 'Fetch Threat Platform Company Audit Logs',
  description:
    "Fetches one page of the company's audit logs: who did what on the platform. The records are returned unchanged; their " +
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
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Records to request.' },
    },
  },
  output: {
    type: 'object',
    required: ['records', 'counts', 'partial', 'in_range'],
    additionalProperties: false,
    properties: {
      records: {
        type: 'array',
        items: {},
        description: 'As the platform returned them: who did what, from where.',
      },
      counts: {
        type: 'object',
        required: ['returned', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          total: { type: ['number', 'null'], description: 'The platform’s total, if it gives one.' },
        },
      },
      partial: {
        type: 'boolean',
        description: 'There may be more records: without a total, only an empty page is the last one.',
      },
      in_range: {
        type: ['boolean', 'null'],
        description:
          'Whether all records are within the requested days. false: the platform ignored them. null: no days were requested, or ' +
          'the records have no recognized time.',
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
        partial: true,
        in_range: true,
      },
    },
  ],
  async run({ start_date, end_date, page = 1, limit = 100 }, { http, settings }) {
    const query = { start_date, end_date, page, limit }
    const { records, total } = decodeAuditRecords((await http.get(pathOf(settings), { query })).json())
    return {
      records,
      counts: { returned: records.length, total },
      partial: hasMore(page, limit, records.length, total),
      in_range: areInRange(records, start_date, end_date),
    }
  },
})

/** Pages may be shorter than requested, so a short page is the last one only if the total confirms it. */
function hasMore(page: number, limit: number, returned: number, total: number | null): boolean {
  if (total === null) return returned > 0
  const seen = (page - 1) * limit + returned
  return returned === 0 ? seen < total : seen !== total
}

function pathOf({ contract, company_id, audit_logs_path }: ThreatPlatformSettings): readonly string[] {
  const [, ...segments] = (audit_logs_path ?? defaultPaths[contract]).split('/')
  return segments.map((segment) => segment.replaceAll('{company_id}', company_id))
}
