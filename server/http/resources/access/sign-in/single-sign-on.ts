import type { Account } from '../../../../../core/access/account.ts'
import type { PersonIdentity } from '../../../../../core/identity/identity.ts'
import type { SignedIn } from '../../../../identity/oidc-client.ts'
import { theServer } from '../../../../../core/domain/audit.ts'
import { ForbiddenError, ValidationError } from '../../../../../core/errors/errors.ts'
import { localPath } from '../../../../../core/identity/local-path.ts'
import { accountActor } from '../../../../access/person-sign-in.ts'
import { passkeySite } from '../../../../access/passkeys.ts'
import { localSignIns } from '../../../../config/oidc-settings.ts'
import { admitPerson } from '../../../../identity/admit-person.ts'
import type { SingleSignOn } from '../../../../identity/single-sign-on.ts'
import { sealTokens } from '../../../../identity/token-seal.ts'
import { cookiesNamed } from '../../../caller/credentials.ts'
import { requireSamePage } from '../../../caller/same-origin.ts'
import { textOfBody } from '../../../request/read-body.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Answer, type ApiRequest, type Services } from '../../../routing/route.ts'
import { objectSchema, text, time } from '../../system/page.ts'
import { apiSessionSchema, sessionAnswer, openSession } from './session-view.ts'

/** Where the identity provider sends the browser back; a view of the page. */
const redirectUri = ({ publicUrl }: Pick<Services, 'publicUrl'>): string => `${publicUrl()}/sign-in/callback`

const listMethods = defineRoute({
  method: 'GET',
  path: '/session/methods',
  access: 'public',
  summary: 'How people can sign in to the page.',
  answer: objectSchema({
    local: {
      enum: localSignIns,
      description: '`break_glass`: besides single sign-on, only with an admin key for all organizations.',
    },
    single_sign_on: {
      ...objectSchema({ label: { ...text, description: 'Text of the button.' } }),
      type: ['object', 'null'],
      description: 'null: it is not configured.',
    },
    passkeys: {
      type: 'boolean',
      description: 'Whether browsers can use passkeys at the public address of the server.',
    },
  }),
  async handle(_request, { singleSignOn, publicUrl }) {
    const { label, localSignIn = 'on' } = singleSignOn?.settings ?? {}
    return {
      body: {
        local: localSignIn,
        single_sign_on: label === undefined ? null : { label },
        passkeys: localSignIn === 'on' && passkeySite(publicUrl()) !== undefined,
      },
    }
  },
})

const beginSingleSignOn = defineRoute({
  method: 'POST',
  path: '/session/single-sign-on',
  access: 'sign_in',
  summary:
    'Starts a sign-in with the identity provider (OpenID Connect): open `authorize_url` in the same browser, which completes it within ten minutes.',
  answer: objectSchema({
    authorize_url: { type: 'string', description: 'Contains the state of this sign-in: do not share it.' },
    expires_at: time,
  }),
  body: {
    properties: {
      return_to: {
        type: 'string',
        maxLength: 2_000,
        description: 'Path of the page to show afterwards, e.g. `/cases`. Default: `/`.',
      },
    },
  },
  async handle({ body, headers, address, requestId, sessionCookie }, services) {
    const { signOnGate, clock } = services
    const singleSignOn = requireSingleSignOn(services)
    const uri = redirectUri(services)
    requireSamePage(headers.origin, uri)
    signOnGate.admit(address)
    const returnTo = pathOf(body.return_to ?? '/')
    try {
      const { url, browserToken, expiresAt } = await singleSignOn.begin(uri, returnTo)
      return {
        body: { authorize_url: url, expires_at: expiresAt },
        headers: { 'set-cookie': sessionCookie.signOn.set(browserToken, expiresAt - clock.now()) },
      }
    } catch (error) {
      services.recordFailedSignOn({ error, address, requestId, identity: undefined })
      throw error
    }
  },
})

const completeSingleSignOn = defineRoute({
  method: 'POST',
  path: '/session/single-sign-on/callback',
  access: 'sign_in',
  summary:
    'Completes a sign-in with the parameters of the redirect: the response sets the cookie of a new session.',
  status: 201,
  answer: objectSchema({
    ...apiSessionSchema.properties,
    return_to: { type: 'string', description: 'Path of the page to show.' },
  }),
  body: {
    required: ['state'],
    properties: {
      state: { type: 'string', maxLength: 200 },
      code: { type: 'string', maxLength: 16_384 },
      iss: { type: 'string', maxLength: 2_000, description: 'The issuer (RFC 9207).' },
      error: { type: 'string', maxLength: 2_000 },
    },
  },
  // Providers add parameters of their own.
  otherFields: true,
  async handle(request, services) {
    const { address, requestId } = request
    let identity: PersonIdentity | undefined
    try {
      const { person, returnTo } = await confirmedPerson(request, services)
      ;({ identity } = person)
      const { stores, log } = services
      const rules = requireSingleSignOn(services).settings.roles
      const account = await admitPerson(identity, { stores, rules, log }, { ...theServer, requestId })
      return await signedIn(account, person, returnTo, request, services)
    } catch (error) {
      services.recordFailedSignOn({ error, address, requestId, identity })
      throw error
    }
  },
})

type CallbackRequest = ApiRequest<unknown, unknown, Readonly<Record<string, unknown>>>

async function confirmedPerson({ body, headers, sessionCookie }: CallbackRequest, services: Services) {
  const parameters = Object.entries(body).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'error_description',
  )
  const [browserToken] = cookiesNamed(sessionCookie.signOn.name, headers)
  const singleSignOn = requireSingleSignOn(services)
  const done =
    browserToken === undefined
      ? undefined
      : await singleSignOn.complete(browserToken, redirectUri(services), Object.fromEntries(parameters))
  if (done !== undefined) return done
  throw new RequestError('sign_on_unknown', undefined, {
    hint: 'start the sign-in again, and complete it within 10 minutes in the same browser',
    headers: { 'set-cookie': sessionCookie.signOn.clear },
  })
}

async function signedIn(
  account: Account,
  { identity: { issuer, subject }, sessionId, idToken, refreshToken }: SignedIn,
  returnTo: string,
  request: CallbackRequest,
  services: Services,
): Promise<Answer> {
  const { stores, clock } = services
  const { requestId, sessionCookie } = request
  const given = { holder: { accountUuid: account.uuid }, method: 'oidc' } as const
  const started = await openSession(given, accountActor(account, requestId), request, services)
  // Until it is attached, the session counts as ended.
  await stores.singleSignOn.attach(started.session.uuid, {
    issuer,
    subject,
    sessionId,
    sealedTokens: sealTokens({ idToken, refreshToken }, started.token),
    isRenewable: refreshToken !== null,
    checkedAt: clock.now(),
  })
  const { body, location, headers } = await sessionAnswer(started, request, services)
  return {
    body: { ...body, return_to: returnTo },
    location,
    headers: { 'set-cookie': [headers['set-cookie'], sessionCookie.signOn.clear] },
  }
}

/** A logout token is a few kilobytes. */
const maxLogoutBytes = 65_536

const backChannelLogout = defineRoute({
  method: 'POST',
  path: '/session/single-sign-on/logout',
  access: 'logout_token',
  summary:
    'For the identity provider: ends the sessions that a logout token names (OpenID Connect Back-Channel Logout). The body is a form with `logout_token`.',
  answer: objectSchema({ ended: { type: 'integer', minimum: 0, description: 'Sessions that ended.' } }),
  bytes: {
    max: maxLogoutBytes,
    admit: ({ address }, { logoutGate }) => logoutGate.admit(address),
  },
  async handle({ bytes, headers, requestId }, services) {
    const singleSignOn = requireSingleSignOn(services)
    const form = new URLSearchParams(textOfBody(bytes, headers))
    const [token, ...others] = form.getAll('logout_token')
    if (token === undefined || others.length > 0)
      throw invalidLogout('The form must have one field logout_token.')
    const notice = await singleSignOn.acceptLogout(token).catch((error: unknown) => {
      throw error instanceof ForbiddenError ? invalidLogout(error.message, error) : error
    })
    if (notice === undefined) throw invalidLogout('The logout token was sent before.')
    const ended = await services.stores.singleSignOn.endSessions(notice, { ...theServer, requestId })
    services.log.info({ count: ended }, 'the identity provider ended sessions')
    return { body: { ended } }
  },
})

function requireSingleSignOn({ singleSignOn }: Pick<Services, 'singleSignOn'>): SingleSignOn {
  if (singleSignOn !== undefined) return singleSignOn
  throw new RequestError('single_sign_on_off', undefined, {
    hint: 'set TOCSIN_OIDC_ISSUER (docs/single-sign-on.md), or sign in another way',
  })
}

const invalidLogout = (message: string, cause?: unknown): RequestError =>
  new RequestError('logout_token_invalid', message, {
    hint: 'send the form of OpenID Connect Back-Channel Logout 1.0, section 2.5',
    cause,
  })

/** Throws ValidationError `value_invalid`. */
function pathOf(returnTo: string): string {
  const path = localPath(returnTo)
  if (path !== undefined) return path
  const message = 'must be a path of this server that begins with one slash, e.g. /cases'
  throw new ValidationError('value_invalid', `return_to ${message}`, [{ pointer: '/return_to', message }])
}

export const singleSignOnRoutes = [listMethods, beginSingleSignOn, completeSingleSignOn, backChannelLogout]
