import { randomUUID } from 'node:crypto'
import type { SandboxCall, SandboxReply } from './routes.ts'

export interface IssueTokensOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** Additional required form fields, e.g. the scope. Default: none. */
  readonly form?: Readonly<Record<string, string>>
  /** In seconds. Default 3600. */
  readonly expiresInS?: number
  /** Converts a random token to its final form, e.g. a JWT. Default: unchanged. */
  readonly tokenText?: (unguessable: string) => string
  /** Response fields besides `token_type`, `expires_in` and `access_token`. */
  readonly answer?: Readonly<Record<string, unknown>>
  /** The response to a refused request. Default: as in RFC 6749, section 5.2. */
  readonly refuse?: (refusal: TokenRequestRefusal) => SandboxReply
  /** Epoch milliseconds. Default: the real time. */
  readonly now?: () => number
}

export interface TokenRequestRefusal {
  readonly error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope'
  readonly description: string
}

/** A sandbox's endpoint for client credentials, and its issued tokens. */
export interface TokenIssuer {
  /** Answers the token request. */
  readonly issue: (call: SandboxCall) => SandboxReply
  /** Whether the call has a valid token. */
  check(call: SandboxCall): boolean
  /** Invalidates all issued tokens. */
  expireAll(): void
  /** Number of issued tokens. */
  readonly issued: number
}

/**
 * Emulates the issuing of tokens for client credentials (RFC 6749, section 4.4): a POST of a form,
 * credentials in the body.
 *
 * @example
 * const tokens = issueTokens({ clientId: 'sandbox', clientSecret: 'sandbox-secret' })
 * return {
 *   'POST /oauth/token': tokens.issue,
 *   'GET /users': (call) => (tokens.check(call) ? { json: users } : { status: 401 }),
 * }
 */
export function issueTokens(options: IssueTokensOptions): TokenIssuer {
  const { expiresInS = 3600, tokenText = (text) => text, refuse = asStandard, now = Date.now } = options
  const expiry = new Map<string, number>()
  let issued = 0
  return {
    issue(call) {
      const refusal = refusalOf(call, options)
      if (refusal !== undefined) return refuse(refusal)
      const token = tokenText(`sandbox-token-${++issued}-${randomUUID()}`)
      expiry.set(token, now() + expiresInS * 1000)
      return {
        headers: { 'cache-control': 'no-store' },
        json: { token_type: 'Bearer', expires_in: expiresInS, access_token: token, ...options.answer },
      }
    },
    check({ headers }) {
      const [, token = ''] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? []
      return now() < (expiry.get(token) ?? 0)
    },
    expireAll: () => expiry.clear(),
    get issued() {
      return issued
    },
  }
}

function refusalOf(call: SandboxCall, options: IssueTokensOptions): TokenRequestRefusal | undefined {
  const type = call.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    return { error: 'invalid_request', description: 'the body must be application/x-www-form-urlencoded' }
  }
  const form = call.form()
  const wanted = { grant_type: '', client_id: '', client_secret: '', ...options.form }
  const missing = Object.keys(wanted).find((name) => form.getAll(name).length !== 1)
  if (missing !== undefined) {
    return { error: 'invalid_request', description: `the form must have '${missing}' once` }
  }
  if (form.get('grant_type') !== 'client_credentials') {
    return { error: 'unsupported_grant_type', description: 'the grant_type must be client_credentials' }
  }
  if (form.get('client_id') !== options.clientId || form.get('client_secret') !== options.clientSecret) {
    return { error: 'invalid_client', description: 'the client is unknown, or its secret is wrong' }
  }
  const other = Object.entries(options.form ?? {}).find(([name, value]) => form.get(name) !== value)
  return other && { error: 'invalid_scope', description: `the form has another '${other[0]}'` }
}

function asStandard({ error, description }: TokenRequestRefusal): SandboxReply {
  return { status: error === 'invalid_client' ? 401 : 400, json: { error, error_description: description } }
}
