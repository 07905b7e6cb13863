import { allPermissions, builtInRoles } from '../../../../../core/access/permissions.ts'
import { roles, type Role } from '../../../../../core/domain/api-key.ts'
import type { Actor } from '../../../../../core/domain/audit.ts'
import { idleEnd, lastEnd, type Session } from '../../../../../core/domain/session.ts'
import type { NewSession } from '../../../../../core/ports/access/session-store.ts'
import { callerOfSession } from '../../../caller/authenticate.ts'
import { scopeOf, type Caller, type Grant } from '../../../caller/caller.ts'
import type { Directory } from '../../../caller/directory.ts'
import { cookiesNamed } from '../../../caller/credentials.ts'
import type { ApiRequest, Services } from '../../../routing/route.ts'
import { objectSchema, text, textOrNull, time } from '../../system/page.ts'

/** A session. */
export const apiSessionSchema = objectSchema({
  key_id: {
    type: 'string',
    description: 'The public part of the API key; of a person, the uuid of the account.',
  },
  key_name: { type: 'string', description: 'The name of the API key or of the person.' },
  account_uuid: { ...textOrNull, description: 'null: an API key, or a session of one.' },
  role: { enum: roles, description: 'Of a person with several roles: the one with the most permissions.' },
  organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
  permissions: {
    type: 'array',
    items: objectSchema({
      permission: { enum: allPermissions },
      organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
    }),
    description: 'What the caller may do, and where.',
  },
  session: {
    ...objectSchema({
      started_at: time,
      idle_ends_at: {
        type: 'integer',
        description: 'When the session ends unless it is used (epoch milliseconds).',
      },
      ends_at: { type: 'integer', description: 'When the session ends at the latest (epoch milliseconds).' },
    }),
    type: ['object', 'null'],
    description: 'null: the request uses an API key.',
  },
})

export async function sessionView(
  { actor, grants, scope, session, account }: Caller,
  { directory, sessions }: Services,
) {
  const codes = scope === 'all' ? null : scope.map((uuid) => directory.organizationCode(uuid))
  return {
    key_id: actor.id,
    key_name: actor.name,
    account_uuid: account?.uuid ?? null,
    role: widestRole(grants),
    organization_codes: codes && (await Promise.all(codes)),
    permissions: await permissionsView(grants, directory),
    session: session
      ? {
          started_at: session.createdAt,
          idle_ends_at: Math.min(idleEnd(session, sessions.limits), lastEnd(session, sessions.limits)),
          ends_at: lastEnd(session, sessions.limits),
        }
      : null,
  }
}

/** What the caller may do, and where. */
async function permissionsView(grants: readonly Grant[], directory: Pick<Directory, 'organizationCode'>) {
  const held = allPermissions.flatMap((permission) => {
    const scope = scopeOf(grants, permission)
    return scope === undefined ? [] : [{ permission, scope }]
  })
  return await Promise.all(
    held.map(async ({ permission, scope }) => ({
      permission,
      organization_codes:
        scope === 'all' ? null : await Promise.all(scope.map((uuid) => directory.organizationCode(uuid))),
    })),
  )
}

/** The role of an API key that a person's roles include. */
const widestRole = (grants: readonly Grant[]): Role =>
  roles.findLast((role) => {
    const own = new Set(grants.flatMap(({ permissions }) => permissions))
    return builtInRoles[role].permissions.every((permission) => own.has(permission))
  }) ?? 'intake'

type Sender = Pick<ApiRequest<unknown, unknown, unknown>, 'headers' | 'requestId' | 'sessionCookie'>

/** Starts a session, which replaces the earlier one of the same browser. */
export async function openSession(
  given: Pick<NewSession, 'holder' | 'method'>,
  by: Actor,
  { headers, sessionCookie }: Sender,
  { sessions }: Pick<Services, 'sessions'>,
) {
  // With several cookies, the session of this browser is unknown.
  const [before, another] = cookiesNamed(sessionCookie.name, headers)
  const replaces = another === undefined ? before : undefined
  return await sessions.begin({ ...given, client: headers['user-agent'] ?? '' }, replaces, by)
}

/** Starts a session, and answers with its cookie. */
export async function beginSession(
  given: Pick<NewSession, 'holder' | 'method'>,
  by: Actor,
  sender: Sender,
  services: Services,
) {
  return await sessionAnswer(await openSession(given, by, sender, services), sender, services)
}

/** The answer to a sign-in. */
export async function sessionAnswer(
  { token, session }: { readonly token: string; readonly session: Session },
  { requestId, sessionCookie }: Sender,
  services: Services,
) {
  const maxAgeMs = lastEnd(session, services.sessions.limits) - session.createdAt
  return {
    body: await sessionView(
      callerOfSession(session, requestId, await services.stores.roles.list()),
      services,
    ),
    location: '/session',
    headers: { 'set-cookie': sessionCookie.set(token, maxAgeMs) },
  }
}
