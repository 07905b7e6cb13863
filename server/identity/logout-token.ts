import { createRemoteJWKSet, customFetch as joseFetch, errors, jwtVerify, type JWTPayload } from 'jose'
import type { ServerMetadata } from 'openid-client'
import type { LogoutNotice } from '../../core/identity/identity.ts'
import type { egressFetch, FetchOptions } from './egress-fetch.ts'
import { refused, providerUnavailable } from './failures.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** Older tokens are refused, so that the ids of used ones need to be kept no longer. */
const maxAgeSeconds = 120
const clockToleranceSeconds = 30
/** How long a logout token can be repeated, in milliseconds. */
export const logoutTokenMs = (maxAgeSeconds + clockToleranceSeconds) * 1_000

/** Asymmetric algorithms: a token signed with the client secret is not accepted. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

const noKeys: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

export type VerifyLogoutToken = (
  token: string,
  metadata: ServerMetadata,
  clientId: string,
) => Promise<LogoutNotice>

/**
 * Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.6). Keys are kept, and fetched again for an unknown key at
 * most every five seconds, because anybody can send a token.
 */
export function createLogoutTokens(
  fetch: ReturnType<typeof egressFetch>,
  timeoutSeconds: number,
): VerifyLogoutToken {
  const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

  function keysOf(uri: string) {
    const known = keys.get(uri)
    if (known !== undefined) return known
    const made = createRemoteJWKSet(new URL(uri), {
      timeoutDuration: timeoutSeconds * 1_000,
      cooldownDuration: 5_000,
      [joseFetch]: (url, { method, headers, signal }) =>
        fetch(url, { method, headers: Object.fromEntries(headers), signal } satisfies FetchOptions),
    })
    keys.clear()
    keys.set(uri, made)
    return made
  }

  return async (token, metadata, clientId) => {
    const { issuer, jwks_uri: uri } = metadata
    if (uri === undefined) throw refused('the identity provider publishes no keys')
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keysOf(uri), {
        issuer,
        audience: clientId,
        algorithms,
        maxTokenAge: maxAgeSeconds,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['iat', 'jti', 'events'],
      })
      requireType(protectedHeader.typ)
      return noticeIn(payload)
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      // Raised when the keys do not arrive, or are no keys.
      if (noKeys.has(error.code)) throw providerUnavailable(issuer, 'it did not send its keys', error)
      throw refused(`the logout token is invalid (${error.code.toLowerCase()})`, error)
    }
  }
}

/** Older providers leave the type out. Another type is a token for something else. */
function requireType(type: string | undefined): void {
  const name = type?.toLowerCase().replace(/^application\//, '')
  if (name !== undefined && name !== 'logout+jwt' && name !== 'jwt')
    throw refused(`the token is of type '${name.slice(0, 40)}'`)
}

function noticeIn(payload: JWTPayload): LogoutNotice {
  const { iss, sub, jti, sid, events, nonce } = payload
  const isLogout = isObject(events) && isObject(events[event])
  if (!isLogout) throw refused('the token has no logout event')
  // With a nonce it is an ID token.
  if (nonce !== undefined) throw refused('the logout token has a nonce')
  const session = typeof sid === 'string' && sid !== '' ? sid : null
  if (sub === undefined && session === null)
    throw refused('the logout token names neither a person nor a session')
  return { issuer: iss!, subject: sub ?? null, sessionId: session, tokenId: jti! }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
