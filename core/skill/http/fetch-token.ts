import {
  ConnectionError,
  RetryableError,
  SkillError,
  type ConnectionDefinition,
  type TokenRequest,
} from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EgressRequest, EgressResponse } from '../../ports/egress.ts'
import { readToken, type IssuedToken } from './read-token.ts'
import { sendInTurn, type SendInTurnOptions } from './send-in-turn.ts'
import { bodyAsJson, statusError, type StatusErrorContext } from './status-error.ts'
import type { TokenSource } from './token-cache.ts'

/** How one connection gets its tokens. */
export interface TokenCall {
  /** Name of the connection. */
  readonly connection: string
  readonly connectionUuid: string
  /** What tokens are kept under. */
  readonly key: string
  /** Made anew each time, at a time in epoch milliseconds. Throws ConnectionError `connection_invalid`, SkillError `bad_path`. */
  readonly requestAt: (nowMs: number) => Pick<TokenRequest, 'form' | 'explain'> & { readonly url: URL }
  /** What the connection's author knows about errors. */
  readonly errors: ConnectionDefinition['errors']
}

/** Fields of a form whose value is, or is made from, a secret (RFC 6749, 7521, 8693). */
const credentialFields = [
  'client_secret',
  'client_assertion',
  'assertion',
  'password',
  'refresh_token',
  'subject_token',
]

/** One request of them. */
type OneCall = TokenCall & ReturnType<TokenCall['requestAt']>

/** How long the other system may take: those who wait shall hear of it before their own time is up. */
const timeoutMs = 20_000

/**
 * A source of tokens that asks the other system.
 *
 * Rejects with ConnectionError `token_refused` or `token_unreadable`; and with RetryableError (`http_429`, `http_5xx`,
 * `network_error`) whose details say `sent: false`, since what needed the token was not sent.
 */
export function tokenSource(
  call: TokenCall,
  options: SendInTurnOptions & { readonly onCredential: (text: string) => void },
): TokenSource {
  return {
    key: call.key,
    async fetch(signal) {
      const request = call.requestAt(options.clock.now())
      for (const field of credentialFields) {
        const credential = request.form[field]
        if (credential !== undefined) options.onCredential(credential)
      }
      return await fetchToken({ ...call, ...request }, options, signal)
    },
  }
}

async function fetchToken(
  call: OneCall,
  options: SendInTurnOptions,
  signal: AbortSignal,
): Promise<IssuedToken> {
  const { clock } = options
  // It has no limits, but Retry-After closes it; then nobody waits here for others.
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
  const token = readToken(response.body)
  if (typeof token === 'string') throw unreadable(call, `answered ${status}, but ${token}`)
  return token
}

function requestFor({ url, form }: OneCall): Omit<EgressRequest, 'signal'> {
  return {
    method: 'POST',
    url: url.href,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
}

async function inTime<T>(
  call: OneCall,
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
        hint: 'the other system takes too long, which passes as a rule; see whether its address is right',
        details: { code: 'ETIMEDOUT' },
      }),
    )
  clock.sleep(timeoutMs, over.signal).then(
    () => late.abort(reason()),
    () => {}, // over in time
  )
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } finally {
    over.abort()
  }
}

/** No answer at all, or none that could be taken. */
function sendError(call: OneCall, error: unknown): unknown {
  if (error instanceof SkillError) return unreadable(call, `gave no usable answer: ${error.message}`, error)
  return error instanceof RetryableError ? notNow(call, error) : error
}

function answerError(call: OneCall, response: EgressResponse, now: number): Error {
  const { status, body } = response
  const context: StatusErrorContext = { ...call, what: whatOf(call), now }
  const error = statusError(response, context)
  if (error instanceof RetryableError) return notNow(call, error)
  const hint =
    call.explain?.({ status, body: bodyAsJson(body) }) ??
    `check the credentials of connection '${call.connection}'`
  return new ConnectionError('token_refused', `${noToken(call)}: ${error.message}`, {
    hint,
    details: { status, connection: call.connection },
  })
}

function notNow(call: OneCall, error: RetryableError): RetryableError {
  return new RetryableError(error.code, `${noToken(call)}: ${error.message}`, {
    hint: error.hint,
    retryAfterMs: error.retryAfterMs,
    details: { ...error.details, connection: call.connection, sent: false },
    cause: error,
  })
}

function unreadable(call: OneCall, problem: string, cause?: unknown): ConnectionError {
  return new ConnectionError('token_unreadable', `${noToken(call)}: ${whatOf(call)} ${problem}`, {
    hint: 'check the address that hands out tokens: a proxy or a sign-in page may answer in its place',
    details: { connection: call.connection },
    cause,
  })
}

const noToken = ({ connection }: OneCall): string => `no token for connection '${connection}'`

const whatOf = ({ url }: OneCall): string => `POST ${url.origin}${url.pathname}`
