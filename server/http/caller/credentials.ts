import type { IncomingHttpHeaders } from 'node:http'
import { RequestError } from '../request/request-error.ts'
import type { SessionCookie } from './session-cookie.ts'

/** Says how to authenticate, with every 401. */
export const challenge = { 'www-authenticate': 'Bearer realm="tocsin"' }

export type Credentials =
  { readonly kind: 'api_key'; readonly value: string } | { readonly kind: 'session'; readonly token: string }

/** What a request says about who sends it. Throws RequestError `key_missing`, `credentials_ambiguous`. */
export function readCredentials(headers: IncomingHttpHeaders, cookie: SessionCookie): Credentials {
  const keys = [...cookiesNamed('Session', headers), ...bearer(headers.authorization)]
  const given: readonly Credentials[] = [
    ...keys.map((value) => ({ kind: 'api_key', value }) as const),
    ...cookiesNamed(cookie.name, headers).map((token) => ({ kind: 'session', token }) as const),
  ]
  const [first] = given
  if (first === undefined) {
    throw new RequestError('key_missing', undefined, {
      hint: 'send the header `Cookie: Session=<API_KEY>` or `Authorization: Bearer <API_KEY>`, or sign in: POST session',
      headers: challenge,
    })
  }
  if (given.length > 1) {
    throw new RequestError('credentials_ambiguous', undefined, {
      hint: 'send one Session cookie, or one Authorization header, or the cookie of one sign-in, and not two of them',
    })
  }
  return first
}

/**
 * Values as they stand: quotes around one are part of it (RFC 6265bis, section 4.1.1). Node joins repeated Cookie headers with `; `, so that
 * a second one cannot hide in a header of its own.
 */
export function cookiesNamed(name: string, { cookie }: IncomingHttpHeaders): readonly string[] {
  if (cookie === undefined) return []
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

function bearer(authorization: string | undefined): readonly string[] {
  if (authorization === undefined) return []
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  // Another scheme counts as a key that is not valid, not as none: the caller did try.
  return [token ?? '']
}
