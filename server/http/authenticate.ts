import type { IncomingHttpHeaders } from 'node:http'
import type { Clock, KeyStore } from '../../core/ports.ts'
import type { RecordKeyUse } from '../key-use.ts'
import { checkKey } from '../keys.ts'
import { RequestError } from './request-error.ts'
import type { Access, Caller } from './route.ts'

const challenge = { 'www-authenticate': 'Bearer realm="tocsin"' }

/** Whose key the request carries. Throws RequestError `key_missing`, `key_invalid`, `credentials_ambiguous`. */
export async function authenticate(
  headers: IncomingHttpHeaders,
  keys: Pick<KeyStore, 'find'>,
  clock: Pick<Clock, 'now'>,
  recordUse: RecordKeyUse,
  requestId: string,
): Promise<Caller> {
  const value = keyOf(headers)
  const now = clock.now()
  const key = await checkKey(keys, value, now)
  if (key === undefined) {
    // One answer for malformed, unknown, wrong, expired and revoked keys: nobody learns which ids exist.
    throw new RequestError('key_invalid', 'The API key is unknown, wrong, expired or revoked.', {
      hint: 'check that the whole key was copied, or ask an administrator for a new one',
      headers: challenge,
    })
  }
  recordUse(key, now)
  return {
    keyUuid: key.uuid,
    actor: { kind: 'api_key', id: key.id, name: key.name, requestId },
    role: key.role,
    scope: key.organizationUuids ?? 'all',
  }
}

/** Throws RequestError `role_insufficient`. */
export function authorize(caller: Caller, access: Access): void {
  if (typeof access === 'string' || access.includes(caller.role)) return
  throw new RequestError(
    'role_insufficient',
    `A key with the role '${caller.role}' may not do this; the roles that may: ${access.join(', ')}.`,
    { hint: 'use a key with one of these roles' },
  )
}

function keyOf(headers: IncomingHttpHeaders): string {
  const given = [...sessionCookies(headers.cookie), ...bearer(headers.authorization)]
  const [first] = given
  if (first === undefined) {
    throw new RequestError('key_missing', undefined, {
      hint: 'send the header `Cookie: Session=<API_KEY>` or `Authorization: Bearer <API_KEY>`',
      headers: challenge,
    })
  }
  if (given.length > 1) {
    throw new RequestError('credentials_ambiguous', undefined, {
      hint: 'send one Session cookie, or one Authorization header, and not both',
    })
  }
  return first
}

/** Node joins repeated Cookie headers with `; `, so that a second one cannot hide in a header of its own. */
function sessionCookies(cookie: string | undefined): readonly string[] {
  if (cookie === undefined) return []
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith('Session=')).map((pair) => pair.slice('Session='.length))
}

function bearer(authorization: string | undefined): readonly string[] {
  if (authorization === undefined) return []
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  // Another scheme counts as a key that is not valid, not as none: the caller did try.
  return [token ?? '']
}
