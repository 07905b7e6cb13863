import { createHash, randomUUID } from 'node:crypto'
import { htmlReply, type SandboxCall, type SandboxReply } from './routes.ts'

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

export interface IssueSignInsOptions {
  readonly clientId: string
  /** Default: a public client, without a secret. */
  readonly clientSecret?: string | undefined
  /** Lifetime of access tokens in seconds. Default 3600. */
  readonly expiresInS?: number
  /** The `iss` of the redirect (RFC 9207). Default: none. */
  readonly issuer?: string | undefined
  /** Whether each refresh token works once. Default true. */
  readonly rotates?: boolean
  /** Epoch milliseconds. Default: the real time. */
  readonly now?: () => number
}

/** A sandbox's endpoints for the authorization code grant with PKCE, and its issued tokens. */
export interface SignInIssuer {
  /** Answers a GET of the authorization endpoint with a page; its links allow or deny access. */
  readonly authorize: (call: SandboxCall) => SandboxReply
  /** Answers the requests for tokens. */
  readonly token: (call: SandboxCall) => SandboxReply
  /** Answers the revocation of a token (RFC 7009). */
  readonly revoke: (call: SandboxCall) => SandboxReply
  /** Whether the call has a valid access token. */
  check(call: SandboxCall): boolean
  /** Makes all access tokens expire; refresh tokens stay valid. */
  expireAll(): void
  /** Revokes everything, as an administrator of the other system would. */
  revokeAll(): void
  /** Number of issued access tokens. */
  readonly issued: number
}

/**
 * Emulates sign-ins (RFC 6749, section 4.1, with RFC 7636). A test that sends `consent=allow` or `consent=deny` beside
 * the parameters of the authorization endpoint gets the redirect at once.
 *
 * @example
 * const signIns = issueSignIns({ clientId: 'sandbox', clientSecret: 'sandbox-secret' })
 * return {
 *   'GET /oauth/authorize': signIns.authorize,
 *   'POST /oauth/token': signIns.token,
 *   'GET /users': (call) => (signIns.check(call) ? { json: users } : { status: 401 }),
 * }
 */
export function issueSignIns(options: IssueSignInsOptions): SignInIssuer {
  const { expiresInS = 3600, rotates = true, now = Date.now } = options
  const codes = new Map<string, Agreement>()
  const expiry = new Map<string, number>()
  /** With their scopes. */
  const refreshTokens = new Map<string, string | null>()
  let issued = 0

  function grant(refreshToken: string, scope: string | null): SandboxReply {
    const token = `sandbox-access-${++issued}-${randomUUID()}`
    expiry.set(token, now() + expiresInS * 1000)
    refreshTokens.set(refreshToken, scope)
    const json = {
      token_type: 'Bearer',
      expires_in: expiresInS,
      access_token: token,
      refresh_token: refreshToken,
      ...(scope !== null && { scope }),
    }
    return { headers: { 'cache-control': 'no-store' }, json }
  }

  function token(call: SandboxCall): SandboxReply {
    const form = call.form()
    if (!isClient(call, options))
      return asStandard({ error: 'invalid_client', description: 'unknown client' })
    const known = form.get('refresh_token') ?? ''
    if (form.get('grant_type') === 'refresh_token') {
      const scope = refreshTokens.get(known)
      if (scope === undefined) return invalidGrant
      if (rotates) refreshTokens.delete(known)
      return grant(rotates ? `sandbox-refresh-${randomUUID()}` : known, scope)
    }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code?.challenge !== challenge || code.redirectUri !== form.get('redirect_uri')) return invalidGrant
    return grant(`sandbox-refresh-${randomUUID()}`, code.scope)
  }

  return {
    authorize: (call) => authorization(call, options, codes),
    token,
    revoke(call) {
      const token = call.form().get('token') ?? ''
      expiry.delete(token)
      refreshTokens.delete(token)
      return {}
    },
    check: ({ headers }) => {
      const [, token = ''] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? []
      return now() < (expiry.get(token) ?? 0)
    },
    expireAll: () => expiry.clear(),
    revokeAll() {
      expiry.clear()
      refreshTokens.clear()
    },
    get issued() {
      return issued
    },
  }
}

/** Sends the browser back, or shows a page with the choice. */
function authorization(
  call: SandboxCall,
  options: IssueSignInsOptions,
  codes: Map<string, Agreement>,
): SandboxReply {
  const problem = problemOfAuthorization(call, options)
  if (problem !== undefined) return { status: 400, text: problem }
  const { query } = call
  const redirectUri = query.get('redirect_uri') ?? ''
  const consent = query.get('consent')
  if (consent === null) return consentPage(call)
  const code = `sandbox-code-${randomUUID()}`
  if (consent === 'allow')
    codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      redirectUri,
      scope: query.get('scope'),
    })
  const answer = consent === 'allow' ? { code } : { error: 'access_denied' }
  const back = new URL(redirectUri)
  const all = {
    ...answer,
    state: query.get('state') ?? '',
    ...(options.issuer && { iss: options.issuer }),
  }
  for (const [name, value] of Object.entries(all)) back.searchParams.set(name, value)
  return { status: 302, headers: { location: back.href } }
}

interface Agreement {
  readonly challenge: string
  readonly redirectUri: string
  readonly scope: string | null
}

const invalidGrant: SandboxReply = {
  status: 400,
  json: {
    error: 'invalid_grant',
    error_description: 'the code or the refresh token is unknown, used or expired',
  },
}

function problemOfAuthorization(
  { query }: SandboxCall,
  { clientId }: IssueSignInsOptions,
): string | undefined {
  if (query.get('response_type') !== 'code') return 'response_type must be code'
  if (query.get('client_id') !== clientId) return 'the client_id is unknown'
  if (!/^https?:\/\//.test(query.get('redirect_uri') ?? '')) return 'the redirect_uri is not an address'
  const hasChallenge = /^[\w-]{43}$/.test(query.get('code_challenge') ?? '')
  if (!hasChallenge || query.get('code_challenge_method') !== 'S256')
    return 'a code_challenge with S256 is missing'
  return undefined
}

/** Nothing of the request is shown but its own address. */
function consentPage({ path }: SandboxCall): SandboxReply {
  const link = (consent: string) =>
    `${path}&consent=${consent}`.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return htmlReply(
    200,
    `<!doctype html><title>Sandbox sign-in</title><h1>Sandbox sign-in</h1>
<p><a href="${link('allow')}">Allow access</a></p><p><a href="${link('deny')}">Deny access</a></p>`,
  )
}

function isClient(call: SandboxCall, { clientId, clientSecret }: IssueSignInsOptions): boolean {
  const form = call.form()
  if (form.get('client_id') === clientId && (form.get('client_secret') ?? undefined) === clientSecret)
    return true
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`
  return call.headers['authorization'] === `Basic ${Buffer.from(pair).toString('base64')}`
}
