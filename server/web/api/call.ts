import { createStore } from '../parts/hooks.ts'
import { learnTime, serverTime } from '../parts/time.ts'
import type { ApiPage } from './types.ts'
import { ApiError, foreignProblem, unreachable, type ApiProblem, type RequestKind } from './problem.ts'
import { untilAnswered } from './repeat.ts'

/** Base path of the API, e.g. `/api`. The server writes it into the page. */
const base = document.querySelector<HTMLMetaElement>('meta[name=tocsin-api]')?.content ?? '/api'

/** Timeout of a request. A dry run may take a minute. */
const deadlineMs = 90_000

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface CallOptions {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Called when the API no longer knows the session. */
let onSignedOut = (): void => undefined
/** Number of sessions of this page. Answers to requests of earlier sessions are ignored. */
let sessions = 0
/** The answer that ended the session. Until the next session, requests fail without being sent. */
let over: ApiProblem | undefined

/** Allows requests again, with the new session. */
export function startSession(): void {
  sessions++
  over = undefined
}

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

/** URL of an API path, e.g. `/alerts`. */
export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const search = new URLSearchParams(given).toString()
  return `${base}${path}${search === '' ? '' : `?${search}`}`
}

/**
 * Calls the API.
 *
 * @throws ApiError with the problem document, or with code `unreachable`
 */
export async function apiCall<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  return (await apiCallTagged<T>(method, path, options)).data
}

/** An answer with its `ETag` (for `If-Match`) and its `Tocsin-Warning`. */
export interface Tagged<T> {
  readonly data: T
  readonly etag: string | null
  readonly warning: string | null
}

/** Like `apiCall`, with the headers of the answer. */
export async function apiCallTagged<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Tagged<T>> {
  const { query, body, headers, signal } = options
  const asksForSession = path === '/session' || path.startsWith('/session/')
  if (over !== undefined && !asksForSession) throw new ApiError(over)
  const session = sessions
  const kind = kindOf(method, path, headers)
  const { response, text } = await send(addressOf(path, query), kind, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal === undefined ? [] : [signal])]),
  })
  if (response.ok)
    return {
      data: (text === '' ? undefined : parseAnswer(text)) as T,
      etag: response.headers.get('etag'),
      warning: response.headers.get('tocsin-warning'),
    }
  const problem = readProblem(response, text, kind)
  if (response.status === 401 && !asksForSession && session === sessions) {
    over = problem
    onSignedOut()
  }
  throw new ApiError(problem, retryAfterMs(response))
}

/** Makes a change under this idempotency key; repeats the request while no server answers. */
export const apiCallOnce = <T>(path: string, body: unknown, key: string, signal?: AbortSignal): Promise<T> =>
  untilAnswered(
    () => apiCall<T>('POST', path, { body, headers: { 'idempotency-key': key } }),
    signal && { signal },
  )

/** Requests that change nothing although they have a body, and those that sign people in. */
const readPaths = /^\/session\b|\/(?:preview|validate|dry-run|complete|hover)$/

function kindOf(method: string, path: string, headers: CallOptions['headers']): RequestKind {
  if (method === 'GET' || readPaths.test(path)) return 'read'
  return headers?.['idempotency-key'] === undefined ? 'change' : 'once'
}

/** 0 if there is none; dates are not used by Tocsin. */
const retryAfterMs = ({ headers }: Response): number => 1_000 * (Number(headers.get('retry-after')) || 0)

interface Sent extends RequestInit {
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
}

async function send(address: string, kind: RequestKind, init: Sent) {
  const isActive = takeActivity()
  const headers = isActive ? init.headers : { ...init.headers, 'tocsin-background': 'true' }
  try {
    const response = await fetch(address, { ...init, headers })
    if (isActive && response.status >= 500) returnActivity()
    const text = await response.text()
    const isReached = hasProblem(response) || foreignProblem(response.status, kind).code !== 'unreachable'
    tellReached(isReached)
    if (isReached) learnTime(response.headers.get('date'))
    return { response, text }
  } catch (error) {
    if (isActive) returnActivity()
    if (init.signal.aborted && !isTimeout(init.signal.reason)) throw error
    tellReached(false)
    throw new ApiError(unreachable(kind))
  }
}

const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError'

const hasProblem = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/problem+json') === true

const readProblem = (response: Response, text: string, kind: RequestKind): ApiProblem =>
  hasProblem(response) ? (parseAnswer(text) as ApiProblem) : foreignProblem(response.status, kind)

export const apiGet = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  apiCall<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) })

/** The text of an answer that is no JSON. Throws ApiError as `apiCall` does. */
export async function apiText(path: string, query: Query, signal: AbortSignal): Promise<string> {
  const { response, text } = await send(addressOf(path, query), 'read', {
    signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), signal]),
    headers: {},
  })
  if (response.ok) return text
  throw new ApiError(readProblem(response, text, 'read'))
}

/** All rows of a list, page by page. */
export async function apiAll<Row>(path: string, query: Query = {}): Promise<readonly Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: ApiPage<Row> = await apiGet(path, { limit: 200, ...query, cursor })
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return rows
}

/** User activity that no request has reported yet. Opening the page counts. */
let isUnsaid = true

const acts = ['pointerdown', 'keydown', 'wheel'] as const

// Events dispatched by scripts are no user activity.
for (const act of acts)
  addEventListener(act, ({ isTrusted }) => void (isUnsaid ||= isTrusted), { capture: true, passive: true })

/** Whether there was activity since the last request. Reporting it keeps the session alive. */
function takeActivity(): boolean {
  const isActive = isUnsaid
  isUnsaid = false
  return isActive
}

/** The request did not arrive: the next one reports the activity. */
function returnActivity(): void {
  isUnsaid = true
}

/** Keeps the digits of an integer that JavaScript cannot represent. */
function keepInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const beyond = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return beyond && context?.source !== undefined ? context.source : value
}

/** Parses JSON of the API. Integers beyond 2^53 become text where the browser supports it. */
export function parseAnswer(text: string): unknown {
  return JSON.parse(text, keepInteger)
}

/** Since when the server is unreachable, by its own clock in epoch milliseconds; undefined while it answers. */
const unreachableSince = createStore<number | undefined>(undefined)

export const useUnreachableSince = unreachableSince.use

/** Called after each request. Any answer counts. */
function tellReached(isReached: boolean): void {
  if (isReached !== (unreachableSince.get() === undefined))
    unreachableSince.set(isReached ? undefined : serverTime())
}
