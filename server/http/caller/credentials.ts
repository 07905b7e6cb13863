import type { IncomingHttpHeaders } from 'node:http'
import { RequestError } from '../request/request-error.ts'
import type { SessionCookie } from './session-cookie.ts'

/** Sent with every 401. */
export const challenge = { 'www-authenticate': 'Bearer realm="tocsin"' }

export type Credentials =
  { readonly kind: 'api_key'; readonly value: string } | { readonly kind: 'session'; readonly token: string }

/** The credentials of a request. Throws RequestError `key_missing`, `credentials_ambiguous`. */
export function readCredentials(headers: IncomingHttpHeaders, cookie: SessionCookie): Credentials {
  const keys = [...cookiesNamed('Session', headers), ...authorizationKey(headers.authorization)]
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
      hint: 'send only one Session cookie, Authorization header or sign-in cookie',
    })
  }
  return first
}

/**
 * Quotes are part of a value (RFC 6265bis, section 4.1.1). Node joins repeated Cookie headers with `; `, so a
 * second header is seen too.
 */
export function cookiesNamed(name: string, { cookie }: IncomingHttpHeaders): readonly string[] {
  const values: string[] = []
  if (cookie === undefined) return values
  const prefix = `${name}=`
  for (let start = 0; start < cookie.length;) {
    const next = cookie.indexOf(';', start)
    const end = next < 0 ? cookie.length : next
    const pair = cookie.slice(start, end).trim()
    if (pair.startsWith(prefix)) values.push(pair.slice(prefix.length))
    start = end + 1
  }
  return values
}

/**
 * The token of Bearer, or the password of Basic (RFC 7617), for senders that can only put credentials into their address. No
 * challenge asks browsers for Basic, so that they never send it on their own.
 */
function authorizationKey(authorization: string | undefined): readonly string[] {
  if (authorization === undefined) return []
  const [, scheme, value = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization) ?? []
  if (scheme?.toLowerCase() !== 'basic') return [value]
  // Another scheme, or no password, counts as an invalid key, not as a missing one.
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? []
  return [password]
}
