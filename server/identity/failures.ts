import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { ConnectionError, RetryableError, TocsinError } from '../../core/plugin/index.ts'

/** Codes of the library for answers that are no answer of a provider in order. */
const unusable: ReadonlySet<string> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
])

/** Codes of the errors below. */
const explained: ReadonlySet<string> = new Set([
  'identity_provider_unavailable',
  'identity_provider_invalid',
  'single_sign_on_refused',
])

/** Errors of an authorization response that say that the provider cannot answer now. */
const temporary: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/** Errors of a token response about the client instead of the code (RFC 6749, section 5.2). */
const ofClient: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
])

/**
 * What went wrong at the identity provider, by who acts next: it is not available (RetryableError), it or its client is misconfigured
 * (ConnectionError), or the sign-in is refused (ForbiddenError). Texts of the provider are left out: anybody can put them into an address.
 *
 * @param during `setup`: the provider describes itself; `sign-in`: it answers for a person
 */
export function explainFailure(error: unknown, issuer: string, during: 'setup' | 'sign-in'): TocsinError {
  const own = ownErrorIn(error)
  if (own !== undefined && explained.has(own.code)) return own
  if (own !== undefined) return ofEgress(own, issuer)
  if (error instanceof AuthorizationResponseError) return ofAuthorization(error, issuer)
  if (error instanceof ResponseBodyError) return ofToken(error, issuer)
  if (error instanceof WWWAuthenticateChallengeError)
    return misconfigured(issuer, 'it refused the client id or the client secret', error)
  if (!(error instanceof ClientError))
    return misconfigured(issuer, 'it sent an answer that cannot be used', error)
  const code = error.code ?? 'unknown'
  if (unusable.has(code))
    return providerUnavailable(issuer, statusIn(error) ?? 'it gave no usable answer', error)
  if (during === 'setup')
    return misconfigured(issuer, `its configuration is invalid (${wordOf(code.toLowerCase())})`, error)
  return refused(`the answer of the identity provider is invalid (${wordOf(code.toLowerCase())})`, error)
}

/** An error of the egress, also inside of the error of the library. */
function ownErrorIn(error: unknown): TocsinError | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof TocsinError) return each
  return undefined
}

function ofEgress(error: TocsinError, issuer: string): TocsinError {
  if (error instanceof RetryableError) return providerUnavailable(issuer, error.message, error)
  if (error instanceof ForbiddenError && error.code !== 'egress_forbidden') return error
  return new ConnectionError('identity_provider_invalid', `${nameOf(issuer)}: ${error.message}`, {
    hint: error.hint ?? 'check the TOCSIN_OIDC_… variables (docs/single-sign-on.md)',
    cause: error,
  })
}

function ofAuthorization(error: AuthorizationResponseError, issuer: string): TocsinError {
  if (temporary.has(error.error)) return providerUnavailable(issuer, `it answered ${error.error}`, error)
  const isDenied = error.error === 'access_denied'
  return refused(
    isDenied
      ? 'the identity provider did not let you in (access_denied)'
      : `the identity provider refused the request (${wordOf(error.error)})`,
    error,
    isDenied ? 'ask an administrator of the identity provider to assign you to Tocsin' : undefined,
  )
}

function ofToken(error: ResponseBodyError, issuer: string): TocsinError {
  if (error.status >= 500) return providerUnavailable(issuer, `it answered ${error.status}`, error)
  if (ofClient.has(error.error))
    return misconfigured(issuer, `it refused the client id or the client secret (${error.error})`, error)
  return refused(`the identity provider refused the code (${wordOf(error.error)})`, error)
}

function statusIn({ cause }: ClientError): string | undefined {
  return cause instanceof Response && cause.status !== 200 ? `it answered ${cause.status}` : undefined
}

/** Error codes are words of the standards; anything else is not repeated. */
const wordOf = (error: string): string => (/^[a-z_]{1,50}$/.test(error) ? error : 'unknown error')

const nameOf = (issuer: string): string => `the identity provider ${URL.parse(issuer)?.host ?? issuer}`

export const providerUnavailable = (issuer: string, reason: string, cause?: unknown): RetryableError =>
  new RetryableError('identity_provider_unavailable', `${nameOf(issuer)} is not available: ${reason}`, {
    hint: 'try again in a minute; if it stays so, an administrator runs tocsin doctor, or signs in with an API key',
    cause,
  })

export const misconfigured = (issuer: string, reason: string, cause?: unknown): ConnectionError =>
  new ConnectionError('identity_provider_invalid', `${nameOf(issuer)} cannot be used: ${reason}`, {
    hint: 'an administrator checks the TOCSIN_OIDC_… variables and the client at the provider (docs/single-sign-on.md)',
    cause,
  })

export const refused = (message: string, cause?: unknown, hint = 'sign in again'): ForbiddenError =>
  new ForbiddenError('single_sign_on_refused', message, { hint, cause })
