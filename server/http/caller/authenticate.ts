import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from '../../../core/access/account.ts'
import { builtInRoles, permissionsOf, rolesWith, type CustomRole } from '../../../core/access/permissions.ts'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import type { Session } from '../../../core/domain/session.ts'
import { checkKey } from '../../access/keys.ts'
import { addressMatcher } from '../server/trusted-proxies.ts'
import { challenge, readCredentials } from './credentials.ts'
import { RequestError } from '../request/request-error.ts'
import type { Route, Services } from '../routing/route.ts'
import type { SessionCookie } from './session-cookie.ts'
import { joinedScope, permissionFor, scopeOf, type Caller, type Grant, type RouteAccess } from './caller.ts'

type Needed = Pick<
  Services,
  | 'stores'
  | 'clock'
  | 'recordKeyUse'
  | 'recordAccountUse'
  | 'failedAuthentications'
  | 'sessions'
  | 'requestGate'
>

/** Marks requests that the page sends automatically. */
const backgroundHeader = 'tocsin-background'

/**
 * Whether a request extends the idle timeout of a session. Streams do not, as browsers reopen them on their
 * own, nor do marked reads. Writes always do. The mark can only shorten a session.
 */
export function isActivity({ method, textType }: Route, headers: IncomingHttpHeaders): boolean {
  if (textType === 'text/event-stream') return false
  return method !== 'GET' || headers[backgroundHeader] !== 'true'
}

export interface Origin {
  readonly requestId: string
  readonly address: string
  readonly cookie: SessionCookie
  /** Whether a person caused the request, as far as the server can tell: see `isActivity`. */
  readonly isActivity: boolean
}

/**
 * The caller, by API key or session.
 *
 * @throws RequestError `key_missing`, `key_invalid`, `session_invalid`, `credentials_ambiguous`,
 * `too_many_requests`
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
    return callerOf(await requireValidKey(given.value, services, origin), origin.requestId)
  const session = await services.sessions.use(given.token, origin.isActivity)
  const isRefused =
    session !== undefined && 'key' in session.holder && !isAllowedFrom(session.holder.key, origin.address)
  if (session === undefined || isRefused) {
    throw new RequestError('session_invalid', undefined, {
      hint: 'sign in again: POST session',
      headers: { ...challenge, 'set-cookie': origin.cookie.clear },
    })
  }
  const now = services.clock.now()
  const { holder } = session
  if ('account' in holder) services.recordAccountUse(holder.account, now)
  else services.recordKeyUse(holder.key, now)
  return callerOfSession(session, origin.requestId, await services.stores.roles.list())
}

/** Whether the key may be used from this address; see `Requester`. */
const isAllowedFrom = ({ allowedAddresses }: ApiKey, address: string): boolean =>
  allowedAddresses === null || addressMatcher(allowedAddresses)(address)

/**
 * The API key with this value; records its use or its refusal.
 *
 * @throws RequestError `key_invalid`
 */
export async function requireValidKey(
  value: string,
  {
    stores,
    clock,
    recordKeyUse,
    failedAuthentications,
  }: Omit<Needed, 'sessions' | 'requestGate' | 'recordAccountUse'>,
  { requestId, address }: Omit<Origin, 'cookie' | 'isActivity'>,
): Promise<ApiKey> {
  const now = clock.now()
  const key = await checkKey(stores.keys, value, now)
  if (key === undefined || !isAllowedFrom(key, address)) {
    failedAuthentications.record({ value, address, requestId }, now)
    // One response for malformed, unknown, wrong, expired and revoked keys, so that no one learns which ids
    // exist.
    throw new RequestError('key_invalid', 'The API key is unknown, wrong, expired or revoked.', {
      hint: 'check that you copied the whole key, or ask an administrator for a new one',
      headers: challenge,
    })
  }
  recordKeyUse(key, now)
  return key
}

export function callerOf(key: ApiKey, requestId: string, session?: Session): Caller {
  return {
    uuid: key.uuid,
    expiresAt: key.expiresAt,
    actor: { kind: 'api_key', id: key.id, name: key.name, requestId },
    grants: [
      {
        role: key.role,
        permissions: builtInRoles[key.role].permissions,
        scope: key.organizationUuids ?? 'all',
      },
    ],
    scope: key.organizationUuids ?? 'all',
    session,
    account: undefined,
    key,
  }
}

function callerOfAccount(
  account: Account,
  requestId: string,
  session: Session,
  custom: readonly CustomRole[],
): Caller {
  const grants = account.roles.map(({ role, organizationUuid }): Grant => ({
    role,
    permissions: permissionsOf(role, custom, organizationUuid),
    scope: organizationUuid === null ? 'all' : [organizationUuid],
  }))
  return {
    uuid: account.uuid,
    expiresAt: null,
    actor: { kind: 'account', id: account.uuid, name: account.name, requestId },
    grants,
    scope: joinedScope(grants) ?? [],
    session,
    account,
  }
}

export const callerOfSession = (
  session: Session,
  requestId: string,
  custom: readonly CustomRole[],
): Caller =>
  'account' in session.holder
    ? callerOfAccount(session.holder.account, requestId, session, custom)
    : callerOf(session.holder.key, requestId, session)

/** The caller with the organizations of the permission. Throws RequestError `role_insufficient`. */
export function authorize(caller: Caller, access: RouteAccess): Caller {
  const permission = permissionFor(access)
  if (permission === undefined) return caller
  const scope = scopeOf(caller.grants, permission)
  if (scope !== undefined) return { ...caller, scope }
  const own = [...new Set(caller.grants.map(({ role }) => `'${role}'`))]
  throw new RequestError(
    'role_insufficient',
    `${roleText(own)} not have access; allowed roles: ${rolesWith(permission).join(', ')}, and others with the permission '${permission}'.`,
    {
      hint:
        caller.account === undefined
          ? 'use an API key with one of these roles'
          : 'ask an administrator for one of these roles',
    },
  )
}

function roleText(own: readonly string[]): string {
  if (own.length === 0) return 'An account without a role does'
  return own.length === 1 ? `The role ${own[0]} does` : `The roles ${own.join(', ')} do`
}

/** For operations on every organization. Throws RequestError `key_is_scoped`. */
export function requireWholeScope(caller: Caller): void {
  if (caller.scope === 'all') return
  throw new RequestError(
    'key_is_scoped',
    'This operation affects every organization, but the API key is limited to some.',
    {
      hint: 'use an API key or a role for all organizations',
    },
  )
}
