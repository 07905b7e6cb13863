import { createHash, randomBytes } from 'node:crypto'
import { mayHaveHappened } from '../../engine/context/retry-class.ts'
import {
  ConnectionError,
  RetryableError,
  Secret,
  TocsinError,
  type ConnectionDefinition,
} from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { NewSignIn } from '../../ports/sign-in-store.ts'
import { egressFor, type ReadyConnection } from '../connection/open-connection.ts'
import { postForToken } from '../http/fetch-token.ts'
import { readTokenResponse, type TokenResponse } from '../http/read-token.ts'
import type { Traffic } from '../http/traffic.ts'
import type { SignInTarget } from './sign-in-target.ts'

export interface GrantOptions {
  readonly egress: Egress
  readonly clock: Clock
  readonly traffic: Traffic
}

/** A connection that can be signed in to. */
export interface GrantCall {
  readonly open: OpenConnection
  readonly definition: ConnectionDefinition
  readonly ready: ReadyConnection
  readonly target: SignInTarget
}

/** A verifier of PKCE and its challenge (RFC 7636, section 4). */
export function createVerifier(): { readonly verifier: Secret; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return {
    verifier: new Secret(verifier),
    challenge: createHash('sha256').update(verifier).digest('base64url'),
  }
}

export interface CodeGrant {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: Secret
}

/** Exchanges an authorization code. Rejects like a token request. */
export function exchangeCode(
  options: GrantOptions,
  call: GrantCall,
  { code, redirectUri, verifier }: CodeGrant,
  signal: AbortSignal,
): Promise<NewSignIn> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier.reveal(),
  }
  return grant(options, call, form, signal)
}

/** Uses a refresh token. Rejects like a token request; see {@link isAnswerLost}. */
export function refresh(options: GrantOptions, call: GrantCall, token: Secret): Promise<NewSignIn> {
  const form = { grant_type: 'refresh_token', refresh_token: token.reveal() }
  // It must not be aborted: the answer can contain the only valid refresh token.
  return grant(options, call, form, new AbortController().signal)
}

/** Revokes a token. False: the vendor has no endpoint for it. Rejects like a token request. */
export async function revoke(
  options: GrantOptions,
  call: GrantCall,
  token: Secret,
  signal: AbortSignal,
): Promise<boolean> {
  const request = call.target.revocation(token.reveal())
  if (request === undefined) return false
  await post(options, call, request, () => ({}), signal)
  return true
}

/**
 * Whether the vendor may have used up a refresh token without the answer arriving. An answer with an error says
 * that no token was issued, unless a gateway gave it.
 */
export function isAnswerLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.code === 'token_unreadable'
  if (!(error instanceof RetryableError)) return false
  if (error.code === 'network_error') return mayHaveHappened(error.cause)
  return ['http_408', 'http_502', 'http_504'].includes(error.code)
}

/** Tokens are renewed this long before they expire, or a tenth of their lifetime if that is less. */
const maxMarginMs = 5 * 60_000

async function grant(
  options: GrantOptions,
  call: GrantCall,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<NewSignIn> {
  const askedAt = options.clock.now()
  const answer: TokenResponse = await post(
    options,
    call,
    call.target.tokenRequest(form),
    readTokenResponse,
    signal,
  )
  const { accessToken, refreshToken, scope = null, lifetimeMs } = answer
  return {
    client: call.target.client,
    scope,
    access: new Secret(accessToken),
    refresh: refreshToken === undefined ? undefined : new Secret(refreshToken),
    expiresAt: lifetimeMs === undefined ? null : askedAt + lifetimeMs,
    renewAt: lifetimeMs === undefined ? null : askedAt + lifetimeMs - Math.min(maxMarginMs, lifetimeMs / 10),
  }
}

async function post<T extends object>(
  options: GrantOptions,
  { open, definition, ready }: GrantCall,
  request: ReturnType<SignInTarget['tokenRequest']>,
  read: (body: string) => T | string,
  signal: AbortSignal,
): Promise<T> {
  const { name: connection, uuid: connectionUuid, plugin, organizationUuid } = open.connection
  const redactor = ready.redactor.copy()
  const whose = { plugin, organizationUuid, isConnection: true, network: ready.network }
  const call = {
    connection,
    connectionUuid,
    errors: definition.errors,
    explain: hintOf(connection),
    ...request,
  }
  const sending = {
    ...options,
    egress: egressFor(options.egress, whose),
    deadlineMs: Infinity,
    onCredential: (text: string) => redactor.add(text),
  }
  try {
    return await postForToken(call, read, sending, signal)
  } catch (error) {
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}

/** Hints for the errors of RFC 6749, section 5.2. */
const hintOf =
  (connection: string) =>
  ({ body }: { readonly body: unknown }): string | undefined => {
    const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
    if (error === 'invalid_grant') return `sign in to connection '${connection}' again`
    if (error === 'invalid_client' || error === 'unauthorized_client')
      return `check the client id and the client secret of connection '${connection}'`
    if (error === 'redirect_uri_mismatch')
      return 'register the redirect URI of Tocsin with the vendor, exactly as shown'
    return undefined
  }
