import { constants, createHmac, verify } from 'node:crypto'
import { isObject, type ConnectionDefinition, type SignInRequest } from '../../plugin/index.ts'
import { issueSignIns, type SandboxCall, type SandboxReply } from '../../plugin/testing/index.ts'
import { connectionValues, textValue } from '../compile/values.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import { hasHeaders } from './request-shape.ts'

/** The OAuth endpoints of a sandbox. */
export interface TokenEndpoints {
  /** By method and path, such as `POST /oauth/token`. */
  readonly routes: ReadonlyMap<string, (call: SandboxCall) => SandboxReply>
  /** Whether a request has a token that was issued here. */
  hasIssued(call: SandboxCall): boolean
}

/** RFC 6749, section 5.2. */
const refusal: SandboxReply = {
  status: 401,
  json: { error: 'invalid_client', error_description: 'the client is unknown, or its secret is wrong' },
}

/**
 * The endpoints that a connection fetches its tokens from; undefined if it fetches none.
 *
 * @throws Error for an endpoint at another origin
 */
export function tokenEndpoints(
  definition: ConnectionDefinition,
  auth: DeclaredAuth | undefined,
  settings: Readonly<Record<string, unknown>>,
  url: string,
): TokenEndpoints | undefined {
  const { token, signIn } = definition
  const base = definition.baseUrl(settings)
  if (signIn !== undefined)
    return signInEndpoints(signIn(settings), (what, path) => pathnameFor(what, path, base, url))
  if (token === undefined) return undefined
  const issued = new Set<string>()
  const { path } = token(settings, { nowMs: Date.now() })
  const issue = (call: SandboxCall): SandboxReply => {
    if (!isTokenRequest(call, token(settings, { nowMs: Date.now() }), auth, settings)) return refusal
    const name = `sandbox-token-${issued.size + 1}`
    issued.add(name)
    return { json: { access_token: name, token_type: 'Bearer', expires_in: 3600 } }
  }
  return {
    routes: new Map([[`POST ${pathnameFor('token', path, base, url)}`, issue]]),
    hasIssued: ({ headers }) => issued.has(/^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''),
  }
}

/** A person can sign in here: see `issueSignIns`. */
function signInEndpoints(
  { authorize, token, revoke, clientId, clientSecret, issuer, refreshToken }: SignInRequest,
  pathname: (what: string, path: string) => string,
): TokenEndpoints {
  const signIns = issueSignIns({ clientId, clientSecret, issuer, rotates: refreshToken !== 'reusable' })
  return {
    routes: new Map([
      [`GET ${pathname('authorization', authorize)}`, signIns.authorize],
      [`POST ${pathname('token', token)}`, signIns.token],
      ...(revoke === undefined ? [] : [[`POST ${pathname('revocation', revoke)}`, signIns.revoke] as const]),
    ]),
    hasIssued: (call) => signIns.check(call),
  }
}

function pathnameFor(what: string, path: string, baseUrl: string, url: string): string {
  if (path.startsWith('/')) return new URL(baseUrl + path).pathname
  if (path.startsWith(`${url}/`)) return new URL(path).pathname
  throw new Error(
    `the ${what} endpoint ${path} has another origin than the sandbox: make its origin a field with address: public and a default, such as login_url`,
  )
}

type Form = Readonly<Record<string, string>>

/** Whether a form and its headers are those that the connection sends. */
function isTokenRequest(
  call: SandboxCall,
  { form, headers = {} }: { readonly form: Form; readonly headers?: Form },
  auth: DeclaredAuth | undefined,
  settings: unknown,
): boolean {
  const sent = call.form()
  const isEqual = ([name, value]: readonly [string, string]) =>
    name === 'assertion' && auth?.kind === 'jwt_bearer'
      ? isValidAssertion(sent.get(name) ?? '', value, auth, settings)
      : sent.get(name) === value
  return hasHeaders(call, headers) && Object.entries(form).every(isEqual)
}

/** Whether an assertion is signed by the key, and claims the same as the connection's own. */
function isValidAssertion(
  sent: string,
  own: string,
  { algorithm, key: template }: Extract<DeclaredAuth, { readonly kind: 'jwt_bearer' }>,
  settings: unknown,
): boolean {
  const [header = '', claims = '', signature = ''] = sent.split('.')
  if (lastingClaims(claims) !== lastingClaims(own.split('.')[1] ?? '')) return false
  const key = textValue(template, connectionValues(settings, 0)) ?? ''
  const hash = `sha${algorithm.slice(2)}`
  const text = `${header}.${claims}`
  if (algorithm.startsWith('HS')) return createHmac(hash, key).update(text).digest('base64url') === signature
  const options = {
    key,
    ...(algorithm.startsWith('PS') && {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
    ...(algorithm.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
  }
  return verify(hash, Buffer.from(text), options, Buffer.from(signature, 'base64url'))
}

/** The claims that are the same in every assertion, as text. */
function lastingClaims(part: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    if (!isObject(claims)) return undefined
    const lasting = Object.entries(claims).filter(([name]) => !['iat', 'exp', 'jti'].includes(name))
    return JSON.stringify(lasting)
  } catch {
    return undefined
  }
}
