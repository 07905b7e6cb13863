import { roles, type Role } from '../../../../core/domain/api-key.ts'
import type { Actor } from '../../../../core/domain/audit.ts'
import { idleEnd, lastEnd, type Session } from '../../../../core/domain/session.ts'
import type { NewSession } from '../../../../core/ports/access/session-store.ts'
import { callerOfSession } from '../../caller/authenticate.ts'
import type { Caller, Grant } from '../../caller/caller.ts'
import { cookiesNamed } from '../../caller/credentials.ts'
import type { ApiRequest, Services } from '../../routing/route.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

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
    session: session
      ? {
          started_at: session.createdAt,
          idle_ends_at: Math.min(idleEnd(session, sessions.limits), lastEnd(session, sessions.limits)),
          ends_at: lastEnd(session, sessions.limits),
        }
      : null,
  }
}

/** Of several roles, the one with the most permissions. */
const widestRole = (grants: readonly Grant[]): Role =>
  roles.findLast((role) => grants.some((grant) => grant.role === role)) ?? 'intake'

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
    body: await sessionView(callerOfSession(session, requestId), services),
    location: '/session',
    headers: { 'set-cookie': sessionCookie.set(token, maxAgeMs) },
  }
}
