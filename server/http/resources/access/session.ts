import { roles, type Role } from '../../../../core/domain/api-key.ts'
import { idleEnd, lastEnd } from '../../../../core/domain/session.ts'
import { callerOf, callerOfSession, requireValidKey } from '../../caller/authenticate.ts'
import { cookiesNamed } from '../../caller/credentials.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, time } from '../system/page.ts'
import { anyRole, type Caller, type Grant } from '../../caller/caller.ts'

/** A session. */
export const apiSessionSchema = objectSchema({
  key_id: {
    type: 'string',
    description: 'The public part of the API key; of a person, the uuid of the account.',
  },
  key_name: { type: 'string', description: 'The name of the API key or of the person.' },
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

async function view({ actor, grants, scope, session }: Caller, { directory, sessions }: Services) {
  const codes = scope === 'all' ? null : scope.map((uuid) => directory.organizationCode(uuid))
  return {
    key_id: actor.id,
    key_name: actor.name,
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

const widestRole = (grants: readonly Grant[]): Role =>
  roles.findLast((role) => grants.some((grant) => grant.role === role)) ?? 'intake'

const signIn = defineRoute({
  method: 'POST',
  path: '/session',
  access: 'sign_in',
  summary: 'Signs in with an API key: the response sets the cookie of a new session.',
  status: 201,
  answer: apiSessionSchema,
  body: {
    required: ['api_key'],
    properties: { api_key: { type: 'string', maxLength: 200, description: 'An API key.' } },
  },
  async handle({ body, headers, address, requestId, sessionCookie }, services) {
    const { sessions, signInGate } = services
    const key = await signInGate.admit(address, () =>
      requireValidKey(body.api_key, services, { requestId, address }),
    )
    // With several cookies, the session of this browser is unknown.
    const [before, another] = cookiesNamed(sessionCookie.name, headers)
    const replaces = another === undefined ? before : undefined
    const { token, session } = await sessions.begin(
      { holder: { keyId: key.id }, method: 'api_key', client: headers['user-agent'] ?? '' },
      replaces,
      callerOf(key, requestId).actor,
    )
    const maxAgeMs = lastEnd(session, sessions.limits) - session.createdAt
    return {
      body: await view(callerOfSession(session, requestId), services),
      location: '/session',
      headers: { 'set-cookie': sessionCookie.set(token, maxAgeMs) },
    }
  },
})

const whoAmI = defineRoute({
  method: 'GET',
  path: '/session',
  access: anyRole,
  summary: 'The caller of the request: API key or session, role and organizations.',
  answer: apiSessionSchema,
  async handle({ caller }, services) {
    return { body: await view(caller, services) }
  },
})

const signOut = defineRoute({
  method: 'DELETE',
  path: '/session',
  access: anyRole,
  summary: 'Signs out: ends the session of the request and deletes its cookie.',
  answer: apiSessionSchema,
  async handle({ caller, sessionCookie }, services) {
    const { sessions } = services
    if (caller.session === undefined) {
      throw new RequestError('session_not_found', 'The request uses an API key instead of a session.', {
        hint: 'revoke an API key with DELETE keys/{key}',
      })
    }
    await sessions.end(caller.session, caller.actor)
    return {
      body: { ...(await view(caller, services)), session: null },
      headers: { 'set-cookie': sessionCookie.clear },
    }
  },
})

export const sessionRoutes = [signIn, whoAmI, signOut]
