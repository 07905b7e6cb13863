import { createHash } from 'node:crypto'
import { ConnectionError, type SignInRequest } from '../../plugin/index.ts'
import { called, checkedHeaders, credentialsIn } from '../connection/credentials.ts'
import type { TokenPost } from '../http/fetch-token.ts'

/** How an administrator signs in to the other system of a connection, and where its tokens are renewed. */
export interface SignInTarget {
  /** Digest of the client and the addresses that its tokens may be sent to. */
  readonly client: string
  readonly issuer: string | undefined
  /** Whether a refresh token may be sent again after a lost answer. */
  readonly isReusable: boolean
  /** The address that the browser opens. */
  authorizeUrl(request: AuthorizeRequest): string
  /** A request to the token endpoint, with the client and its credentials. */
  tokenRequest(form: Readonly<Record<string, string>>): Required<SignInPost>
  /** A request to the revocation endpoint; undefined: there is none. */
  revocation(token: string): SignInPost | undefined
}

type SignInPost = Pick<TokenPost, 'url' | 'form' | 'headers' | 'credentials'>

export interface AuthorizeRequest {
  readonly redirectUri: string
  readonly state: string
  /** S256 of RFC 7636. */
  readonly challenge: string
}

export interface SignInPlace {
  /** Name of the connection. */
  readonly connection: string
  readonly base: URL
  readonly otherOrigins: readonly string[]
  readonly secrets: readonly string[]
  /** The address of a request, which must be below the base address or at one of the other origins. */
  readonly addressOf: (path: string) => URL
  /** Settings that reroute all requests, such as a proxy. */
  readonly way: unknown
}

/** Parameters of the authorization request that a plugin cannot set. */
export const ownParameters = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
] as const

/** Fields of token requests that a plugin cannot set. */
export const ownTokenFields = [
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
] as const

/** @throws ConnectionError `connection_invalid`, SkillError `bad_path` */
export function createSignInTarget(make: () => SignInRequest, place: SignInPlace): SignInTarget {
  const { connection, base, otherOrigins, secrets, addressOf, way } = place
  const request = called(connection, 'sign-in', make)
  const { clientId, clientSecret, send = 'form', form = {}, parameters = {}, issuer } = request
  if (clientId === '') throw invalid(connection, 'the client id is empty')
  requireNone(connection, 'parameter', parameters, ownParameters)
  requireNone(connection, 'field', form, ownTokenFields)
  const token = addressOf(request.token)
  const revoke = request.revoke === undefined ? undefined : addressOf(request.revoke)
  const authorize = authorizeAddress(request.authorize, place)
  const isBasic = send === 'basic' && clientSecret !== undefined
  const headers = isBasic
    ? checkedHeaders(connection, { authorization: basic(clientId, clientSecret) })
    : ({} as const)
  const client = isBasic
    ? {}
    : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
  const post = (url: URL, fields: Readonly<Record<string, string>>) => ({
    url,
    form: { ...form, ...fields, ...client },
    headers,
    credentials: credentialsIn(headers, secrets),
  })
  return {
    client: digest([base.href, otherOrigins, token.href, revoke?.href, authorize.href, clientId, way]),
    issuer,
    isReusable: request.refreshToken === 'reusable',
    authorizeUrl({ redirectUri, state, challenge }) {
      const url = new URL(authorize)
      const own = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        ...(request.scope !== undefined && { scope: request.scope }),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries({ ...parameters, ...own })) url.searchParams.set(name, value)
      return url.href
    },
    tokenRequest: (fields) => post(token, fields),
    revocation: (value) => revoke && post(revoke, { token: value, token_type_hint: 'refresh_token' }),
  }
}

/** RFC 6749, section 2.3.1: both are form-encoded first. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Only the browser opens it, so it may have any origin; without TLS only where the connection has none either. */
function authorizeAddress(path: string, { connection, base, otherOrigins, addressOf }: SignInPlace): URL {
  const address = path.startsWith('/') ? addressOf(path) : URL.parse(path)
  const isKnown = address !== null && [base.origin, ...otherOrigins].includes(address.origin)
  if (address !== null && address.username === '' && (address.protocol === 'https:' || isKnown))
    return address
  throw invalid(connection, 'the authorization endpoint is not an https address')
}

function requireNone(
  connection: string,
  what: string,
  given: Readonly<Record<string, string>>,
  own: readonly string[],
): void {
  const stray = own.find((name) => Object.hasOwn(given, name))
  if (stray !== undefined) throw invalid(connection, `the ${what} '${stray}' is set by Tocsin`)
}

const invalid = (connection: string, problem: string): ConnectionError =>
  new ConnectionError('connection_invalid', `connection '${connection}' cannot be signed in to: ${problem}`, {
    hint: 'check the settings of the connection and its plugin',
  })
