/** A problem document of the API (RFC 9457). */
export interface ApiProblem {
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail?: string
  readonly hint?: string
  readonly errors?: readonly { readonly pointer?: string; readonly message: string }[]
}

/** A failed request. `status` is 0 if it did not reach the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problem: ApiProblem
  /** From `Retry-After`, in milliseconds; 0: the answer had none. */
  readonly retryAfterMs: number

  constructor(problem: ApiProblem, retryAfterMs = 0) {
    super(problem.detail ?? problem.title)
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** The problem document for any thrown value. */
export function apiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiError) return error.problem
  return {
    title: 'Something went wrong on this page',
    status: 0,
    code: 'page_error',
    detail: error instanceof Error ? error.message : String(error),
  }
}

/** Answers of a proxy whose server is away, and of a server that is not ready. */
const awayStatuses: readonly number[] = [502, 503, 504]

/** Whether another server may answer the same request soon. */
export function isUnanswered(error: unknown): boolean {
  const { code, status } = apiProblem(error)
  return code === 'unreachable' || awayStatuses.includes(status)
}

/** Whether a failed change may have been made, at least in part. */
export function mayHaveChanged(error: unknown): boolean {
  const { code, status } = apiProblem(error)
  return status === 0 || status >= 500 || code === 'request_interrupted'
}

/** What a request does: `read` changes nothing, `once` is a change with an idempotency key. */
export type RequestKind = 'read' | 'change' | 'once'

const look = 'check that the server is running and that the network is up'
const nextSteps: Readonly<Record<RequestKind, string>> = {
  read: 'this page retries automatically',
  change: 'then see whether the change was made before you try again',
  once: 'then try again: the change is made only once',
}

/** No server answered. @param status of the proxy that answered instead; 0: nothing did */
export const unreachable = (kind: RequestKind, status = 0): ApiProblem => ({
  title: 'Can’t reach Tocsin',
  status,
  code: 'unreachable',
  detail:
    kind === 'read'
      ? 'The server did not answer.'
      : 'The server did not answer. The change may or may not have been made.',
  hint: `${look}; ${nextSteps[kind]}`,
})

/** An answer without a problem document, such as that of a proxy. */
export function foreignProblem(status: number, kind: RequestKind): ApiProblem {
  if (awayStatuses.includes(status)) return unreachable(kind, status)
  const problem = { status, code: 'no_problem_document' }
  if (status !== 413)
    return { ...problem, title: `HTTP ${status}`, detail: 'A proxy in front of Tocsin sent this answer.' }
  return {
    ...problem,
    title: 'The request is too large',
    detail: 'A proxy in front of Tocsin refused it.',
    hint: 'send less, or raise the limit of the proxy for request bodies',
  }
}
