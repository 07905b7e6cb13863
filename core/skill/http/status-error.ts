import { parseJson } from '../../common/json.ts'
import {
  ConnectionError,
  RetryableError,
  SkillError,
  type ConnectionDefinition,
  type ExplainedError,
  type TocsinError,
} from '../../plugin/index.ts'
import type { EgressResponse } from '../../ports/egress.ts'
import { oneLine, vendorMessage } from './vendor-message.ts'

export interface StatusErrorContext {
  /** Method, origin and path, without the query: it may hold anything. */
  readonly what: string
  /** Where the request went: what a redirect is relative to. */
  readonly url: URL
  /** What the connection's author knows about errors. */
  readonly errors: ConnectionDefinition['errors']
  /** Name of the connection, if there is one. */
  readonly connection: string | undefined
  /** Epoch milliseconds, for a Retry-After that is a date. */
  readonly now: number
}

/** The error for an answer that is not a success, by who can do something about it. */
export function statusError(response: EgressResponse, context: StatusErrorContext): TocsinError {
  const { status, headers } = response
  const explained = explain(response, context.errors)
  const target = redirectTarget(response, context.url)
  const said = (explained.message && oneLine(explained.message)) ?? vendorMessage(response.body)
  const to = target === undefined ? '' : `, a redirect to ${target}`
  const message = `${context.what} answered ${status}${to}${said === undefined ? '' : `: ${said}`}`
  const code = `http_${status}`
  const details = { status, ...(context.connection === undefined ? {} : { connection: context.connection }) }
  const hint = (explained.hint && oneLine(explained.hint)) ?? defaultHint(status, context.connection)
  const options = { hint, details, effect: explained.effect }
  if (status === 401 || status === 403) return new ConnectionError(code, message, options)
  if (status === 408 || status === 429 || status >= 500) {
    return new RetryableError(code, message, { ...options, retryAfterMs: retryAfterOf(headers, context.now) })
  }
  return new SkillError(code, message, options)
}

/** In the words of the connection's author. One that stumbles over an answer must not hide it. */
function explain(response: EgressResponse, errors: ConnectionDefinition['errors']): ExplainedError {
  const { status, headers, body } = response
  if (typeof errors !== 'function') return { hint: errors?.[status] }
  try {
    return errors({ status, headers, text: body, body: bodyAsJson(body) }) ?? {}
  } catch {
    return {}
  }
}

/** The body as JSON; undefined where it is none. */
export function bodyAsJson(body: string): unknown {
  try {
    return parseJson(body, { maxDepth: 20 })
  } catch {
    return undefined
  }
}

const longestTarget = 200

/** Origin and path: what else stands in it, such as a code or a token, is nobody's to read. */
function redirectTarget({ status, headers }: EgressResponse, from: URL): string | undefined {
  const { location } = headers
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, from.href)) {
    return undefined
  }
  const { protocol, host, pathname } = new URL(location, from.href)
  const text = `${protocol}//${host}${pathname}`
  return text.length > longestTarget ? `${text.slice(0, longestTarget)}…` : text
}

/**
 * How long the answer asks to be left alone, in milliseconds. A date is taken by the clock that wrote it, where the answer has its
 * `Date`: ours may be another.
 */
export function retryAfterOf(headers: EgressResponse['headers'], now: number): number | undefined {
  const theirs = headers['date'] === undefined ? Number.NaN : Date.parse(headers['date'])
  return parseRetryAfter(headers['retry-after'], Number.isNaN(theirs) ? now : theirs)
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds: seconds or an HTTP date. Undefined when absent or unreadable. */
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
  if (status === 429) return 'the other system takes no more requests for now'
  if (status === 408 || status >= 500) return 'the other system has trouble, which passes as a rule'
  if (status >= 300 && status < 400) return 'redirects are not followed; use the address they lead to'
  return undefined
}
