import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Session } from '../../../core/domain/session.ts'
import { checkKey } from '../../access/keys.ts'
import { challenge, readCredentials } from './credentials.ts'
import { RequestError } from '../request/request-error.ts'
import type { Route, Services } from '../routing/route.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { Access, Caller } from './caller.ts'

type Needed = Pick<
  Services,
  'stores' | 'clock' | 'recordKeyUse' | 'failedAuthentications' | 'sessions' | 'requestGate'
>

/** Says that a page sends the request by itself: nobody did anything there since the one before. */
const backgroundHeader = 'tocsin-background'

/**
 * Whether a request puts off the idle end of a session: neither streams, which browsers open again by themselves, nor reads that the page
 * marks. Writes do, marked or not. The mark can only shorten a session.
 */
export function isActivity({ method, textType }: Route, headers: IncomingHttpHeaders): boolean {
  if (textType === 'text/event-stream') return false
  return method !== 'GET' || headers[backgroundHeader] !== 'true'
}

/** Of a request: by what it is found in the log, where it comes from, and how its session is kept. */
export interface Origin {
  readonly requestId: string
  readonly address: string
  readonly cookie: SessionCookie
  /** Whether a person is behind it, as far as the server can tell: see `isActivity`. */
  readonly isActivity: boolean
}

/**
 * Whose key the request carries, or with whose key the person has signed in. Throws RequestError `key_missing`, `key_invalid`, `session_invalid`,
 * `credentials_ambiguous`, `too_many_requests`.
 */
export function authenticate(
  headers: IncomingHttpHeaders,
  services: Needed,
  origin: Origin,
): Promise<Caller> {
  return services.requestGate.admit(origin.address, () => callerFor(headers, services, origin))
}

async function callerFor(headers: IncomingHttpHeaders, services: Needed, origin: Origin): Promise<Caller> {
  const given = readCredentials(headers, origin.cookie)
  if (given.kind === 'api_key')
    return callerOf(await requireKey(given.value, services, origin), origin.requestId)
  const session = await services.sessions.use(given.token, origin.isActivity)
  if (session === undefined) {
    throw new RequestError('session_invalid', undefined, {
      hint: 'sign in again: POST session',
      headers: { ...challenge, 'set-cookie': origin.cookie.clear },
    })
  }
  services.recordKeyUse(session.key, services.clock.now())
  return callerOf(session.key, origin.requestId, session)
}

/** The key of this text, whose use is recorded, as is its refusal. Throws RequestError `key_invalid`. */
export async function requireKey(
  value: string,
  { stores, clock, recordKeyUse, failedAuthentications }: Omit<Needed, 'sessions' | 'requestGate'>,
  { requestId, address }: Omit<Origin, 'cookie' | 'isActivity'>,
): Promise<ApiKey> {
  const now = clock.now()
  const key = await checkKey(stores.keys, value, now)
  if (key === undefined) {
    failedAuthentications.record({ value, address, requestId }, now)
    // One answer for malformed, unknown, wrong, expired and revoked keys: nobody learns which ids exist.
    throw new RequestError('key_invalid', 'The API key is unknown, wrong, expired or revoked.', {
      hint: 'check that the whole key was copied, or ask an administrator for a new one',
      headers: challenge,
    })
  }
  recordKeyUse(key, now)
  return key
}

export function callerOf(key: ApiKey, requestId: string, session?: Session): Caller {
  return {
    keyUuid: key.uuid,
    expiresAt: key.expiresAt,
    actor: { kind: 'api_key', id: key.id, name: key.name, requestId },
    role: key.role,
    scope: key.organizationUuids ?? 'all',
    session,
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
