import { parseJson } from '../../common/json.ts'
import {
  ConnectionError,
  RetryableError,
  SkillError,
  type ConnectionDefinition,
  type ErrorMeaning,
  type ExplainedError,
  type TocsinError,
} from '../../plugin/index.ts'
import type { EgressResponse } from '../../ports/egress.ts'
import { oneLine, vendorMessage } from './vendor-message.ts'

export interface StatusErrorContext {
  /** Method, origin and path. Without the query, which may contain anything. */
  readonly what: string
  /** Address of the request, to resolve redirects. */
  readonly url: URL
  /** The connection's declaration of errors. */
  readonly errors: ConnectionDefinition['errors']
  /** Name of the connection, if any. */
  readonly connection: string | undefined
  /** Epoch milliseconds, for a Retry-After with a date. */
  readonly now: number
}

/** Converts an unsuccessful answer into an error, classified by who acts next. */
export function statusError(response: EgressResponse, context: StatusErrorContext): TocsinError {
  const { status } = response
  const explained = explain(response, context.errors)
  const target = redirectTarget(response, context.url)
  const said = (explained.message && oneLine(explained.message)) ?? vendorMessage(response.body)
  const to = target === undefined ? '' : `, a redirect to ${target}`
  const message = `${context.what} answered ${status}${to}${said === undefined ? '' : `: ${said}`}`
  const code = explained.error ?? `http_${status}`
  const details = { status, ...(context.connection === undefined ? {} : { connection: context.connection }) }
  const hint = (explained.hint && oneLine(explained.hint)) ?? defaultHint(status, context.connection)
  const options = { hint, details, effect: explained.effect }
  const retryAfterMs = retryAfterOf(response, context.now)
  switch (explained.error ?? meaningOf(status)) {
    case 'credentials':
      return new ConnectionError(code, message, options)
    case 'rate_limited':
    case 'unavailable':
      return new RetryableError(code, message, { ...options, retryAfterMs })
    case 'refused':
      return new SkillError(code, message, options)
  }
}

function meaningOf(status: number): ErrorMeaning {
  if (status === 401 || status === 403) return 'credentials'
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'refused'
}

/** Calls the connection's declaration of errors; if it throws, the answer is still reported. */
function explain(response: EgressResponse, errors: ConnectionDefinition['errors']): ExplainedError {
  const { status, headers, body } = response
  if (typeof errors !== 'function') return { hint: errors?.[status] }
  try {
    return errors({ status, headers, text: body, body: bodyAsJson(body) }) ?? {}
  } catch {
    return {}
  }
}

/** The body as JSON; undefined if it is not JSON. */
export function bodyAsJson(body: string): unknown {
  try {
    return parseJson(body, { maxDepth: 20 })
  } catch {
    return undefined
  }
}

const longestTarget = 200

/** Origin and path only: the query may contain a code or token. */
function redirectTarget({ status, headers }: EgressResponse, from: URL): string | undefined {
  const { location } = headers
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, from.href)) {
    return undefined
  }
  const { protocol, host, pathname } = new URL(location, from.href)
  const text = `${protocol}//${host}${pathname}`
  return text.length > longestTarget ? `${text.slice(0, longestTarget)}…` : text
}

/** Headers of a 429 with the end of the pause, as seconds since 1970; other answers have them too, with another meaning. */
const resetHeaders = ['x-ratelimit-retryafter', 'x-rate-limit-reset', 'x-ratelimit-reset']

/** The requested pause in milliseconds. Times are relative to the answer's own `Date`, because clocks may differ. */
export function retryAfterOf(
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
  now: number,
): number | undefined {
  const theirs = headers['date'] === undefined ? Number.NaN : Date.parse(headers['date'])
  const then = Number.isNaN(theirs) ? now : theirs
  const asked = parseRetryAfter(headers['retry-after'], then)
  if (asked !== undefined || status !== 429) return asked
  const reset = resetHeaders
    .flatMap((name) => headers[name] ?? [])
    .find((text) => /^\d{10}$/.test(text.trim()))
  if (reset !== undefined) return Math.max(0, Number(reset) * 1_000 - then)
  // Seconds from now, unlike the others (draft-ietf-httpapi-ratelimit-headers).
  return parseRetryAfter(headers['ratelimit-reset'], then)
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds or an HTTP date, to milliseconds. Undefined if absent or
 * unreadable.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1_000)
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function defaultHint(status: number, connection: string | undefined): string | undefined {
  const whose = connection === undefined ? '' : ` of connection '${connection}'`
  if (status === 401) return `check the credentials${whose}`
  if (status === 403) return `check the permissions behind the credentials${whose}`
  if (status === 429) return 'the rate limit of the other system is reached; try again later'
  if (status === 408 || status >= 500) return 'the other system has a problem, usually a temporary one'
  if (status >= 300 && status < 400) return 'redirects are not followed; use the address they lead to'
  return undefined
}
