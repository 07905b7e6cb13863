import { ConnectionError, RetryableError, SkillError, type TocsinError } from '../plugin/index.ts'
import type { EgressResponse } from '../ports.ts'
import { vendorMessage } from './vendor-message.ts'

export interface StatusErrorContext {
  /** Method, origin and path, without the query: it may hold anything. */
  readonly what: string
  /** What the connection's author knows about statuses. */
  readonly hints: Readonly<Record<number, string>>
  /** Name of the connection, if there is one. */
  readonly connection: string | undefined
  /** Epoch milliseconds, for a Retry-After that is a date. */
  readonly now: number
}

/** The error for an answer that is not a success, by who can do something about it. */
export function statusError(response: EgressResponse, context: StatusErrorContext): TocsinError {
  const { status, headers } = response
  const said = vendorMessage(response.body)
  const message = `${context.what} answered ${status}${said === undefined ? '' : `: ${said}`}`
  const code = `http_${status}`
  const details = { status, ...(context.connection === undefined ? {} : { connection: context.connection }) }
  const hint = context.hints[status] ?? defaultHint(status, context.connection)
  if (status === 401 || status === 403) return new ConnectionError(code, message, { hint, details })
  if (status === 408 || status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], context.now)
    return new RetryableError(code, message, { hint, details, retryAfterMs })
  }
  return new SkillError(code, message, { hint, details })
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
