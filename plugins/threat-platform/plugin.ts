import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { fetchCompanyAuditLogs } from './skills/fetch-company-audit-logs.ts'
import { fetchIncidents } from './skills/fetch-incidents.ts'

export default definePlugin({
  name: 'threat_platform',
  title: 'Threat platform',
  description: 'Fetches incidents and audit logs of one company from a threat-intelligence platform.',
  connection,
  skills: [fetchIncidents, fetchCompanyAuditLogs],
})
