import type { SandboxHandler, SandboxRoutes } from 'tocsin/plugin/testing'
import { auditLogs } from './audit-log-routes.ts'
import type { AlertStore } from './alert-store.ts'
import { failed, notFound } from './answer.ts'
import { incidents } from './incident-routes.ts'
import { companyId, tokens, type KnownToken } from './tokens.ts'

/** The platform's calls that the plugin uses, of both contracts. */
export function routes(alerts: AlertStore): SandboxRoutes {
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
  tokens.get(/^Bearer (\S+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '')

const apiKey = (headers: Headers): KnownToken | undefined => tokens.get(headers['api-key'] ?? '')

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
  return (call) => (call.params['company'] === companyId ? handler(call) : notFound)
}
