import { parseJson, stringifyJson } from '../json.ts'
import { SkillError, type HttpClient, type HttpRequest, type HttpResponse } from '../plugin/index.ts'
import type { Clock, Egress, EgressResponse } from '../ports.ts'
import { absoluteAddress, addressBelow } from './address.ts'
import { checkHeaders } from './headers.ts'
import type { Redactor } from './redactor.ts'
import { statusError } from './status-error.ts'

/** The other end of a connection. */
export interface Target {
  /** Name of the connection. */
  readonly connection: string
  readonly base: URL
  /** Origins that may be named with an absolute address; they are sent no credentials. */
  readonly otherOrigins: readonly string[]
  /** Headers with credentials, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly hints: Readonly<Record<number, string>>
}

export interface HttpClientOptions {
  readonly egress: Egress
  readonly clock: Pick<Clock, 'now'>
  readonly signal: AbortSignal
  readonly redactor: Redactor
  /** Undefined: absolute addresses only, no credentials. */
  readonly target: Target | undefined
}

/** The way out for one call of a skill; see {@link HttpClient}. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const request = async (wanted: HttpRequest): Promise<HttpResponse> => {
    const { egress, signal, target, redactor } = options
    signal.throwIfAborted()
    const { url, credentials } = resolveAddress(wanted, target)
    const method = wanted.method ?? 'GET'
    const { body, contentType } = encodeBody(wanted)
    const headers: Readonly<Record<string, string>> = {
      accept: 'application/json',
      ...contentType,
      ...checkHeaders(wanted.headers ?? {}),
      ...credentials,
    }
    if (headers['authorization'] !== undefined) redactor.add(headers['authorization'].replace(/^\S+\s+/, ''))
    const response = await egress.send({ method, url: url.href, headers, body, signal })
    redactor.learn(response.body)
    if (
      (response.status >= 200 && response.status < 300) ||
      wanted.accept?.includes(response.status) === true
    ) {
      return toHttpResponse(response)
    }
    throw statusError(response, {
      what: `${method} ${url.origin}${url.pathname}`,
      hints: target?.hints ?? {},
      connection: target?.connection,
      now: options.clock.now(),
    })
  }
  return {
    request,
    get: (path, more = {}) => request({ ...more, path, method: 'GET' }),
    post: (path, more = {}) => request({ ...more, path, method: 'POST' }),
  }
}

function resolveAddress(
  wanted: HttpRequest,
  target: Target | undefined,
): { readonly url: URL; readonly credentials: Readonly<Record<string, string>> } {
  if (target === undefined) return { url: absoluteAddress(wanted.path, wanted.query), credentials: {} }
  if (/^https?:/i.test(wanted.path) && target.otherOrigins.length > 0) {
    const url = absoluteAddress(wanted.path, wanted.query)
    if (target.otherOrigins.includes(url.origin)) return { url, credentials: {} }
  }
  return { url: addressBelow(target.base, wanted.path, wanted.query), credentials: target.headers }
}

function encodeBody(wanted: HttpRequest): {
  readonly body: string | undefined
  readonly contentType: Readonly<Record<string, string>>
} {
  const { json, form, body } = wanted
  if ([json, form, body].filter((one) => one !== undefined).length > 1) {
    throw new SkillError('bad_request', 'a request has one body: json, form or body')
  }
  if (json !== undefined)
    return { body: stringifyJson(json), contentType: { 'content-type': 'application/json' } }
  if (form === undefined) return { body, contentType: {} }
  const contentType = { 'content-type': 'application/x-www-form-urlencoded' }
  return { body: new URLSearchParams(form).toString(), contentType }
}

function toHttpResponse(response: EgressResponse): HttpResponse {
  return {
    status: response.status,
    headers: response.headers,
    text: response.body,
    json() {
      try {
        return parseJson(response.body)
      } catch (cause) {
        throw new SkillError('bad_response', `the answer cannot be read: ${(cause as Error).message}`, {
          cause,
        })
      }
    },
  }
}
