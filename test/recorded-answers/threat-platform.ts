import { expect } from 'chai'
import type { JsonObject } from '../../core/plugin/index.ts'
import { checkConnection, runSkill } from '../../core/plugin/testing/index.ts'
import { connection } from '../../plugins/threat-platform/connection.ts'
import { fetchCompanyAuditLogs } from '../../plugins/threat-platform/skills/fetch-company-audit-logs.ts'
import { fetchIncidents } from '../../plugins/threat-platform/skills/fetch-incidents.ts'
import { checks, failureOf, keeps, unused, type Rows } from './row.ts'

const account = { company_id: '330', api_token: 'a-token' }
const settings = { ...account, contract: 'spec', base_url: 'https://threat.example.com' }
const vendor = { ...account, contract: 'vendor' }

const incidents = async (json: unknown, contract: JsonObject = vendor) => {
  // The page reports that there are more.
  const replies = [{ json }, { json: { is_success: true, data: [] } }]
  return (await runSkill(fetchIncidents, {}, { settings: contract, replies })).output
}

const envelope = ['is_success', 'message', 'response_code', 'total_pages']
const alarm = keeps((one) =>
  incidents({ is_success: true, data: { alarms: [one], total_records: 1, total_pages: 1 } }),
)

export const threatPlatform: Rows = {
  'audit-logs': keeps(
    async (json) =>
      (await runSkill(fetchCompanyAuditLogs, {}, { settings: vendor, replies: [{ json }] })).output,
    [...envelope, 'success', 'total_records'],
  ),
  'seed-alerts-list': keeps((json) => incidents(json, settings)),
  'seed-token-status': checks(async (json) => {
    const now = Date.parse('2026-01-12T08:00:00Z')
    const { requests } = await checkConnection(connection, { settings, replies: [{ json }], now })
    expect(requests.map(({ path }) => path)).to.deep.equal(['/api/v1/token/status'])
  }),
  'vendor-200-not-success': checks(async (json) => {
    const error = await failureOf(incidents(json))
    expect(error).to.include({ name: 'ConnectionError', code: 'http_401' })
  }),
  'vendor-alarm-critical-stealer-logs': alarm,
  'vendor-alarm-details': alarm,
  'vendor-alarm-high-dark-web-forum': alarm,
  'vendor-alarm-info-threat-hunting': alarm,
  'vendor-alarm-low-certificate-expiry': alarm,
  'vendor-alarm-medium-impersonating-domain': alarm,
  'vendor-assignee-options': unused('who could be given an incident; no skill hands incidents out'),
  'vendor-incidents-empty': keeps((json) => incidents(json), envelope),
  'vendor-incidents-v4-page': keeps((json) => incidents(json), [...envelope, 'total_records']),
  'vendor-rapid-reputation': unused(
    'the reputation of an indicator; the platform’s two skills are of incidents and audit logs',
  ),
  'vendor-write-success-envelope': unused('the answer to a change; no skill changes incidents'),
}
