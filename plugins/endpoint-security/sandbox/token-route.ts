import { issueTokens, type SandboxCall, type SandboxReply, type TokenIssuer } from 'tocsin/plugin/testing'
import { clients, resource, tenantId, type Client } from './data/clients.ts'

/** Applications and their tokens. */
export interface IdentityProvider {
  /** POST `/login/:tenant/oauth2/v2.0/token`. */
  readonly issue: (call: SandboxCall) => SandboxReply
  /** The application of the call's token; undefined without a valid token. */
  clientOf(call: SandboxCall): Client | undefined
  /** Invalidates all issued tokens. */
  expireTokens(): void
}

export function identityProvider(): IdentityProvider {
  const known = Object.values<Client>(clients).map((client) => ({ client, tokens: issuerFor(client) }))
  return {
    issue(call) {
      if (call.params['tenant'] !== tenantId) {
        return refused(400, 'invalid_request', 90002, `Tenant '${call.params['tenant']}' not found.`)
      }
      const id = call.form().get('client_id')
      const found = known.find(({ client }) => client.id === id)
      if (found === undefined) {
        return refused(
          400,
          'unauthorized_client',
          700016,
          `Application with identifier '${id}' was not found.`,
        )
      }
      const answer = found.tokens.issue(call)
      const isGood = (answer.status ?? 200) === 200
      return isGood && found.client.expired ? expired(found.client) : answer
    },
    clientOf: (call) => known.find(({ tokens }) => tokens.check(call))?.client,
    expireTokens() {
      for (const { tokens } of known) tokens.expireAll()
    },
  }
}

function issuerFor(client: Client): TokenIssuer {
  return issueTokens({
    clientId: client.id,
    clientSecret: client.secret,
    form: { scope: `${resource}/.default` },
    expiresInS: 3599,
    answer: { ext_expires_in: 3599 },
    tokenText: (unguessable) =>
      jwt({ aud: resource, appid: client.id, roles: client.roles, uti: unguessable }),
    refuse({ error, description }) {
      if (error === 'invalid_client') {
        return refused(
          401,
          error,
          7000215,
          'Invalid client secret provided. Ensure the secret being sent is the value.',
        )
      }
      if (description.includes('client_secret')) {
        return refused(401, 'invalid_client', 7000218, "The request body must contain 'client_secret'.")
      }
      return refused(400, error, error === 'invalid_scope' ? 70011 : 900144, description)
    },
  })
}

/** Shaped like the provider's tokens; the signature is not checked. */
function jwt(claims: object): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.${part('sandbox')}`
}

const expired = ({ id }: Client): SandboxReply =>
  refused(401, 'invalid_client', 7000222, `The provided client secret keys for app '${id}' are expired.`)

/** The provider's error body: an OAuth 2.0 code, the provider's number, and prose with line breaks. */
function refused(status: number, error: string, code: number, message: string): SandboxReply {
  const id = '00000000-0000-0000-0000-000000000001'
  const time = '2026-01-01 00:00:00Z'
  return {
    status,
    json: {
      error,
      error_description: `AADSTS${code}: ${message}\r\nTrace ID: ${id}\r\nCorrelation ID: ${id}\r\nTimestamp: ${time}`,
      error_codes: [code],
      timestamp: time,
      trace_id: id,
      correlation_id: id,
      error_uri: `https://login.example/error?code=${code}`,
    },
  }
}
