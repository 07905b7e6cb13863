import type { SandboxHandler, SandboxRoutes } from 'tocsin/plugin/testing'
import type { SandboxAlerts } from './alert-store.ts'
import { failed, companyNotFound } from './answer.ts'
import { incidents } from './incident-routes.ts'
import { companyId, knownTokens, type KnownToken } from './tokens.ts'
import { objectsAt, textAt } from 'tocsin/plugin'
import { threatFixture } from './fixture.ts'

/** The platform's calls that the plugin uses, for both contracts. */
export function threatRoutes(alerts: SandboxAlerts): SandboxRoutes {
  return {
    'GET /api/v1/token/status': (call) => {
      const token = bearer(call.headers)
      if (token === undefined) return failed(401, 'Unknown token')
      const { status, permissions, expires_at } = token
      return { json: { status, permissions, created_at: '2020-01-01T00:00:00Z', expires_at } }
    },
    'GET /api/v1/alerts': withToken(bearer, () => ({ json: alerts.answer() })),
    'GET /api/v1/auditlogs': withToken(bearer, auditLogs),
    'GET /api/company/:company/incidents/v4': withToken(apiKey, ofCompany(incidents)),
    'GET /api/company/:company/auditlogs': withToken(apiKey, ofCompany(auditLogs)),
  }
}

type Headers = Readonly<Record<string, string>>

const bearer = (headers: Headers): KnownToken | undefined =>
  knownTokens.get(/^Bearer (\S+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '')

const apiKey = (headers: Headers): KnownToken | undefined => knownTokens.get(headers['api-key'] ?? '')

function withToken(
  find: (headers: Headers) => KnownToken | undefined,
  handler: SandboxHandler,
): SandboxHandler {
  return (call) => {
    const token = find(call.headers)
    if (token === undefined) return failed(401, 'Authorization Error')
    return token.refused === undefined ? handler(call) : failed(token.refused, 'Access denied')
  }
}

function ofCompany(handler: SandboxHandler): SandboxHandler {
  return (call) => (call.params['company'] === companyId ? handler(call) : companyNotFound)
}

const day = /^\d{4}-\d{2}-\d{2}$/

/** GET the audit logs, of whole days. */
const auditLogs: SandboxHandler = ({ query }) => {
  const start = query.get('start_date') ?? '1970-01-01'
  const end = query.get('end_date') ?? '9999-12-31'
  if (!day.test(start) || !day.test(end)) return failed(400, 'dates are written as YYYY-MM-DD')
  const asked = Number(query.get('limit') ?? 100)
  const page = Number(query.get('page') ?? 1)
  if (!(asked >= 1)) return failed(400, 'limit begins with 1')
  // Cuts the limit without a note in the response, as for incidents.
  const limit = Math.min(asked, 100)
  const fitting = objectsAt(threatFixture('audit-logs'), 'data').filter((record) => {
    const date = textAt(record, 'timestamp')?.slice(0, 10) ?? ''
    return date >= start && date <= end
  })
  return { json: { success: true, data: fitting.slice((page - 1) * limit, page * limit) } }
}
