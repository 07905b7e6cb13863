import {
  issueTokens,
  type SandboxCall,
  type SandboxHandler,
  type TokenRequestRefusal,
} from 'tocsin/plugin/testing'
import { travelClients, type TravelClient } from './clients.ts'
import { travelFixture } from './fixture.ts'

/** Lifetime in seconds, as in the sample response. */
const expiresInS = 43_199

/** The tokens of all clients. */
export interface Tokens {
  readonly issue: SandboxHandler
  /** The client of the call's token; undefined without a valid token. */
  readonly clientOf: (call: SandboxCall) => TravelClient | undefined
  readonly expireAll: () => void
  readonly issued: () => number
}

export function createTokens(): Tokens {
  const issuers = Object.values(travelClients).map((client: TravelClient) => ({
    client,
    tokens: issueTokens({
      clientId: client.id,
      clientSecret: client.secret,
      expiresInS,
      answer: { token_type: 'bearer', scope: client.scope.join(' ') },
      refuse,
    }),
  }))
  const [first] = issuers
  return {
    issue(call) {
      const id = call.form().get('client_id')
      const { tokens } = issuers.find(({ client }) => client.id === id) ?? first!
      return tokens.issue(call)
    },
    clientOf: (call) => issuers.find(({ tokens }) => tokens.check(call))?.client,
    expireAll: () => issuers.forEach(({ tokens }) => tokens.expireAll()),
    issued: () => issuers.reduce((sum, { tokens }) => sum + tokens.issued, 0),
  }
}

function refuse({ error, description }: TokenRequestRefusal) {
  if (error === 'invalid_client') return { status: 401, json: travelFixture('token-error-401') }
  if (error === 'unsupported_grant_type') return { status: 400, json: travelFixture('token-error-400') }
  return { status: 400, json: { error, error_description: description } }
}
