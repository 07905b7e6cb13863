import { parseJson } from '../../common/json.ts'
import { once } from '../../common/once.ts'
import {
  SkillError,
  type Effect,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '../../plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../ports/egress.ts'
import type { SignInTokens } from '../../ports/connection-store.ts'
import { absoluteAddress } from '../connection/address.ts'
import { inDoubtAfterChanges, type Exchange } from './after-changes.ts'
import { createBearer, type Bearer } from '../connection/bearer.ts'
import { credentialsIn } from '../connection/credentials.ts'
import { asText, checkContentType, encodeBody, maxBytesOf } from '../http/body.ts'
import { checkHeaders } from '../http/headers.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { sendInTurn, type SendInTurnOptions } from '../http/send-in-turn.ts'
import { statusError } from '../http/status-error.ts'
import { addressFrom, budgetOf, targetOfHost, type ConnectionTarget } from '../connection/target.ts'

export interface HttpClientOptions extends SendInTurnOptions {
  readonly signal: AbortSignal
  readonly redactor: Redactor
  /** Undefined: only absolute addresses, without credentials. */
  readonly target: ConnectionTarget | undefined
  /** Those of a sign-in. Default: none. */
  readonly tokens?: SignInTokens | undefined
  /** Whether the skill changes the other system. */
  readonly isWrite: boolean
  /** Called with the known effect of a writing skill. Default: none. */
  readonly onEffect?: ((effect: Effect) => void) | undefined
}

/** The HTTP client of one skill call; see {@link HttpClient}. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { egress, signal, redactor } = options
  const shared = once(() => createBearer(options.target?.token, options.tokens, options))
  const own = new Map<ConnectionTarget, Bearer | undefined>()
  const bearerOf = (target: ConnectionTarget | undefined): Bearer | undefined => {
    if (target === undefined || target === options.target || target.sharesToken) return shared()
    if (!own.has(target)) own.set(target, createBearer(target.token, undefined, options))
    return own.get(target)
  }

  const exchange: Exchange = async (wanted, onSent) => {
    signal.throwIfAborted()
    const target = targetOfHost(options.target, wanted.host)
    const bearer = bearerOf(target)
    const { url, isBelowBase } = target
      ? addressFrom(target, wanted)
      : { url: absoluteAddress(wanted.path, wanted.query), isBelowBase: false }
    const method = wanted.method ?? 'GET'
    const { body, contentType } = await encodeBody(wanted)
    const own = { accept: 'application/json', ...contentType, ...checkHeaders(wanted.headers ?? {}) }
    const make = (more: Readonly<Record<string, string>>): EgressRequest => {
      const request = withCredentials({ method, url: url.href, headers: own, body }, more, isBelowBase, {
        ...options,
        target,
      })
      return { ...request, isElsewhere: !isBelowBase, maxBytes: maxBytesOf(wanted.bytes), signal, onSent }
    }
    const send = async (more: Readonly<Record<string, string>> = {}): Promise<EgressResponse> => {
      const response = await (target
        ? sendInTurn(signal, () => make(more), budgetOf(target, wanted), options)
        : egress.send(make(more)))
      redactor.learn(response.body)
      return response
    }
    const answer = await (isBelowBase && bearer ? sendWithToken(send, bearer) : send())
    const { status } = answer
    const what = `${method} ${url.origin}${url.pathname}`
    const isGood = status >= 200 && status < 300
    const response = isGood ? answer : asText(answer)
    if (isGood && wanted.bytes !== undefined) checkContentType(wanted.bytes, response, what)
    if (isGood || wanted.accept?.includes(status) === true) return toHttpResponse(response, what, url.href)
    throw statusError(response, {
      what,
      url,
      errors: target?.errors,
      connection: target?.connection,
      now: options.clock.now(),
    })
  }
  const request = options.isWrite
    ? inDoubtAfterChanges(exchange, options.onEffect)
    : (wanted: HttpRequest) => exchange(wanted)
  return {
    request,
    get: (path, more = {}) => request({ ...more, path, method: 'GET' }),
    post: (path, more = {}) => request({ ...more, path, method: 'POST' }),
  }
}

/** A 401 proves that nothing happened, so any request may be repeated once with a new token. */
async function sendWithToken(
  send: (headers: Readonly<Record<string, string>>) => Promise<EgressResponse>,
  bearer: Bearer,
): Promise<EgressResponse> {
  const withToken = (token: string) => send({ authorization: `Bearer ${token}` })
  const token = await bearer.get()
  const response = await withToken(token)
  if (response.status !== 401) return response
  const other = await bearer.replace(token)
  return other === undefined ? response : await withToken(other)
}

const nothing = new Uint8Array()

function toHttpResponse(response: EgressResponse, what: string, url: string): HttpResponse {
  return {
    status: response.status,
    url,
    headers: response.headers,
    text: response.body,
    bytes: response.bytes ?? nothing,
    json() {
      try {
        return parseJson(response.body)
      } catch (cause) {
        const message = `the answer of ${what} cannot be read: ${(cause as Error).message}`
        throw new SkillError('bad_response', message, {
          hint: 'check the address: a proxy or a sign-in page may have answered instead',
          cause,
        })
      }
    },
  }
}

type UnsentRequest = Pick<EgressRequest, 'method' | 'url' | 'headers' | 'body'>

/** Adds the credentials of the connection, unless the request leads elsewhere, and redacts them from now on. */
function withCredentials(
  plain: UnsentRequest,
  token: Readonly<Record<string, string>>,
  isBelowBase: boolean,
  { target, redactor, clock }: HttpClientOptions,
): UnsentRequest {
  const nowMs = clock.now()
  const of = isBelowBase ? target : undefined
  const prepared = of?.credentialsAt(nowMs)
  for (const credential of prepared?.credentials ?? []) redactor.add(credential)
  const { authorization } = { ...plain.headers, ...token }
  const own = authorization === undefined ? [] : credentialsIn({ authorization }, target?.secrets ?? [])
  for (const credential of own) redactor.add(credential)
  const headers = { ...plain.headers, ...prepared?.headers, ...token }
  if (of?.sign === undefined) return { ...plain, headers }
  const { credentials, ...signed } = of.sign({
    ...plain,
    headers,
    body: typeof plain.body === 'object' ? plain.body : Buffer.from(plain.body ?? ''),
    nowMs,
  })
  for (const credential of credentials) redactor.add(credential)
  return { ...plain, ...signed }
}
