import { roles } from '../../../../core/domain/api-key.ts'
import { idleEnd, lastEnd } from '../../../../core/domain/session.ts'
import { callerOf, requireKey } from '../../caller/authenticate.ts'
import { cookiesNamed } from '../../caller/credentials.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, time } from '../system/page.ts'
import { anyRole, type Caller } from '../../caller/caller.ts'

const sessionSchema = objectSchema({
  key_id: { type: 'string', description: 'Of the API key: the part that is no secret.' },
  key_name: text,
  role: { enum: roles },
  organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
  session: {
    ...objectSchema({
      started_at: time,
      idle_ends_at: { type: 'integer', description: 'Over by then unless it is used (epoch milliseconds).' },
      ends_at: { type: 'integer', description: 'Over in any case (epoch milliseconds).' },
    }),
    type: ['object', 'null'],
    description: 'null: the request carries an API key itself.',
  },
})

async function view({ actor, role, scope, session }: Caller, { directory, sessions }: Services) {
  const codes = scope === 'all' ? null : scope.map((uuid) => directory.organizationCode(uuid))
  return {
    key_id: actor.id,
    key_name: actor.name,
    role,
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

const signIn = defineRoute({
  method: 'POST',
  path: '/session',
  access: 'sign_in',
  summary: 'Signs a person in with an API key: the answer sets the cookie of a session of its own.',
  status: 201,
  answer: sessionSchema,
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['api_key'],
    properties: { api_key: { type: 'string', maxLength: 200, description: 'The value of an API key.' } },
  },
  async handle({ body, headers, address, requestId, sessionCookie }, services) {
    const { sessions, signInGate } = services
    const key = await signInGate.admit(address, () =>
      requireKey(body.api_key, services, { requestId, address }),
    )
    // Where there are several, none of them is known to be this browser's.
    const [before, another] = cookiesNamed(sessionCookie.name, headers)
    const replaces = another === undefined ? before : undefined
    const { token, session } = await sessions.begin(key, replaces, callerOf(key, requestId).actor)
    const maxAgeMs = lastEnd(session, sessions.limits) - session.createdAt
    return {
      body: await view(callerOf(key, requestId, session), services),
      location: '/session',
      headers: { 'set-cookie': sessionCookie.set(token, maxAgeMs) },
    }
  },
})

const whoAmI = defineRoute({
  method: 'GET',
  path: '/session',
  access: anyRole,
  summary: 'Who the request is from: the API key or the session it carries, its role and its organizations.',
  status: 200,
  answer: sessionSchema,
  async handle({ caller }, services) {
    return { body: await view(caller, services) }
  },
})

const signOut = defineRoute({
  method: 'DELETE',
  path: '/session',
  access: anyRole,
  summary: 'Signs out: ends the session that the request carries, and takes its cookie away.',
  status: 200,
  answer: sessionSchema,
  async handle({ caller, sessionCookie }, services) {
    const { sessions } = services
    if (caller.session === undefined) {
      throw new RequestError('session_not_found', 'The request carries an API key and no session.', {
        hint: 'an API key is revoked with DELETE keys/{key}',
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
