import { randomBytes } from 'node:crypto'
import { ConflictError, NotFoundError } from '../../errors/errors.ts'
import { ConnectionError, type Secret } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { NewSignIn, SignInStore } from '../../ports/sign-in-store.ts'
import type { SecretResolver } from '../connection/secret-resolver.ts'
import { oneLine } from '../http/vendor-message.ts'
import { createVerifier, exchangeCode, revoke, type GrantCall, type GrantOptions } from './grants.ts'
import type { StoredTokens } from './stored-tokens.ts'

/** A sign-in that waits for the answer of the vendor. */
export interface SignInAttempt {
  readonly organizationUuid: string
  /** Of the connection. */
  readonly uuid: string
  readonly plugin: string
  /** Of the connection when the sign-in began. */
  readonly revision: number
}

interface Pending extends SignInAttempt {
  readonly starter: string
  readonly redirectUri: string
  readonly client: string
  readonly verifier: Secret
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The parameters with which the vendor sends the browser back (RFC 6749, section 4.1.2; RFC 9207). */
export interface AuthorizationAnswer {
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

export interface SignInFlow {
  /**
   * Begins a sign-in. Throws NotFoundError `sign_in_unsupported`, and what opening the connection throws.
   *
   * @param starter who must complete it: a session, or an API key
   */
  begin(
    stored: OpenConnection,
    from: { readonly starter: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<{ readonly authorizeUrl: string; readonly expiresAt: number }>
  /** Takes an attempt, once; undefined: unknown, expired, or of another starter or plugin. */
  take(state: string, starter: string, plugin: string): SignInAttempt | undefined
  /**
   * The tokens for an answer. Rejects with ConnectionError `sign_in_refused`, `sign_in_invalid` or like a token request, and with
   * ConflictError `revision_changed`.
   */
  exchange(
    attempt: SignInAttempt,
    stored: OpenConnection,
    answer: AuthorizationAnswer,
    signal: AbortSignal,
  ): Promise<NewSignIn>
  /** Revokes the tokens of a connection. False: the vendor has no endpoint for it. Rejects like a token request. */
  revoke(stored: OpenConnection, signal: AbortSignal): Promise<boolean>
}

export interface SignInFlowOptions extends GrantOptions {
  readonly secrets: Pick<SecretResolver, 'resolve'>
  readonly tokens: Pick<StoredTokens, 'callFor'>
  readonly store: Pick<SignInStore, 'open'>
}

const lifetimeMs = 10 * 60_000
/** Beyond it, the oldest attempt is dropped. */
const maxPending = 1_000

/** Attempts are kept in memory: after a restart, a sign-in is started again. */
export function createSignInFlow(options: SignInFlowOptions): SignInFlow {
  const { secrets, tokens, store, clock } = options
  const pending = new Map<string, Pending>()

  async function callFor(stored: OpenConnection, signal: AbortSignal): Promise<GrantCall> {
    const call = tokens.callFor(await secrets.resolve(stored, { signal }))
    if (call !== undefined) return call
    const { plugin } = stored.connection
    throw new NotFoundError('sign_in_unsupported', `connections of the plugin '${plugin}' have no sign-in`, {
      hint: 'enter credentials in the settings of the connection',
    })
  }

  return {
    async begin(stored, { starter, redirectUri }, signal) {
      const { target } = await callFor(stored, signal)
      const { organizationUuid, uuid, plugin, revision } = stored.connection
      const { verifier, challenge } = createVerifier()
      const state = randomBytes(32).toString('base64url')
      const now = clock.now()
      for (const [each, { expiresAt }] of pending) if (expiresAt <= now) pending.delete(each)
      const [oldest] = pending.keys()
      if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest)
      const expiresAt = now + lifetimeMs
      const { client } = target
      const attempt = { organizationUuid, uuid, plugin, revision }
      pending.set(state, { ...attempt, starter, redirectUri, client, verifier, expiresAt })
      return { authorizeUrl: target.authorizeUrl({ redirectUri, state, challenge }), expiresAt }
    },
    take(state, starter, plugin) {
      const found = pending.get(state)
      // Only its starter can use it up.
      if (found === undefined || found.starter !== starter || found.plugin !== plugin) return undefined
      pending.delete(state)
      return clock.now() < found.expiresAt ? found : undefined
    },
    async exchange(attempt, stored, answer, signal) {
      const { client, verifier, redirectUri } = attempt as Pending
      const call = await callFor(stored, signal)
      if (call.target.client !== client) throw changed()
      const code = codeIn(answer, call)
      return await exchangeCode(options, call, { code, redirectUri, verifier }, signal)
    },
    async revoke(stored, signal) {
      const found = await store.open(stored.connection)
      const token = found?.refresh ?? found?.access
      const call = await callFor(stored, signal)
      // Tokens of another client or address must not be sent to this client or address.
      if (token === undefined || found?.signIn.client !== call.target.client) return false
      return await revoke(options, call, token, signal)
    },
  }
}

const changed = (): ConflictError =>
  new ConflictError('revision_changed', 'the connection has changed since the sign-in began', {
    hint: 'start the sign-in again',
  })

function codeIn(
  { code, iss, error, error_description: description }: AuthorizationAnswer,
  { target, open }: GrantCall,
): string {
  const { name } = open.connection
  // An answer of another server is not trusted, not even its error.
  if (target.issuer !== undefined && iss !== target.issuer)
    throw new ConnectionError(
      'sign_in_invalid',
      `the answer to the sign-in of connection '${name}' does not come from ${target.issuer}`,
      { hint: 'start the sign-in again; if this happens again, check the issuer in the plugin' },
    )
  if (error !== undefined) {
    const word = oneLine(error)?.slice(0, 64) ?? 'without an error code'
    const said = description === undefined ? undefined : oneLine(description)
    const text = said === undefined ? word : `${word}: ${said}`
    throw new ConnectionError('sign_in_refused', `the vendor refused the sign-in: ${text}`, {
      hint: hints[error] ?? 'start the sign-in again',
    })
  }
  if (code !== undefined && code !== '') return code
  throw new ConnectionError('sign_in_invalid', 'the answer of the vendor has neither a code nor an error', {
    hint: 'start the sign-in again',
  })
}

/** For the errors of RFC 6749, section 4.1.2.1. */
const hints: Readonly<Record<string, string>> = {
  access_denied: 'start the sign-in again, and allow access',
  invalid_scope: 'the account or the app may lack this scope: check the app at the vendor',
  unauthorized_client: 'allow the authorization code grant in the app at the vendor',
}
