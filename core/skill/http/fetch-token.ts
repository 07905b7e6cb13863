import {
  ConnectionError,
  RetryableError,
  SkillError,
  textAt,
  type ConnectionDefinition,
  type TokenRequest,
} from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EgressRequest, EgressResponse } from '../../ports/egress.ts'
import { readToken, type IssuedToken } from './read-token.ts'
import { sendInTurn, type SendInTurnOptions } from './send-in-turn.ts'
import { bodyAsJson, statusError, type StatusErrorContext } from './status-error.ts'
import type { TokenSource } from './token-cache.ts'

/** How a connection gets its tokens. */
export interface TokenCall {
  /** Name of the connection. */
  readonly connection: string
  readonly connectionUuid: string
  /** Cache key of the tokens. */
  readonly key: string
  /**
   * Creates the request at a time in epoch milliseconds.
   *
   * @throws ConnectionError `connection_invalid`, SkillError `bad_path`
   */
  readonly requestAt: (nowMs: number) => Pick<TokenRequest, 'form' | 'explain'> & {
    readonly url: URL
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Values in the headers that must not be shown. */
    readonly credentials: readonly string[]
  }
  /** The connection's declaration of errors. */
  readonly errors: ConnectionDefinition['errors']
}

/** Form fields that contain a secret or a value made from one (RFC 6749, 7521, 8693). */
const credentialFields = [
  'client_secret',
  'client_assertion',
  'assertion',
  'password',
  'refresh_token',
  'subject_token',
  'code',
  'code_verifier',
  'token',
]

/** One POST of a form to a token endpoint. */
export type TokenPost = Pick<TokenCall, 'connection' | 'connectionUuid' | 'errors'> &
  ReturnType<TokenCall['requestAt']>

/** Timeout of a token request, so that its error arrives before the calls that wait time out. */
const timeoutMs = 20_000

/**
 * Fetches tokens from the other system.
 *
 * Rejects with ConnectionError `token_refused` or `token_unreadable`, or with RetryableError (`http_429`,
 * `http_5xx`, `network_error`) with `sent: false` in its details, because the request that needs the token was not
 * sent.
 */
export function tokenSource(call: TokenCall, options: TokenPostOptions): TokenSource {
  return {
    key: call.key,
    async fetch(signal) {
      const request = { ...call, ...call.requestAt(options.clock.now()) }
      return await postForToken<IssuedToken>(request, readToken, options, signal)
    },
  }
}

export interface TokenPostOptions extends SendInTurnOptions {
  /** Called with every credential in the request. */
  readonly onCredential: (text: string) => void
}

/**
 * Sends a request to a token endpoint; rejects like the source of {@link tokenSource}.
 *
 * @param read reads a successful response, or returns the problem as a string
 */
export async function postForToken<T extends object>(
  call: TokenPost,
  read: (body: string) => T | string,
  options: TokenPostOptions,
  signal: AbortSignal,
): Promise<T> {
  const { clock } = options
  const inForm = credentialFields.flatMap((field) => call.form[field] ?? [])
  for (const credential of [...inForm, ...call.credentials]) options.onCredential(credential)
  // No limits, but Retry-After closes the budget; then the call fails at once instead of waiting.
  const budget = { ...call, bucket: 'token', limits: [] }
  const inTurn = { ...options, deadlineMs: clock.now() }
  const response = await inTime(call, clock, signal, async (signal) => {
    try {
      return await sendInTurn(signal, () => ({ ...requestFor(call), signal }), budget, inTurn)
    } catch (error) {
      throw signal.aborted ? signal.reason : sendError(call, error)
    }
  })
  const { status } = response
  if (status < 200 || status > 299) throw answerError(call, response, clock.now())
  const token = read(response.body)
  if (typeof token !== 'string') return token
  // Some vendors answer 200 with the error of RFC 6749, section 5.2.
  const code = textAt(bodyAsJson(response.body), 'error')
  if (code !== null && response.status === 200) throw answerError(call, response, clock.now())
  throw unreadable(call, `answered ${status}, but ${token}`)
}

function requestFor({ url, form, headers }: TokenPost): Omit<EgressRequest, 'signal'> {
  return {
    method: 'POST',
    url: url.href,
    headers: { accept: 'application/json', ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
}

async function inTime<T>(
  call: TokenPost,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const over = new AbortController()
  const reason = () =>
    notNow(
      call,
      new RetryableError('network_error', `${whatOf(call)} gave no answer within ${timeoutMs / 1000} s`, {
        hint: 'the other system is slow, usually temporarily; check its address',
        details: { code: 'ETIMEDOUT' },
      }),
    )
  clock.sleep(timeoutMs, over.signal).then(
    () => late.abort(reason()),
    () => {}, // ended in time
  )
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } finally {
    over.abort()
  }
}

/** No answer, or an unreadable answer. */
function sendError(call: TokenPost, error: unknown): unknown {
  if (error instanceof SkillError) return unreadable(call, `gave no usable answer: ${error.message}`, error)
  return error instanceof RetryableError ? notNow(call, error) : error
}

function answerError(call: TokenPost, response: EgressResponse, now: number): Error {
  const { status, body } = response
  const context: StatusErrorContext = { ...call, what: whatOf(call), now }
  const error = statusError(response, context)
  if (error instanceof RetryableError) return notNow(call, error)
  const answer = bodyAsJson(body)
  const hint =
    call.explain?.({ status, body: answer }) ??
    // A table of hints by status is about requests with a token; a function reads the answer.
    (typeof call.errors === 'function' ? error.hint : undefined) ??
    `check the credentials of connection '${call.connection}'`
  const reason = textAt(answer, 'error')
  return new ConnectionError('token_refused', `${noToken(call)}: ${error.message}`, {
    hint,
    details: {
      status,
      connection: call.connection,
      ...(reason !== null && errorWord.test(reason) && { reason }),
    },
  })
}

/** The code of an error (RFC 6749, section 5.2). */
const errorWord = /^[a-z_]{1,64}$/

function notNow(call: TokenPost, error: RetryableError): RetryableError {
  return new RetryableError(error.code, `${noToken(call)}: ${error.message}`, {
    hint: error.hint,
    retryAfterMs: error.retryAfterMs,
    details: { ...error.details, connection: call.connection, sent: false },
    cause: error,
  })
}

function unreadable(call: TokenPost, problem: string, cause?: unknown): ConnectionError {
  return new ConnectionError('token_unreadable', `${noToken(call)}: ${whatOf(call)} ${problem}`, {
    hint: 'check the token address: a proxy or a sign-in page may have answered instead',
    details: { connection: call.connection },
    cause,
  })
}

const noToken = ({ connection }: TokenPost): string => `no token for connection '${connection}'`

const whatOf = ({ url }: TokenPost): string => `POST ${url.origin}${url.pathname}`
