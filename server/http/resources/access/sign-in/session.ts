import type { Session } from '../../../../../core/domain/session.ts'
import { ValidationError } from '../../../../../core/errors/errors.ts'
import { callerOf, requireValidKey } from '../../../caller/authenticate.ts'
import { openTokens } from '../../../../identity/token-seal.ts'
import { cookiesNamed } from '../../../caller/credentials.ts'
import { requireLocalSignIn } from '../../../caller/sign-on.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, textOrNull } from '../../system/page.ts'
import { beginPersonSession, requirePassword } from './person-sign-in.ts'
import { apiSessionSchema, beginSession, sessionView } from './session-view.ts'

const signIn = defineRoute({
  method: 'POST',
  path: '/session',
  access: 'sign_in',
  summary:
    'Signs in with an API key, or as a person with e-mail address and password: the response sets the cookie of a new session.',
  status: 201,
  answer: apiSessionSchema,
  body: {
    minProperties: 1,
    properties: {
      api_key: { type: 'string', maxLength: 200, description: 'An API key.' },
      email: { type: 'string', maxLength: 254, description: 'Of a person, instead of an API key.' },
      password: { type: 'string', maxLength: 1_024 },
      code: {
        type: 'string',
        maxLength: 50,
        description: 'A one-time code or a recovery code, if the person has set up one-time codes.',
      },
    },
  },
  async handle({ body, ...sender }, services) {
    const { api_key: value, email, password, code } = body
    if (value !== undefined) {
      const key = await services.signInGate.admit(sender.address, () =>
        requireValidKey(value, services, sender),
      )
      requireLocalSignIn(services, key)
      const { actor } = callerOf(key, sender.requestId)
      return await beginSession({ holder: { keyId: key.id }, method: 'api_key' }, actor, sender, services)
    }
    if (email === undefined || password === undefined) throw credentialsMissing()
    requireLocalSignIn(services)
    const account = await requirePassword({ email, password, code }, sender, services)
    return await beginPersonSession(account, 'password', sender, services)
  },
})

function credentialsMissing(): ValidationError {
  const message = 'needs `api_key`, or `email` and `password`'
  return new ValidationError('value_invalid', `the sign-in ${message}`, [{ pointer: '', message }])
}

const whoAmI = defineRoute({
  method: 'GET',
  path: '/session',
  access: 'self',
  summary: 'The caller of the request: person or API key, session, role and organizations.',
  answer: apiSessionSchema,
  async handle({ caller }, services) {
    return { body: await sessionView(caller, services) }
  },
})

const signOut = defineRoute({
  method: 'DELETE',
  path: '/session',
  access: 'self',
  summary: 'Signs out: ends the session of the request and deletes its cookie.',
  answer: objectSchema({
    ...apiSessionSchema.properties,
    sign_out_url: {
      ...textOrNull,
      description: 'Where the browser also signs out of the identity provider; null: nowhere.',
    },
  }),
  async handle({ caller, headers, sessionCookie }, services) {
    const { sessions } = services
    if (caller.session === undefined) {
      throw new RequestError('session_not_found', 'The request uses an API key instead of a session.', {
        hint: 'revoke an API key with DELETE keys/{key}',
      })
    }
    const [token = ''] = cookiesNamed(sessionCookie.name, headers)
    const url = await signOutUrl(caller.session, token, services)
    await sessions.end(caller.session, caller.actor)
    return {
      body: { ...(await sessionView(caller, services)), session: null, sign_out_url: url },
      headers: { 'set-cookie': sessionCookie.clear },
    }
  },
})

/** Null if the provider does not answer: the session ends all the same. */
async function signOutUrl(session: Session, token: string, services: Services): Promise<string | null> {
  const { singleSignOn, stores, publicUrl, log } = services
  const found = await stores.singleSignOn.providerSession(session.uuid)
  const tokens = found && openTokens(found.sealedTokens, token)
  if (tokens === undefined || singleSignOn?.settings.issuer !== found?.issuer) return null
  try {
    return (await singleSignOn!.client.endSessionUrl(tokens.idToken, `${publicUrl()}/`)) ?? null
  } catch (error) {
    log.warn({ error }, 'could not find out where to sign out of the identity provider')
    return null
  }
}

export const sessionRoutes = [signIn, whoAmI, signOut]
