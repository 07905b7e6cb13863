import type { Connection } from '../../../../core/domain/connection.ts'
import { TocsinError } from '../../../../core/plugin/index.ts'
import type { OpenConnection } from '../../../../core/ports/connection-store.ts'
import type { SignInAttempt } from '../../../../core/skill/sign-in/sign-in-flow.ts'
import { type Caller } from '../../caller/caller.ts'
import { requireSamePage } from '../../caller/same-origin.ts'
import { entityTag } from '../../request/if-match.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema, text, time } from '../system/page.ts'
import { connectionQuery, connectionView, namedConnection, redirectUri } from './connection-view.ts'

const timeoutMs = 30_000

const startSignIn = defineRoute({
  method: 'POST',
  path: '/connections/{connection}/sign-in',
  access: 'connections:write',
  summary:
    'Starts a sign-in to the other system (OAuth 2.0): open `authorize_url` in a browser. The same session or API key completes it.',
  answer: objectSchema({
    authorize_url: { type: 'string', description: 'Contains the state of this sign-in: do not share it.' },
    redirect_uri: {
      type: 'string',
      description: 'Where the vendor sends the browser back; register it there.',
    },
    expires_at: time,
  }),
  query: connectionQuery,
  // The state is used once, so the answer of an earlier request would be of no use.
  once: false,
  async handle({ params, query, headers, caller }, services) {
    const { signIn, stores, closing } = services
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    const { organizationUuid, uuid, plugin } = found
    services.authenticateGate.admit(organizationUuid, uuid)
    const uri = redirectUri(services.publicUrl(), plugin)
    if (caller.session !== undefined) requireSamePage(headers.origin, uri)
    const stored = await openStored(found, services)
    const from = { starter: starterOf(caller), redirectUri: uri }
    const { authorizeUrl, expiresAt } = await signIn.begin(stored, from, closing)
    await stores.audit.record({
      action: 'connection.sign_in_started',
      by: caller.actor,
      organizationUuid,
      subject: { kind: 'connection', id: uuid, name: found.name },
      details: { plugin },
    })
    return { body: { authorize_url: authorizeUrl, redirect_uri: uri, expires_at: expiresAt } }
  },
})

const completeSignIn = defineRoute({
  method: 'POST',
  path: '/oauth/callback',
  access: 'connections:write',
  summary: 'Completes a sign-in with the parameters of the redirect, and returns the connection.',
  answer: component('connection'),
  // A repeated request finds no state.
  once: false,
  body: {
    required: ['plugin', 'state'],
    properties: {
      plugin: { ...text, description: 'The last segment of the redirect URI.' },
      state: { type: 'string', maxLength: 200 },
      code: { type: 'string', maxLength: 16_384 },
      iss: { type: 'string', maxLength: 2_000, description: 'The issuer (RFC 9207).' },
      error: { type: 'string', maxLength: 2_000 },
      error_description: { type: 'string', maxLength: 10_000 },
    },
  },
  async handle({ body, caller }, services) {
    const { signIn, stores, closing } = services
    const attempt = signIn.take(body.state, starterOf(caller), body.plugin.replaceAll('-', '_'))
    if (attempt === undefined)
      throw new RequestError('sign_in_unknown', undefined, {
        hint: 'start the sign-in again on the page of the connection, and complete it within 10 minutes in the same browser session',
      })
    const found = await namedConnection(caller.scope, attempt.uuid, undefined, services)
    services.authenticateGate.admit(found.organizationUuid, found.uuid)
    try {
      const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)])
      const stored = await openStored(found, services)
      const tokens = await signIn.exchange(attempt, stored, body, signal)
      const signedIn = await stores.signIns.save(found, tokens, attempt.revision, caller.actor)
      return { body: await connectionView(signedIn, services), headers: entityTag(signedIn) }
    } catch (error) {
      await recordFailure(attempt, found, error, caller, services)
      throw error
    }
  },
})

const signOut = defineRoute({
  method: 'DELETE',
  path: '/connections/{connection}/sign-in',
  access: 'connections:write',
  summary:
    'Discards the sign-in of a connection with its tokens, and revokes them if the vendor supports it.',
  answer: objectSchema({
    revoked: {
      type: ['boolean', 'null'],
      description: 'Whether the vendor revoked the tokens; null: it was not asked.',
    },
  }),
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const { signIn, stores, closing, log } = services
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    if (found.signIn === null) throw new RequestError('sign_in_not_found')
    let revoked: boolean | null = null
    try {
      const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)])
      revoked = (await signIn.revoke(await openStored(found, services), signal)) ? true : null
    } catch (error) {
      // The tokens are discarded all the same.
      log.warn({ connection: found.name, error }, 'could not revoke the tokens of a connection')
      revoked = false
    }
    await stores.signIns.remove(found, caller.actor)
    return { body: { revoked } }
  },
})

async function openStored(
  { organizationUuid, name, uuid }: Connection,
  { stores }: Pick<Services, 'stores'>,
): Promise<OpenConnection> {
  const stored = await stores.connections.open(organizationUuid, name)
  if (stored?.connection.uuid !== uuid) throw new RequestError('connection_not_found')
  return stored
}

/** A session is bound to its browser; the key of a session can have several. */
const starterOf = ({ session, uuid }: Caller): string =>
  session === undefined ? `key ${uuid}` : `session ${session.uuid}`

async function recordFailure(
  { plugin }: SignInAttempt,
  { organizationUuid, uuid, name }: Connection,
  error: unknown,
  { actor }: Caller,
  { stores }: Pick<Services, 'stores'>,
): Promise<void> {
  const code = error instanceof TocsinError ? error.code : 'internal_error'
  await stores.audit.record({
    action: 'connection.sign_in_failed',
    by: actor,
    organizationUuid,
    subject: { kind: 'connection', id: uuid, name },
    details: { plugin, code },
  })
}

export const signInRoutes = [startSignIn, signOut, completeSignIn]
