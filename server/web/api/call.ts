import { learnTime } from '../parts/time/now.ts'
import { returnActivity, takeActivity } from './activity.ts'
import { parseJson } from './parse-json.ts'
import { ApiError, type Problem } from './problem.ts'
import { tellReached } from './reached.ts'

/** Where the API is, e.g. `/api`: the server says it in the page. */
const base = document.querySelector<HTMLMetaElement>('meta[name=tocsin-api]')?.content ?? '/api'

/** So long an answer may take: a dry run may take a minute. */
const deadlineMs = 90_000

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface CallOptions {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Is told when the API does not know the session any more. */
let onSignedOut = (): void => undefined
/** Counts the sessions of this page: an answer to a call of an earlier one says nothing about this one. */
let sessions = 0
/** What was answered when the session was over: until there is another one, nothing is asked that would only be refused. */
let over: Problem | undefined

/** Calls are made again, with the session that there is now. */
export function startSession(): void {
  sessions++
  over = undefined
}

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

/** Address of a path of the API, e.g. `/alerts`. */
export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const search = new URLSearchParams(given).toString()
  return `${base}${path}${search === '' ? '' : `?${search}`}`
}

/**
 * Calls the API and gives its answer.
 *
 * @throws ApiError with the problem document, or with `unreachable` where there was no answer
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  return (await callTagged<T>(method, path, options)).data
}

/** What the API answers, with its `ETag`, which an edit names in `If-Match`, and `Tocsin-Warning`. */
export interface Tagged<T> {
  readonly data: T
  readonly etag: string | null
  /** What to look at before the answer is used. */
  readonly warning: string | null
}

/** As `call`, for what is to be edited. */
export async function callTagged<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Tagged<T>> {
  const { query, body, headers, signal } = options
  const asksForSession = path === '/session'
  if (over !== undefined && !asksForSession) throw new ApiError(over)
  const session = sessions
  const { response, text } = await send(addressOf(path, query), {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal === undefined ? [] : [signal])]),
  })
  if (response.ok)
    return {
      data: (text === '' ? undefined : parseJson(text)) as T,
      etag: response.headers.get('etag'),
      warning: response.headers.get('tocsin-warning'),
    }
  const problem = readProblem(response, text)
  if (response.status === 401 && !asksForSession && session === sessions) {
    over = problem
    onSignedOut()
  }
  throw new ApiError(problem)
}

interface Sent extends RequestInit {
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
}

async function send(address: string, init: Sent) {
  const isActive = takeActivity()
  const headers = isActive ? init.headers : { ...init.headers, 'tocsin-background': 'true' }
  try {
    const response = await fetch(address, { ...init, headers })
    if (isActive && response.status >= 500) returnActivity()
    const text = await response.text()
    tellReached(true)
    learnTime(response.headers.get('date'))
    return { response, text }
  } catch (error) {
    if (isActive) returnActivity()
    if (init.signal.aborted && !isTimeout(init.signal.reason)) throw error
    tellReached(false)
    throw new ApiError({
      title: 'Tocsin does not answer',
      status: 0,
      code: 'unreachable',
      detail: 'The server could not be reached.',
      hint: 'is it running, and is the network up? this page tries again by itself',
    })
  }
}

const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError'

function readProblem(response: Response, text: string): Problem {
  if (response.headers.get('content-type')?.startsWith('application/problem+json') === true)
    return parseJson(text) as Problem
  return { title: `HTTP ${response.status}`, status: response.status, code: 'no_problem_document' }
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  call<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) })
